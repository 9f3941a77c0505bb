// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.pch.DirectCommands;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.SharedLibraries;
import dev.kcache.toolchain.process.ProgramRunner;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A program that drives a compiler and its linker, and the environment that it always runs in. That
 * environment is reduced to what decides which compiler it finds; flags that the user's variables
 * would add never reach it.
 *
 * <p>Safe for use by any number of threads.
 */
@SuppressWarnings("exports") // what the steps of a compile share
public abstract sealed class CompilerDriver
    permits HipccDialect, NvccDialect, Clang, LibraryCompiler {
  /** The directory of {@link #headers}, beside the work directory. */
  static final String HEADERS = "include";

  /** The most that a driver may take to answer a question. */
  private static final Duration LONGEST_QUERY = Duration.ofSeconds(60);

  /** What to do about a program that was ended at the limit: of the command, of the builder. */
  static final String MORE_TIME = "allow it more time with --timeout or compileTimeout";

  private final Path program;
  private final Map<String, String> environment;
  private final Workshop workshop;

  /**
   * Creates a driver.
   *
   * @param program absolute
   * @param environment without TMPDIR, which differs from run to run
   */
  CompilerDriver(Path program, Map<String, String> environment, Workshop workshop) {
    this.program = program;
    this.environment = Map.copyOf(environment);
    this.workshop = workshop;
  }

  /**
   * Where a driver works.
   *
   * @param runner runs its programs
   * @param stagingParent where staging directories are made
   * @param timeout how long a compile may take
   */
  record Workshop(ProgramRunner runner, Supplier<Path> stagingParent, Duration timeout) {
    /** Returns how long a driver may take to answer a question. */
    Duration queryTime() {
      return timeout.compareTo(LONGEST_QUERY) < 0 ? timeout : LONGEST_QUERY;
    }
  }

  final Path program() {
    return program;
  }

  /** Returns the environment without TMPDIR. */
  final Map<String, String> environment() {
    return environment;
  }

  /** Returns the platform whose code objects it makes. */
  abstract Platform platform();

  /** Returns the driver's own files, whether they are there or not: scripts, settings, version. */
  abstract Set<Path> wrappers();

  /**
   * Asks for the version.
   *
   * @throws ToolchainNotFoundException if it can't be run or says something else
   */
  abstract CompilerVersion version();

  /** Returns the version that an answer holds, unless it has another form. */
  abstract Optional<CompilerVersion> version(ProbeResult answer);

  /**
   * Asks which commands it would run for a target and options; compiles nothing.
   *
   * @throws CompilationException if it refuses them
   */
  abstract PlannedCommands driverCommands(TargetId target, List<String> options);

  /**
   * Asks which processors it compiles for.
   *
   * @return at least one
   * @throws ToolchainNotFoundException if it can't be run or does not tell
   */
  abstract Set<Processor> processors();

  /**
   * Returns the command that compiles a job in its staging directory.
   *
   * @throws CompilationException if an option of the job has no meaning for this compiler
   */
  abstract List<String> command(Toolchain.Job job);

  /**
   * Returns the directories in which the compiler looks for its own headers, if that is known
   * without asking; otherwise its commands tell.
   */
  Optional<Set<Path>> ownIncludeDirectories() {
    return Optional.empty();
  }

  /** Returns whether it is known to do no more than it says. */
  public boolean doesWhatItSays() {
    return false;
  }

  /**
   * Returns how to do without this driver what it said that it would run; empty if that can't be
   * told, and the driver has to be run.
   */
  public Optional<DirectCommands> direct(PlannedCommands asked) {
    return Optional.empty();
  }

  /** Returns whether the compiler puts a large header of its own before each source. */
  public boolean hasLargePrefix() {
    return true;
  }

  /** Returns the headers that the compiler lacks, by their paths in {@link #HEADERS}. */
  abstract List<Toolchain.SourceFile> headers();

  /** Returns whether a header of the system is one for this compiler. */
  boolean mayRead(Path header) {
    return true;
  }

  /** Returns what the compiler said in a run. */
  String said(ProgramResult outcome) {
    return outcome.log();
  }

  /**
   * Returns the problem of a run that failed, if this knows better than the first error of a log.
   *
   * @param log with the user's names for the files
   */
  Optional<String> problem(ProgramResult outcome, String log) {
    return Optional.empty();
  }

  /** Returns whether a run failed for a reason that a shortcut has no part in. */
  boolean failsAnyhow(ProgramResult outcome) {
    return false;
  }

  /**
   * Returns what users are told once when it compiles in hipcc's place; nothing of hipcc itself.
   */
  Optional<String> notice() {
    return Optional.empty();
  }

  /** Returns what to do about a compiler that is of no use, as the end of a sentence. */
  abstract String repair();

  /**
   * Checks that it can work in a staging directory.
   *
   * @throws ToolchainNotFoundException if it can't
   */
  void check(Staging staging) {}

  /** Compiles by a command of this driver in {@code staging}. */
  public final ProgramResult run(List<String> command, Staging staging, Duration timeout)
      throws InterruptedException {
    return runAll(List.of(command), staging, timeout);
  }

  /** Compiles by commands in {@code staging}, one after the other until one fails. */
  final ProgramResult runAll(List<List<String>> commands, Staging staging, Duration timeout)
      throws InterruptedException {
    return runAll(commands, staging, RunLimits.ofCompile(timeout));
  }

  private ProgramResult runAll(List<List<String>> commands, Staging staging, RunLimits limits)
      throws InterruptedException {
    check(staging);
    Map<String, String> complete = new TreeMap<>(environment);
    complete.put("TMPDIR", staging.temporary().toString());
    return workshop.runner().runAll(commands, staging, complete, limits);
  }

  /**
   * Runs a command that answers a question in words and names of files.
   *
   * @throws ToolchainNotFoundException if it can't be run, or was ended at a limit
   */
  final ProgramResult query(Staging staging, List<String> command) {
    return query(staging, command, queryTime());
  }

  /** Returns how long an answer may take. */
  final Duration queryTime() {
    return workshop.queryTime();
  }

  /** As {@link #query(Staging, List)}, with less time. */
  final ProgramResult query(Staging staging, List<String> command, Duration timeout) {
    try {
      ProgramResult outcome = runAll(List.of(command), staging, RunLimits.ofProbe(timeout));
      if (outcome.excess().isPresent()) {
        throw new ToolchainNotFoundException(
            command.get(0)
                + ": it "
                + outcome.excess().get()
                + "; "
                + outcome.firstWords()
                + "; "
                + advice(outcome));
      }
      if (outcome.log().indexOf('\0') >= 0) {
        throw unusable("asked what it is or would run, it prints a NUL, which no text has");
      }
      return outcome;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ToolchainNotFoundException(program + ": interrupted while it was asked");
    }
  }

  private String advice(ProgramResult outcome) {
    boolean mayHaveMore =
        outcome.end() == ProgramResult.End.TIMED_OUT && queryTime().compareTo(LONGEST_QUERY) < 0;
    return (mayHaveMore ? MORE_TIME + ", or " : "") + repair();
  }

  /** Returns the shared libraries that a program is loaded with; none if that can't be told. */
  Set<Path> libraries(Path binary, List<Path> searchPath) {
    Optional<List<String>> ldd = SharedLibraries.command(binary, searchPath);
    if (ldd.isEmpty()) {
      return Set.of();
    }
    try (Staging staging = stage()) {
      return SharedLibraries.in(query(staging, ldd.get()).output());
    }
  }

  /** Returns what its commands depend on beside the environment, the target and the options. */
  List<String> ownWords() {
    return List.of();
  }

  /** Returns what a question to this driver is remembered by. */
  public final Digest question(String kind, List<String> words) {
    Digest.Builder question = Digest.builder().text(kind).text(program.toString());
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      question.text(variable.getKey()).text(variable.getValue());
    }
    for (String word : ownWords()) {
      question.text(word);
    }
    for (String word : words) {
      question.text(word);
    }
    return question.build();
  }

  /** Returns a new staging directory. */
  public final Staging stage() {
    return Staging.create(workshop.stagingParent());
  }

  /** Writes the file that a question is about, and returns its name. */
  static String put(Staging staging, String text) {
    try {
      staging.put(new Toolchain.SourceFile(PlannedCommands.FILE, UTF_8.encode(text)));
      return PlannedCommands.FILE;
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          "no program can be run: its files could not be written ("
              + e
              + "); make room in the temporary directory");
    }
  }

  /** Returns the failure of a driver that ran and did not answer, with what it said instead. */
  final ToolchainNotFoundException unusable(ProgramResult outcome, String problem) {
    return unusable(problem + outcome.complaint().map(line -> ": " + line).orElse(""));
  }

  /** Returns the failure of a driver that is of no use. */
  final ToolchainNotFoundException unusable(String problem) {
    return new ToolchainNotFoundException(program + ": " + problem + "; " + repair());
  }

  /** Returns what to say of a program that failed without an error of its own. */
  static String wordless(String program, ProgramResult outcome) {
    return program
        + " failed with exit code "
        + outcome.exitCode()
        + outcome
            .complaint()
            .map(line -> ": " + line)
            .orElse(" and said nothing; is there room in the temporary directory?");
  }

  /** Returns the failure of a driver that does not say what it would run. */
  final CompilationException refusal(List<String> command, ProgramResult outcome) {
    String name = program.getFileName().toString();
    String problem =
        outcome.succeeded()
            ? "it names no command that it would run; is it really a compiler?"
            : Diagnostic.firstError(outcome.log())
                .map(error -> error + " (one of another version may know it)")
                .orElseGet(() -> wordless("it", outcome));
    return new CompilationException(name, problem, command, outcome.exitCode(), "");
  }
}
