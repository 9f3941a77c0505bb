// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.HostCode;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ReproducibleOptions;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.ClangBasedDialect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The dialect of hiprtc, a library that {@link HiprtcWorker} loads for each run. It reads no files
 * of the machine except its libraries.
 */
final class HiprtcDialect implements Dialect {
  /** Changes whenever the worker compiles in another way. */
  private static final String SCHEMA = "kcache.library/1";

  /** A shell's exit code for a program that was ended by a signal is this plus the signal. */
  private static final int SIGNALLED = 128;

  private static final String ERROR = "error: ";

  private static final Map<Integer, String> SIGNALS =
      Map.of(4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 11, "SIGSEGV");

  /** The line that a Java runtime prints at a fatal signal. */
  private static final Pattern FATAL =
      Pattern.compile("^#  (SIG[A-Z]{2,8}) \\(", Pattern.MULTILINE);

  /** The last line of a process that aborts, as C, C++ and LLVM print it. */
  private static final Pattern LAST_WORDS =
      Pattern.compile(
          "^(?:LLVM ERROR: |terminate called |  what\\(\\): |[a-z_]+\\(\\): |.*: Assertion `).*",
          Pattern.MULTILINE);

  private final HiprtcLibrary library;

  HiprtcDialect(HiprtcLibrary library) {
    this.library = library;
  }

  /** Returns the facts that are known without running it. */
  static DialectFacts facts(HiprtcLibrary library) {
    return new DialectFacts(
        library.file(),
        library.environment(),
        Platform.AMD,
        List.of(),
        "repair ROCm's HIP runtime, or set ROCM_PATH to another",
        Optional.of(
            HiprtcLibrary.NAME
                + " of "
                + library.file()
                + " compiles, with the headers of HIP that it has built in and a part of the C++"
                + " library's; install hipcc for all of them"),
        Set.of(Trait.LACKS_HEADERS, Trait.LOGS_TO_STANDARD_ERROR));
  }

  @Override
  public Set<Path> files(CompilerQuery query) {
    return Set.of(library.file());
  }

  @Override
  public CompilerVersion version(CompilerQuery query) {
    return describe(query).version().orElseThrow();
  }

  @Override
  public Set<Processor> processors(CompilerQuery query) {
    LibraryDescription description = describe(query);
    Set<Processor> processors = EnumSet.copyOf(description.processors());
    processors.addAll(tryOut(query, description.candidates()));
    return processors;
  }

  @Override
  public boolean compilesFor(CompilerQuery query, Processor processor) {
    return compilesFor(query, processor, describe(query));
  }

  private boolean compilesFor(
      CompilerQuery query, Processor processor, LibraryDescription description) {
    return description.processors().contains(processor)
        || (description.candidates().contains(processor)
            && !tryOut(query, Set.of(processor)).isEmpty());
  }

  /** The libraries take the place of a driver's commands. */
  @Override
  public PlannedCommands plan(CompilerQuery query, TargetId target, List<String> options) {
    LibraryDescription description = describe(query);
    String version = description.version().orElseThrow().version();
    if (!compilesFor(query, target.processor(), description)) {
      throw new CompilationException(
          HiprtcLibrary.NAME,
          "%s of HIP %s does not compile for %s; use a newer one, or hipcc"
              .formatted(HiprtcLibrary.NAME, version, target.processor()),
          List.of(),
          -1,
          "");
    }
    List<String> words = new ArrayList<>(List.of(HiprtcLibrary.NAME, SCHEMA, version));
    words.addAll(description.identifiers());
    words.addAll(options(target, options, ""));
    List<String> libraries = new ArrayList<>(List.of("libraries"));
    libraries.addAll(description.libraries());
    return new PlannedCommands(List.of(words, libraries), List.of());
  }

