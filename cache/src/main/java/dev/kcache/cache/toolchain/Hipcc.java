// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CompilationException;
import dev.kcache.cache.Toolchain;
import dev.kcache.cache.ToolchainNotFoundException;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One hipcc and the environment that it always runs in. That environment is reduced to what decides
 * which compiler hipcc finds; flags that the user's variables would add never reach it.
 *
 * <p>Safe for use by any number of threads.
 */
final class Hipcc {
  /** The code object, as the program in the work directory names it. */
  static final String CODE_OBJECT = "out.co";

  /** The list of the files that a compile read. */
  static final String DEPENDENCIES = "out.d";

  /** How long hipcc may take to answer a question. */
  static final Duration QUERY_TIMEOUT = Duration.ofSeconds(60);

  private static final String QUERY_FILE = "query.hip";
  private static final String QUERY_CUID = "0";
  private static final List<String> WRAPPERS =
      List.of(
          "hipcc",
          "hipcc.pl",
          "hipcc.bin",
          "hipvars.pm",
          "hipconfig",
          "hipconfig.pl",
          "hipconfig.bin",
          ".hipVersion",
          "../share/hip/version");

  private final Path program;
  private final ProcessRunner runner;
  private final Supplier<Path> stagingParent;
  private final Map<String, String> environment;

  Hipcc(Path program, Variables variables, ProcessRunner runner, Supplier<Path> stagingParent) {
    this.program = program;
    this.runner = runner;
    this.stagingParent = stagingParent;
    this.environment = environment(variables);
  }

  Path program() {
    return program;
  }

  /** Returns the environment without TMPDIR, which differs from run to run. */
  Map<String, String> environment() {
    return environment;
  }

  /** Returns hipcc's own files, whether they are there or not: its scripts and its version. */
  Set<Path> wrappers() {
    Set<Path> directories = new LinkedHashSet<>();
    directories.add(program.getParent());
    directories.add(ToolchainPaths.real(program).getParent());
    for (String variable : List.of("HIP_PATH", "ROCM_PATH")) {
      if (environment.containsKey(variable)) {
        directories.add(Path.of(environment.get(variable), "bin"));
      }
    }
    Set<Path> files = new LinkedHashSet<>();
    files.add(program);
    for (Path directory : directories) {
      WRAPPERS.forEach(name -> files.add(directory.resolve(name).normalize()));
    }
    return files;
  }

  /**
   * Asks hipcc for its version.
   *
   * @throws ToolchainNotFoundException if it can't be run or says something else
   */
  HipVersion version() {
    try (Staging staging = Staging.create(stagingParent)) {
      ProgramOutcome outcome = query(staging, List.of(program.toString(), "--version"));
      if (!outcome.succeeded()) {
        throw unusable(outcome, "'--version' failed");
      }
      return HipVersion.parse(outcome).orElseThrow(() -> unusable(outcome, noVersion(outcome)));
    }
  }

  /** It was told to describe AMD's compiler, so that a wrapper around it must have overruled us. */
  private static String noVersion(ProgramOutcome outcome) {
    return HipVersion.drivesNvcc(outcome)
        ? "it drives nvcc although HIP_PLATFORM=amd is set for it"
        : "'--version' printed no HIP version of 4.0 or later";
  }

  /**
   * Asks which commands hipcc would run for a target and options; compiles nothing.
   *
   * @throws CompilationException if it refuses them
   */
  DriverCommands driverCommands(TargetId target, List<String> options) {
    try (Staging staging = Staging.create(stagingParent)) {
      put(staging, "");
      List<String> command = command(target, options, QUERY_CUID, List.of(), QUERY_FILE);
      command.add(2, "-###");
      ProgramOutcome outcome = query(staging, command);
      DriverCommands commands = DriverCommands.parse(outcome.log(), staging.temporary());
      if (!outcome.succeeded() || commands.commands().isEmpty()) {
        throw new CompilationException("hipcc", refusal(outcome), command, outcome.exitCode(), "");
      }
      return commands;
    }
  }

  /**
   * Runs hipcc for its answer only, on a file with the given text; what it makes is thrown away.
   *
   * @param options its arguments, but for the file
   * @param text the content of the file
   * @throws ToolchainNotFoundException if it can't be run
   */
  ProgramOutcome probe(List<String> options, String text, Duration timeout) {
    try (Staging staging = Staging.create(stagingParent)) {
      put(staging, text);
      List<String> command = new ArrayList<>();
      command.add(program.toString());
      command.addAll(options);
      command.addAll(List.of("-x", "hip", QUERY_FILE));
      return query(staging, command, timeout);
    }
  }

