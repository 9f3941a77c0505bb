// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.NvccDryRun;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.SystemIncludes;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.probe.WrapperScripts;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * One nvcc of NVIDIA's. It knows nothing of HIP: {@link NvccHeaders} stand in for HIP's own, and
 * {@link NvccOptions} translate options of clang's.
 *
 * <p>Safe for use by any number of threads.
 */
final class NvccDialect extends CompilerDriver {
  /** nvcc's own variable for the host's compiler, which is the PATH's gcc otherwise. */
  private static final String HOST_COMPILER = "NVCC_CCBIN";

  /** What a shell changes between double quotes, and what ends them. */
  private static final Pattern SHELL = Pattern.compile("[$`\\\\\"]");

  /** As --help lists what --gpu-architecture takes. */
  private static final Pattern PROCESSOR = Pattern.compile("'((?:sm|compute)_\\d{2,3}[af]?)'");

  NvccDialect(Path program, Environment variables, Workshop workshop) {
    super(program, environment(variables), workshop);
  }

  @Override
  Platform platform() {
    return Platform.NVIDIA;
  }

  /** The program may be a script that leads to the real one, which its dry run tells. */
  @Override
  Set<Path> wrappers() {
    Set<Path> files = new LinkedHashSet<>();
    Set<Path> directories = new LinkedHashSet<>();
    files.add(program());
    directories.add(ToolchainPaths.real(program()).getParent());
    try (Staging staging = stage()) {
      List<String> command =
          List.of(program().toString(), "--dryrun", put(staging, ""), "-x", "cu");
      ProgramResult outcome = query(staging, command);
      NvccDryRun.parse(outcome.log(), staging.work(), staging.temporary())
          .home()
          .ifPresent(directories::add);
    }
    for (Path directory : directories) {
      files.add(directory.resolve("nvcc"));
      files.add(directory.resolve("nvcc.profile"));
    }
    files.addAll(WrapperScripts.behind(program()));
    String hostCompiler = environment().getOrDefault(HOST_COMPILER, "");
    if (hostCompiler.startsWith("/")) {
      files.add(Path.of(hostCompiler));
      files.addAll(WrapperScripts.behind(Path.of(hostCompiler)));
    }
    return files;
  }

  @Override
  CompilerVersion version() {
    ProgramResult outcome = ask("--version");
    return CudaVersion.parse(outcome)
        .orElseThrow(() -> unusable(outcome, "'--version' printed no CUDA version"));
  }

  @Override
  Optional<CompilerVersion> version(ProbeResult answer) {
    return CudaVersion.ofLines(answer.lines());
  }

  @Override
  PlannedCommands driverCommands(TargetId target, List<String> options) {
    try (Staging staging = stage()) {
      List<String> command = command(target, options, List.of(), put(staging, ""), "nvcc");
      command.add(1, "--dryrun");
      ProgramResult outcome = query(staging, command);
      NvccDryRun dryRun = NvccDryRun.parse(outcome.log(), staging.work(), staging.temporary());
      if (!outcome.succeeded() || dryRun.commands().isEmpty()) {
        checkHostCompiler(outcome);
        throw refusal(command, outcome);
      }
      return new PlannedCommands(dryRun.commands(), List.of())
          .with(hostCompiler(staging, dryRun.hostCompiler()))
          .with(dryRun.bitcode());
    }
  }

  /**
   * Tells a machine that lacks something from a request that is wrong. What the system says of the
   * compiler comes before nvcc's own error, which does not name it.
   */
  private void checkHostCompiler(ProgramResult outcome) {
    Optional<String> error = Diagnostic.firstError(outcome.log());
    if (error.filter(line -> line.contains("host compiler")).isPresent()) {
      throw new ToolchainNotFoundException(
          program()
              + ": it found no C++ compiler that it can use ("
              + outcome.errors().strip().lines().findFirst().or(outcome::complaint).orElse("")
              + "); install g++, or set NVCC_CCBIN to one");
    }
  }

  /**
   * Returns the preprocessor proper behind the host's compiler, as a command with the directories
   * that it searches by itself.
   */
  private List<String> hostCompiler(Staging staging, String driver) {
    ProgramResult proper = query(staging, List.of(driver, "-print-prog-name=cc1plus"));
    ProgramResult search = query(staging, List.of(driver, "-E", "-v", "-x", "c++", "/dev/null"));
    List<String> command = new ArrayList<>();
    String program = proper.output().strip();
    // clang is its own, and answers with the bare name.
    command.add(program.startsWith("/") ? program : driver);
    SystemIncludes.in(search.errors())
        .forEach(directory -> command.addAll(List.of("-isystem", directory)));
    // What it would run, with the options that it, or a script in its place, adds.
    ProgramResult driven = query(staging, List.of(driver, "-###", "-E", "-x", "c++", "/dev/null"));
    driven
        .errors()
        .lines()
        .filter(line -> line.startsWith(" "))
        .map(line -> line.replace(staging.work().toString(), "(work)"))
        .forEach(command::add);
    return command;
  }

