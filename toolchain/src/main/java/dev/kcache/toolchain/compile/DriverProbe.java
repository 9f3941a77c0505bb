// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain.File;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.language.ClangPrograms;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.probe.CompilerDescription;
import dev.kcache.toolchain.probe.CompilerFiles;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.probe.ToolchainPaths;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds out a compiler's version, its processors, and the identity of everything that decides a
 * result. Answers are stored, so a compiler is asked each question once.
 *
 * <p>Safe for use by any number of threads.
 */
public final class DriverProbe {
  /** The default options of a kernel. */
  public static final List<String> OPTIONS = List.of("-O3", "-std=c++17");

  private record Identity(Digest digest, FileStamps.Round round) {}

  private record Version(CompilerVersion version, FileStamps.Round round) {}

  /**
   * The driver's planned commands, checked once in a round.
   *
   * @param includeDirectories the directories of the compiler's own headers, also with links
   *     followed
   */
  private record Described(
      List<List<String>> lines,
      FileStamps.Round round,
      CompilerDescription description,
      Set<Path> includeDirectories) {}

  private final DialectFacts facts;
  private final DriverSession session;
  private final Optional<RequestedLabel> requested;
  private final List<Path> searchPath;
  private final InstantSource clock;
  private final FileStamps stamps;
  private final ProbeResults results;
  private final FileDigests digests;
  private final ProbeQuestions questions;
  private final ProcessorProbe processors;
  private final ConcurrentHashMap<List<String>, Identity> identities = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Digest, Described> descriptions = new ConcurrentHashMap<>();
  private volatile @Nullable Version version;

  /** Creates a probe; asks nothing. */
  public DriverProbe(
      DriverSession session,
      Optional<RequestedLabel> requested,
      List<Path> searchPath,
      FileStamps stamps,
      ProbeResults results,
      FileDigests digests,
      InstantSource clock) {
    this.session = session;
    this.facts = session.facts();
    this.requested = requested;
    this.searchPath = searchPath;
    this.stamps = stamps;
    this.results = results;
    this.digests = digests;
    this.clock = clock;
    this.questions = session.questions();
    this.processors =
        new ProcessorProbe(
            session, results, clock, target -> described(target, OPTIONS).description());
  }

  /**
   * Returns the version.
   *
   * @throws IllegalArgumentException if the variable for the version names another one
   */
  public CompilerVersion version() {
    FileStamps.Round round = stamps.round();
    Version known = version;
    if (known == null || known.round() != round) {
      known = new Version(rememberedVersion(), round);
      version = known;
    }
    check(known.version());
    return known.version();
  }

  private CompilerVersion rememberedVersion() {
    Digest question = questions.of("version", List.of());
    Optional<ProbeResult> known = results.ifKnown(question);
    Optional<CompilerVersion> said =
        known.isEmpty() ? Optional.empty() : CompilerVersion.ofLines(known.get().lines());
    return said.isPresent() ? said.get() : askVersion(question);
  }

  private CompilerVersion askVersion(Digest question) {
    ProbeResult result =
        results.get(
            question,
            given -> CompilerVersion.ofLines(given.lines()).isPresent(),
            () -> {
              Instant asked = clock.instant();
              CompilerVersion version = session.dialect().version(session.query());
              // Checked before it is stored: a wrong request leaves nothing behind.
              check(version);
              return ProbeResult.dependingOn(files(), version.toLines(), asked);
            });
    return CompilerVersion.ofLines(result.lines()).orElseThrow();
  }

  private void check(CompilerVersion version) {
    if (requested.isEmpty() || version.label().equals(requested.get().label())) {
      return;
    }
    throw new IllegalArgumentException(
        "%s=%s contradicts %s, which is %s %s; unset the variable or set %s of that version"
            .formatted(
                requested.get().variable(),
                requested.get().value(),
                facts.program(),
                version.product(),
                version.version(),
                facts.platform() == Platform.AMD
                    ? "KCACHE_COMPILER to the compiler"
                    : "KCACHE_NVCC to the nvcc"));
  }