  private static void put(Staging staging, String text) {
    try {
      staging.put(new Toolchain.SourceFile(QUERY_FILE, UTF_8.encode(text)));
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          "no program can be run: its files could not be written ("
              + e
              + "); make room in the temporary directory");
    }
  }

  private static String refusal(ProgramOutcome outcome) {
    if (outcome.succeeded()) {
      return "it names no command that it would run; is it really a hipcc?";
    }
    return CompilerLog.firstError(outcome.log())
        .map(error -> error + " (a hipcc of another version may know it)")
        .orElse("it failed with " + outcome.exitCode() + ": " + outcome.log().strip());
  }

  /** Returns the shared libraries that a program is loaded with; none if that can't be told. */
  Set<Path> libraries(Path binary, List<Path> searchPath) {
    Optional<List<String>> ldd = SharedLibraries.command(binary, searchPath);
    if (ldd.isEmpty()) {
      return Set.of();
    }
    try (Staging staging = Staging.create(stagingParent)) {
      return SharedLibraries.in(query(staging, ldd.get()).output());
    }
  }

  /** Returns the command that compiles a job in its staging directory. */
  List<String> command(Toolchain.Job job) {
    return command(
        job.target(),
        job.options().arguments(),
        job.request().toString().substring(0, 16),
        job.includeDirectories(),
        job.mainFile());
  }

  /** Runs a command of this hipcc in {@code staging}. */
  ProgramOutcome run(List<String> command, Staging staging, Duration timeout)
      throws InterruptedException {
    Map<String, String> complete = new TreeMap<>(environment);
    complete.put("TMPDIR", staging.temporary().toString());
    return runner.run(command, staging, complete, timeout);
  }

  private ProgramOutcome query(Staging staging, List<String> command) {
    return query(staging, command, QUERY_TIMEOUT);
  }

  private ProgramOutcome query(Staging staging, List<String> command, Duration timeout) {
    try {
      return run(command, staging, timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ToolchainNotFoundException(program + ": interrupted while it was asked");
    }
  }

  /*
   * --genco comes first, or hipcc 5.2 takes what follows for a link. -cuid and the compilation
   * directory make the result the same in every staging directory. -Werror=date-time comes after the
   * user's options, so that no -W of theirs undoes it. -MD writes nothing on clang 21, hence the
   * flags of the compiler proper.
   */
  private List<String> command(
      TargetId target,
      List<String> options,
      String cuid,
      List<String> includeDirectories,
      String mainFile) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of(program.toString(), "--genco", "--offload-arch=" + target));
    words.add("--no-gpu-bundle-output");
    words.addAll(options);
    words.addAll(List.of("-cuid=" + cuid, "-ffile-compilation-dir=.", "-Werror=date-time"));
    includeDirectories.forEach(directory -> words.add("-I" + directory));
    Stream.of("-dependency-file", "../" + DEPENDENCIES, "-sys-header-deps", "-MT", "x")
        .forEach(word -> words.addAll(List.of("-Xclang", word)));
    words.addAll(List.of("-o", "../" + CODE_OBJECT, "-x", "hip", mainFile));
    return words;
  }

  /** Returns the failure of a hipcc that ran and did not answer, with what it said instead. */
  ToolchainNotFoundException unusable(ProgramOutcome outcome, String problem) {
    String said =
        outcome.end() == ProgramOutcome.End.TIMED_OUT
            ? ": it did not end in time"
            : CompilerLog.firstError(outcome.log())
                .or(() -> outcome.log().strip().lines().findFirst())
                .map(line -> ": " + line)
                .orElse("");
    return unusable(problem + said);
  }

  /** Returns the failure of a hipcc that is of no use. */
  ToolchainNotFoundException unusable(String problem) {
    return new ToolchainNotFoundException(
        program
            + ": "
            + problem
            + "; repair it, check ROCM_PATH and HIP_PATH, or set KCACHE_HIPCC to another");
  }

  private static Map<String, String> environment(Variables variables) {
    Map<String, String> reduced = new TreeMap<>();
    reduced.put("PATH", variables.searchPathText());
    reduced.put("HIP_PLATFORM", "amd");
    for (String variable : List.of("ROCM_PATH", "HIP_PATH")) {
      variables
          .path(variable)
          // hipcc believes it blindly; an image may set it and not have it.
          .filter(Files::isDirectory)
          .ifPresent(path -> reduced.put(variable, ToolchainPaths.real(path).toString()));
    }
    return Map.copyOf(reduced);
  }
}
