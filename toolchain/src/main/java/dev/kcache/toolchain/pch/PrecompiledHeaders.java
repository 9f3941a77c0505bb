// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.MakeRule;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.process.CompilerPrograms;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The precompiled headers of one host. They are kept in the probe cache, since they contain this
 * host's paths and times. A header is invalid as soon as a file that went into it changes, the
 * compiler included. One that continues another is used as long as that one is unchanged.
 *
 * <p>Safe for use by any number of threads and processes. If two processes make the same header,
 * the last one stays.
 */
public final class PrecompiledHeaders {
  /** A pair of them, of which HIP's continues the other, takes 13 MB. */
  private static final int MOST = 128;

  /** Far more than any text that is read here; a longer one means no header. */
  private static final int MOST_BYTES = 64 << 20;

  /** Includes the names in {@code __has_include}. */
  private static final Pattern INCLUDED =
      Pattern.compile("include(?:_next)?[ \\t]*\\(?[ \\t]*[<\"](?:[^>\"\\n]*/)?([^>\"/\\n]+)[>\"]");

  /** An externally visible function or variable in LLVM's text form. */
  private static final Pattern DEFINED =
      Pattern.compile(
          "^(?:define (?!internal|private)[^@\\n]*)?@([\\w.$]+)(?:\\(| = (?!internal|private))",
          Pattern.MULTILINE);

  private final CompilerPrograms programs;
  private final ProbeResults answers;
  private final FileDigests digests;
  private final ProbeCache cache;
  private final InstantSource clock;
  private final Set<Digest> useless = ConcurrentHashMap.newKeySet();
  private final Set<Digest> inMaking = ConcurrentHashMap.newKeySet();

  public PrecompiledHeaders(
      CompilerPrograms programs,
      ProbeResults answers,
      FileDigests digests,
      ProbeCache cache,
      InstantSource clock) {
    this.programs = programs;
    this.answers = answers;
    this.digests = digests;
    this.cache = cache;
    this.clock = clock;
  }

  /** Returns the known header for a question if it is unchanged. */
  Optional<PrecompiledHeader> find(Digest question) {
    if (useless.contains(question)) {
      return Optional.empty();
    }
    Optional<PrecompiledHeader> header = remembered(question);
    if (header.isPresent() && !isWhole(header.get())) {
      // Another process may have made it again, with an answer of its own.
      answers.forgetHere(question);
      digests.forget(header.get().file());
      header.get().base().ifPresent(base -> digests.forget(base.file()));
      header = remembered(question);
    }
    Optional<PrecompiledHeader> whole = header.filter(this::isWhole);
    if (whole.isPresent()) {
      cache.noteUse(question);
      whole.get().base().ifPresent(base -> cache.noteUse(ProbeCache.question(base.file())));
    }
    return whole;
  }

  private Optional<PrecompiledHeader> remembered(Digest question) {
    return answers
        .ifKnown(question)
        .filter(PrecompiledHeader::isAnswer)
        .map(ProbeResult::lines)
        .flatMap(
            lines ->
                cache
                    .attachment(question, PrecompiledHeader.digest(lines))
                    .map(file -> PrecompiledHeader.ofLines(file, lines)));
  }

  private boolean isWhole(PrecompiledHeader header) {
    return holds(header.file(), header.digest())
        && header.base().stream().allMatch(base -> holds(base.file(), base.digest()));
  }

  private boolean holds(Path file, Digest digest) {
    return digests.digest(file).equals(Optional.of(digest));
  }

  /**
   * Returns the header for a question, which is made if need be; empty while another thread makes
   * it, since waiting would take longer than doing without.
   *
   * @param beginning what is precompiled
   * @param base a header to continue, if there is one, which saves time
   * @param watched the files on which the choice of the compiler's files depends
   * @param timeout the time limit for the compiler
   */
  Optional<PrecompiledHeader> findOrMake(
      Digest question,
      PchKind beginning,
      Optional<PrecompiledHeader> base,
      DirectCommands direct,
      Set<Path> watched,
      Duration timeout)
      throws InterruptedException {
    Optional<PrecompiledHeader> known = find(question);
    if (known.isPresent() || useless.contains(question) || !inMaking.add(question)) {
      return known;
    }
    try {
      Optional<PrecompiledHeader> made = find(question);
      if (made.isEmpty()) {
        made = make(question, beginning, base, direct, watched, timeout);
        made.ifPresentOrElse(
            header -> cache.sweepAttachments(MOST, clock.instant(), answers::holds),
            () -> drop(question));
      }
      return made;
    } finally {
      inMaking.remove(question);
    }
  }