  private Set<Path> files() {
    return session.dialect().files(session.query());
  }

  /** As {@link dev.kcache.toolchain.Toolchain#isKnownToLack}. */
  public boolean isKnownToLack(Processor processor) {
    return processors.isKnownToLack(processor);
  }

  /** As {@link dev.kcache.toolchain.Toolchain#compilesFor}. */
  public boolean compilesFor(Processor processor) {
    return processors.has(processor);
  }

  /** As {@link dev.kcache.toolchain.Toolchain#processors}. */
  public Set<Processor> processors() {
    return processors.all();
  }

  /**
   * Returns the digest of everything that decides a result for a target and options.
   *
   * @throws IllegalArgumentException as {@link #version}
   */
  public Digest identity(TargetId target, List<String> options) {
    List<String> words = words(target, CompilerDescription.decisive(options));
    FileStamps.Round round = stamps.round();
    Identity known = identities.get(words);
    if (known != null && known.round() == round) {
      return known.digest();
    }
    version();
    Digest identity = rememberedIdentity(words, target, options);
    identities.put(words, new Identity(identity, round));
    return identity;
  }

  /** The stamps of its files are compared: as long as they hold, so do the digests. */
  private Digest rememberedIdentity(List<String> words, TargetId target, List<String> options) {
    Digest question = identityQuestion(words);
    Optional<ProbeResult> known = results.ifKnown(question);
    return known.isPresent() && CompilerDescription.isIdentity(known.get())
        ? CompilerDescription.identity(known.get())
        : askIdentity(question, target, options);
  }

  private Digest askIdentity(Digest question, TargetId target, List<String> options) {
    ProbeResult result =
        results.get(
            question,
            CompilerDescription::isIdentity,
            () -> {
              Instant asked = clock.instant();
              CompilerDescription description = described(target, options).description();
              digests.readAhead(description.files());
              Digest identity = description.identity(digests::digest, session.dialect().headers());
              digests.save();
              Set<Path> watched = description.watched();
              watched.addAll(files());
              return ProbeResult.dependingOn(watched, List.of(List.of(identity.toString())), asked);
            });
    return CompilerDescription.identity(result);
  }

  /** Returns the files that are part of the identity, with their digests; omits missing files. */
  public List<File> identityFiles(TargetId target, List<String> options) {
    List<File> files = new ArrayList<>();
    for (String file : described(target, options).description().files()) {
      digests.digest(Path.of(file)).ifPresent(digest -> files.add(new File(file, digest)));
    }
    return files;
  }

  /**
   * Returns the programs by which the driver compiles for a target.
   *
   * @throws ToolchainNotFoundException if it tells of no clang with an lld
   */
  ClangPrograms programs(TargetId target, List<String> options) {
    return ClangPrograms.in(described(target, options).description().commands())
        .orElseThrow(
            () -> session.query().unusable("it names no clang with an lld that it would run"));
  }

  private Described described(TargetId target, List<String> options) {
    List<String> decisive = CompilerDescription.decisive(options);
    Digest question = commandsQuestion(target, decisive);
    FileStamps.Round round = stamps.round();
    ProbeResult result =
        results.get(question, CompilerDescription::isAnswer, () -> ask(target, decisive));
    Described known = descriptions.get(question);
    if (known == null || known.round() != round || !known.lines().equals(result.lines())) {
      CompilerDescription description = CompilerDescription.ofLines(result.lines());
      Set<Path> directories =
          withRealPaths(CommandLines.includeDirectories(description.commands().commands()));
      known = new Described(result.lines(), round, description, directories);
      descriptions.put(question, known);
    }
    return known;
  }