  @Override
  public List<String> command(Toolchain.Job job) {
    List<String> words = new ArrayList<>(library.program());
    words.addAll(List.of("compile", library.file().toString(), OutputNames.CODE_OBJECT));
    words.addAll(List.of(OutputNames.DEPENDENCIES, OutputNames.HEADERS, job.source().mainFile()));
    words.addAll(job.source().includeDirectories());
    words.add("--");
    words.addAll(options(job.target(), job.options(), ReproducibleOptions.cuid(job)));
    return words;
  }

  private static List<String> options(TargetId target, List<String> options, String cuid) {
    List<String> words = new ArrayList<>();
    words.add("--offload-arch=" + target);
    words.addAll(ClangBasedDialect.ofKernel(options));
    Stream.of(
            cuid,
            ReproducibleOptions.COMPILATION_DIRECTORY,
            ReproducibleOptions.DATE_TIME,
            "-nostdinc")
        .filter(word -> !word.isEmpty())
        .forEach(words::add);
    return words;
  }

  @Override
  public List<Toolchain.SourceFile> headers() {
    return HiprtcHeaders.all();
  }

  @Override
  public Optional<String> problem(ProgramResult outcome, String log) {
    return noProgram(outcome)
        .or(() -> crash(outcome))
        .or(() -> HostCode.problem(log, HiprtcLibrary.NAME, "hipcc"));
  }

  private static Optional<String> noProgram(ProgramResult outcome) {
    return outcome.exitCode() == HiprtcWorker.NO_PROGRAM
        ? outcome
            .errors()
            .lines()
            .filter(line -> line.startsWith(ERROR))
            .map(line -> line.substring(ERROR.length()))
            .findFirst()
        : Optional.empty();
  }

  private Optional<String> crash(ProgramResult outcome) {
    Matcher fatal = FATAL.matcher(outcome.output());
    Optional<String> signal =
        fatal.find()
            ? Optional.of(fatal.group(1))
            : Optional.ofNullable(SIGNALS.get(outcome.exitCode() - SIGNALLED));
    return signal.map(
        name ->
            "%s crashed (%s%s) in a process of its own; compile with hipcc, or change what it can't bear"
                .formatted(HiprtcLibrary.NAME, name, lastWords(outcome)));
  }

  private static String lastWords(ProgramResult outcome) {
    Matcher words = LAST_WORDS.matcher(outcome.errors());
    return words.find() ? ": " + words.group().strip() : "";
  }

  private LibraryDescription describe(CompilerQuery query) {
    return new LibraryDescription(
        query.remembered(
            "description",
            lines -> new LibraryDescription(lines).isComplete(),
            () -> {
              LibraryDescription description = ask(query);
              Set<Path> watched = new LinkedHashSet<>(files(query));
              description.libraries().forEach(file -> watched.add(Path.of(file)));
              return new CompilerQuery.Answer(description.lines(), watched);
            }));
  }

  private LibraryDescription ask(CompilerQuery query) {
    ProgramResult outcome = ask(query, "describe", List.of());
    LibraryDescription description = LibraryDescription.parse(outcome.output());
    if (!description.isComplete()) {
      throw query.unusable(
          outcome, "it does not tell its version, its libraries and for what it compiles");
    }
    return description;
  }

  /** Compiles once for each candidate, so it is called only when a candidate matters. */
  private Set<Processor> tryOut(CompilerQuery query, Set<Processor> candidates) {
    if (candidates.isEmpty()) {
      return Set.of();
    }
    List<String> names = candidates.stream().map(Processor::toString).toList();
    return LibraryDescription.parse(ask(query, "try", names).output()).processors();
  }

  private ProgramResult ask(CompilerQuery query, String verb, List<String> words) {
    List<String> command = new ArrayList<>(library.program());
    command.addAll(List.of(verb, library.file().toString()));
    command.addAll(words);
    ProgramResult result = query.ask(command);
    if (!result.succeeded()) {
      throw noProgram(result)
          .map(reason -> new ToolchainNotFoundException(library.file() + ": " + reason))
          .or(() -> crash(result).map(query::unusable))
          .orElseGet(() -> query.unusable(result, "it can't be asked what it is"));
    }
    return result;
  }
}