  /** Stops using the header for a question; later processes make it again. */
  void drop(Digest question) {
    useless.add(question);
    answers.forget(question);
  }

  private Optional<PrecompiledHeader> make(
      Digest question,
      PchKind beginning,
      Optional<PrecompiledHeader> base,
      DirectCommands direct,
      Set<Path> watched,
      Duration timeout)
      throws InterruptedException {
    Optional<Path> source = cache.text(beginning.fileName(), beginning.text());
    if (source.isEmpty()) {
      return Optional.empty();
    }
    try (Staging staging = programs.stage()) {
      Instant asked = clock.instant();
      Path made = staging.resolve("../header.pch");
      Optional<Path> below = base.map(PrecompiledHeader::file);
      if (!succeeds(direct.precompile(source.get(), below, made), staging, timeout)) {
        return Optional.empty();
      }
      Set<Path> read = dependencies(staging);
      read.remove(ToolchainPaths.normalise(source.get()));
      base.ifPresent(begun -> read.removeAll(begun.sources()));
      Path translated = staging.resolve("../header.ll");
      if (!succeeds(direct.translate(source.get(), made, translated), staging, timeout)) {
        return Optional.empty();
      }
      Digest digest = digest(made);
      PrecompiledHeader header =
          new PrecompiledHeader(
              cache.attachment(question, digest).orElseThrow(),
              source.get(),
              digest,
              base.map(PrecompiledHeader::asBase),
              definitions(translated),
              names(read));
      Set<Path> all = new LinkedHashSet<>(watched);
      all.addAll(read);
      all.addAll(places(direct.includeDirectories(), read));
      // Before the file: one without an answer would be removed when another header is made.
      answers.put(question, ProbeResult.dependingOn(all, header.toLines(), asked));
      boolean attached = cache.attach(question, digest, made);
      digests.forget(header.file());
      return attached ? Optional.of(header) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** A warning means failure: a source that includes the header has to show it too. */
  private boolean succeeds(List<String> command, Staging staging, Duration timeout)
      throws InterruptedException {
    ProgramResult outcome = programs.run(List.of(command), staging, RunLimits.ofCompile(timeout));
    boolean succeeded = outcome.succeeded() && outcome.log().isBlank();
    if (!succeeded) {
      System.getLogger(PrecompiledHeaders.class.getName())
          .log(System.Logger.Level.DEBUG, () -> "no header can be precompiled: " + outcome);
    }
    return succeeded;
  }

  private static Digest digest(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return Digest.of(in);
    }
  }

  private static String text(Path file) throws IOException {
    return new String(BoundedFile.read(file, MOST_BYTES), ISO_8859_1);
  }

  private static Set<String> definitions(Path translated) throws IOException {
    return DEFINED
        .matcher(text(translated))
        .results()
        .map(definition -> definition.group(1))
        .collect(Collectors.toSet());
  }

  private static Set<Path> dependencies(Staging staging) throws IOException {
    String list =
        new String(BoundedFile.read(staging.resolve(OutputNames.DEPENDENCIES), MOST_BYTES), UTF_8);
    return MakeRule.prerequisites(list).stream()
        .map(name -> ToolchainPaths.normalise(staging.work().resolve(name)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Returns the directories in which a new header would be found before one that was read: below
   * each include directory, the same relative directories as those of the headers.
   */
  private static Set<Path> places(Set<Path> includeDirectories, Set<Path> headers) {
    Set<Path> below = new TreeSet<>();
    for (Path header : headers) {
      for (Path directory : includeDirectories) {
        if (header.startsWith(directory)) {
          below.add(directory.relativize(header.getParent()));
        }
      }
    }
    Set<Path> places = new TreeSet<>();
    for (Path directory : includeDirectories) {
      below.forEach(path -> places.add(directory.resolve(path)));
    }
    return places;
  }

  private static Set<String> names(Set<Path> headers) throws IOException {
    Set<String> names = new HashSet<>();
    for (Path header : headers) {
      Matcher included = INCLUDED.matcher(text(header));
      while (included.find()) {
        names.add(included.group(1));
      }
      names.add(header.getFileName().toString());
    }
    return names;
  }
}