  private ProbeResult ask(TargetId target, List<String> options) {
    Instant asked = clock.instant();
    PlannedCommands commands = session.dialect().plan(session.query(), target, options);
    Set<Path> files = new LinkedHashSet<>(CommandLines.files(commands, CompilerFiles.LOCAL));
    session.dialect().identityFiles(session.query()).stream()
        .filter(Files::isRegularFile)
        .forEach(files::add);
    for (Path program : CommandLines.programs(commands.commands(), CompilerFiles.LOCAL)) {
      files.addAll(session.query().libraries(program, searchPath));
    }
    List<String> names = files.stream().map(Path::toString).sorted().distinct().toList();
    return result(new CompilerDescription(commands, names), asked);
  }

  private ProbeResult result(CompilerDescription description, Instant asked) {
    Set<Path> watched = description.watched();
    watched.addAll(files());
    return ProbeResult.dependingOn(watched, description.toLines(), asked);
  }

  /** Returns the driver's commands for exactly these options, macros and warnings included. */
  CompilerDescription exactDescription(TargetId target, List<String> options) {
    if (isDecisive(options)) {
      return described(target, options).description();
    }
    ProbeResult result =
        results.get(
            questions.of("exact commands", words(target, options)),
            CompilerDescription::isAnswer,
            () -> {
              Instant asked = clock.instant();
              PlannedCommands commands = session.dialect().plan(session.query(), target, options);
              List<String> files = described(target, options).description().files();
              return result(new CompilerDescription(commands, files), asked);
            });
    return CompilerDescription.ofLines(result.lines());
  }

  /** Returns whether {@link #exactDescription} runs no program, but only examines files. */
  boolean isDescribed(TargetId target, List<String> options) {
    return isDecisive(options) && results.ifKnown(commandsQuestion(target, options)).isPresent();
  }

  /**
   * Returns a test whether a file lies in one of the compiler's include directories. It asks the
   * compiler again about a header outside them, which may belong to a newer library.
   */
  Predicate<Path> ownHeaders(TargetId target, List<String> options) {
    Optional<Set<Path>> given = session.dialect().includeDirectories();
    if (given.isPresent()) {
      Set<Path> all = withRealPaths(given.get());
      return file -> isBelow(all, file);
    }
    Set<Path> directories = new HashSet<>(described(target, options).includeDirectories());
    return file -> {
      if (!isBelow(directories, file)) {
        results.forget(commandsQuestion(target, CompilerDescription.decisive(options)));
        results.forget(identityQuestion(words(target, CompilerDescription.decisive(options))));
        directories.addAll(described(target, options).includeDirectories());
      }
      return isBelow(directories, file);
    };
  }

  private static boolean isBelow(Set<Path> directories, Path file) {
    for (Path directory : directories) {
      if (file.startsWith(directory)) {
        return true;
      }
    }
    return false;
  }

  /** Adds the real path of each directory: gcc lists headers by their real paths. */
  private static Set<Path> withRealPaths(Set<Path> directories) {
    Set<Path> all = new HashSet<>(directories);
    directories.forEach(directory -> all.add(ToolchainPaths.real(directory)));
    return all;
  }

  private Digest commandsQuestion(TargetId target, List<String> decisive) {
    return questions.of("commands", words(target, decisive));
  }

  /**
   * The headers that the compiler is given are ours, so another version of this library asks again.
   */
  private Digest identityQuestion(List<String> words) {
    List<String> all = new ArrayList<>(words);
    if (facts.has(Trait.LACKS_HEADERS)) {
      for (SourceFile header : session.dialect().headers()) {
        all.add(header.path());
        all.add(Digest.of(header.content()).toString());
      }
    }
    return questions.of(CompilerDescription.SCHEMA, all);
  }

  private static List<String> words(TargetId target, List<String> options) {
    List<String> words = new ArrayList<>();
    words.add(target.toString());
    words.addAll(options);
    return words;
  }

  private static boolean isDecisive(List<String> options) {
    return CompilerDescription.decisive(options).size() == options.size();
  }
}