  @Override
  Set<Processor> processors() {
    ProgramResult outcome = ask("--help");
    Set<String> named = new LinkedHashSet<>();
    PROCESSOR.matcher(outcome.output()).results().map(each -> each.group(1)).forEach(named::add);
    Set<Processor> known = EnumSet.noneOf(Processor.class);
    Platform.NVIDIA.processors().stream()
        .filter(processor -> named.contains(processor.toString()))
        .forEach(known::add);
    if (known.isEmpty()) {
      throw unusable(outcome, "it does not tell which processors it compiles for");
    }
    return known;
  }

  private ProgramResult ask(String question) {
    try (Staging staging = stage()) {
      List<String> command = List.of(program().toString(), question);
      ProgramResult outcome = query(staging, command);
      if (!outcome.succeeded()) {
        throw unusable(outcome, "'" + question + "' failed");
      }
      return outcome;
    }
  }

  @Override
  List<String> command(Toolchain.Job job) {
    return command(
        job.target(), job.options(), job.includeDirectories(), job.mainFile(), job.sourceName());
  }

  @Override
  List<Toolchain.SourceFile> headers() {
    return NvccHeaders.ALL;
  }

  /** HIP's own headers, where the system has them, are AMD's. */
  @Override
  boolean mayRead(Path header) {
    return !header.toString().contains("/include/hip/");
  }

  @Override
  String repair() {
    return "repair it, check CUDA_HOME, or set KCACHE_NVCC to another";
  }

  /*
   * What HIP's language has by itself, nvcc has to be told: lambdas for the device, and constexpr
   * functions, such as the C++ library's, in device code. nvcc makes names of internal linkage of
   * the file's absolute path, which cicc is told otherwise, so that they are the same in every
   * staging directory; --frandom-seed does not see to that. Our headers come last, after the declared
   * directories, but before the system's, where HIP's for AMD may be.
   */
  private List<String> command(
      TargetId target,
      List<String> options,
      List<String> includeDirectories,
      String mainFile,
      String sourceName) {
    List<String> words = new ArrayList<>();
    words.add(program().toString());
    words.addAll(List.of(target.processor().isVirtual() ? "-ptx" : "-cubin", "-arch=" + target));
    words.addAll(List.of("-D__HIP_PLATFORM_NVIDIA__=1", "-D__HIPCC__=1"));
    words.addAll(List.of("--extended-lambda", "--expt-relaxed-constexpr"));
    NvccOptions.objection(options)
        .ifPresent(
            objection -> {
              throw new CompilationException(sourceName, objection, words, -1, "");
            });
    words.addAll(NvccOptions.translate(options));
    words.add("-Xcicc=--orig_src_path_name," + mainFile);
    words.add("-Xcompiler=-Werror=date-time");
    // To nvcc a comma begins another directory.
    includeDirectories.forEach(directory -> words.add("-I" + directory.replace(",", "\\,")));
    words.addAll(
        List.of("-I../" + HEADERS, "-MD", "-MF", "../" + Staging.DEPENDENCIES, "-MT", "x"));
    words.addAll(List.of("-o", "../" + Staging.CODE_OBJECT, "-x", "cu", mainFile));
    return words;
  }

  /** nvcc runs its programs in a shell, with the names of temporary files between double quotes. */
  @Override
  void check(Staging staging) {
    if (SHELL.matcher(staging.temporary().toString()).find()) {
      throw new ToolchainNotFoundException(
          "nvcc would give the temporary directory "
              + staging.temporary()
              + " to a shell; set TMPDIR to a path without $, `, \\ and \"");
    }
  }

  private static Map<String, String> environment(Environment variables) {
    Map<String, String> reduced = new TreeMap<>();
    reduced.put("PATH", variables.searchPathText());
    variables
        .get(HOST_COMPILER)
        .ifPresent(
            compiler -> {
              if (SHELL.matcher(compiler).find()) {
                throw new IllegalArgumentException(
                    HOST_COMPILER
                        + "="
                        + compiler
                        + ": nvcc would give it to a shell; use a path without $, `, \\ and \"");
              }
              reduced.put(HOST_COMPILER, compiler);
            });
    return reduced;
  }
}
