// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ReproducibleOptions;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.SharedLibraries;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.time.Instant;
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
import org.jspecify.annotations.Nullable;

/**
 * A compiler that is a library, which a process of its own loads for each run. It reads nothing of
 * the machine's but its libraries.
 *
 * <p>Safe for use by any number of threads.
 */
final class LibraryCompiler extends CompilerDriver {
  /** Bumped whenever the program compiles in another way. */
  private static final String SCHEMA = "kcache.library/1";

  /** A shell's exit code for a program that a signal ended is this and the signal. */
  private static final int SIGNALLED = 128;

  /** The program's, where it can't work; its own words say what to do. */
  private static final int NO_PROGRAM = 3;

  private static final String ERROR = "error: ";

  private static final Map<Integer, String> SIGNALS =
      Map.of(4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 11, "SIGSEGV");

  /** What a Java runtime prints when it finds a signal that it can't survive. */
  private static final Pattern FATAL =
      Pattern.compile("^#  (SIG[A-Z]{2,8}) \\(", Pattern.MULTILINE);

  /** What a process says itself before it aborts, as C, C++ and LLVM word it. */
  private static final Pattern LAST_WORDS =
      Pattern.compile(
          "^(?:LLVM ERROR: |terminate called |  what\\(\\): |[a-z_]+\\(\\): |.*: Assertion `).*",
          Pattern.MULTILINE);

  private record Described(LibraryDescription description, ProbeResult stamps) {}

  private final CompilerLibrary library;
  private @Nullable Described described;

  LibraryCompiler(CompilerLibrary library, Workshop workshop) {
    super(library.file(), library.environment(), workshop);
    this.library = library;
  }

  @Override
  Optional<String> notice() {
    return Optional.of(
        library.name()
            + " of "
            + program()
            + " compiles, with the headers of HIP that it has built in and a part of the C++"
            + " library's; install hipcc for all of them");
  }

  @Override
  Platform platform() {
    return Platform.AMD;
  }

  @Override
  Set<Path> wrappers() {
    return Set.of(program());
  }

  @Override
  CompilerVersion version() {
    return LibraryVersion.parse(library.name(), describe().version()).orElseThrow();
  }

  @Override
  Optional<CompilerVersion> version(ProbeResult answer) {
    return LibraryVersion.ofLines(library.name(), answer.lines());
  }

  @Override
  Set<Processor> processors() {
    LibraryDescription description = describe();
    Set<Processor> processors = EnumSet.copyOf(description.processors());
    processors.addAll(tryOut(description.candidates()));
    return processors;
  }

  private boolean compilesFor(Processor processor, LibraryDescription description) {
    return description.processors().contains(processor)
        || (description.candidates().contains(processor) && !tryOut(Set.of(processor)).isEmpty());
  }

  /** The libraries stand for all that a driver would run. */
  @Override
  PlannedCommands driverCommands(TargetId target, List<String> options) {
    LibraryDescription description = describe();
    if (!compilesFor(target.processor(), description)) {
      throw new CompilationException(
          library.name(),
          "%s of HIP %s does not compile for %s; use a newer one, or hipcc"
              .formatted(library.name(), description.version(), target.processor()),
          List.of(),
          -1,
          "");
    }
    List<String> words = new ArrayList<>(List.of(library.name(), SCHEMA, description.version()));
    words.addAll(description.identifiers());
    words.addAll(options(target, options, ""));
    List<String> libraries = new ArrayList<>(List.of("libraries"));
    libraries.addAll(description.libraries());
    return new PlannedCommands(List.of(words, libraries), List.of());
  }

  @Override
  List<String> command(Toolchain.Job job) {
    List<String> words = new ArrayList<>(library.program());
    words.addAll(List.of("compile", program().toString(), "../" + Staging.CODE_OBJECT));
    words.addAll(List.of("../" + Staging.DEPENDENCIES, "../" + HEADERS, job.mainFile()));
    words.addAll(job.includeDirectories());
    words.add("--");
    words.addAll(options(job.target(), job.options(), ReproducibleOptions.cuid(job)));
    return words;
  }

  private static List<String> options(TargetId target, List<String> options, String cuid) {
    List<String> words = new ArrayList<>();
    words.add("--offload-arch=" + target);
    words.addAll(ClangOptions.of(options));
    Stream.of(cuid, "-ffile-compilation-dir=.", ReproducibleOptions.DATE_TIME, "-nostdinc")
        .filter(word -> !word.isEmpty())
        .forEach(words::add);
    return words;
  }

  @Override
  List<Toolchain.SourceFile> headers() {
    return library.headers();
  }

  /** What the program itself prints to standard output is no word of the compiler's. */
  @Override
  String said(ProgramResult outcome) {
    return outcome.errors();
  }

  @Override
  Optional<String> problem(ProgramResult outcome, String log) {
    return noProgram(outcome)
        .or(() -> crash(outcome))
        .or(() -> CompilerLog.missingHeader(log, library.name(), "hipcc"))
        .or(() -> HostCode.problem(log, library.name(), "hipcc"));
  }

  private static Optional<String> noProgram(ProgramResult outcome) {
    return outcome.exitCode() == NO_PROGRAM
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
                .formatted(library.name(), name, lastWords(outcome)));
  }

  private static String lastWords(ProgramResult outcome) {
    Matcher words = LAST_WORDS.matcher(outcome.errors());
    return words.find() ? ": " + words.group().strip() : "";
  }

  @Override
  String repair() {
    return library.repair();
  }

  /** It is asked once for all targets and options, as long as its libraries are what they were. */
  private synchronized LibraryDescription describe() {
    Described known = described;
    if (known == null || !known.stamps().holds()) {
      Instant asked = Instant.now();
      LibraryDescription description = ask();
      Set<Path> watched = new LinkedHashSet<>(wrappers());
      description.libraries().forEach(file -> watched.add(Path.of(file)));
      watched.add(SharedLibraries.CACHE);
      known = new Described(description, ProbeResult.dependingOn(watched, List.of(), asked));
      described = known;
    }
    return known.description();
  }

  private LibraryDescription ask() {
    ProgramResult outcome = ask("describe", List.of());
    LibraryDescription description = LibraryDescription.parse(outcome.output());
    if (LibraryVersion.parse(library.name(), description.version()).isEmpty()
        || description.libraries().isEmpty()
        || description.processors().isEmpty()) {
      throw unusable(
          outcome, "it does not tell its version, its libraries and for what it compiles");
    }
    return description;
  }

  /** Which takes a compile each: nobody waits for it who doesn't name one of them, or wants all. */
  private Set<Processor> tryOut(Set<Processor> candidates) {
    if (candidates.isEmpty()) {
      return Set.of();
    }
    List<String> names = candidates.stream().map(Processor::toString).toList();
    return LibraryDescription.processors(ask("try", names).output(), "processor");
  }

  private ProgramResult ask(String verb, List<String> words) {
    List<String> command = new ArrayList<>(library.program());
    command.addAll(List.of(verb, program().toString()));
    command.addAll(words);
    try (Staging staging = stage()) {
      ProgramResult outcome = query(staging, command);
      if (!outcome.succeeded()) {
        throw noProgram(outcome)
            .map(reason -> new ToolchainNotFoundException(program() + ": " + reason))
            .or(() -> crash(outcome).map(this::unusable))
            .orElseGet(() -> unusable(outcome, "it can't be asked what it is"));
      }
      return outcome;
    }
  }
}
