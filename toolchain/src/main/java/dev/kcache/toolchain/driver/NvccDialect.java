// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.NvccDryRun;
import dev.kcache.toolchain.probe.SystemIncludes;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.probe.WrapperScripts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How to talk to an nvcc of NVIDIA's. It knows nothing of HIP: {@link NvccHeaders} stand in for
 * HIP's own, and {@link NvccOptions} translate options of clang's.
 */
final class NvccDialect implements Dialect {
  private static final String NUMBERS = "[1-9]\\d{0,3}\\.\\d{1,4}\\.\\d{1,6}";

  private static final Pattern VERSION =
      Pattern.compile(
          "^Cuda compilation tools, release [\\d.]{1,16}, V(" + NUMBERS + ")$", Pattern.MULTILINE);

  /** As --help lists what --gpu-architecture takes. */
  private static final Pattern PROCESSOR = Pattern.compile("'((?:sm|compute)_\\d{2,3}[af]?)'");

  private final Path program;
  private final String hostCompiler;

  NvccDialect(DialectFacts facts) {
    program = facts.program();
    hostCompiler = facts.environment().getOrDefault(DriverFacts.HOST_COMPILER, "");
  }

  /** The program may be a script that leads to the real one, which its dry run tells. */
  @Override
  public Set<Path> files(CompilerQuery query) {
    Set<Path> files = new LinkedHashSet<>();
    Set<Path> directories = new LinkedHashSet<>();
    files.add(program);
    directories.add(ToolchainPaths.real(program).getParent());
    ProgramResult result =
        query.ask(List.of(program.toString(), "--dryrun", PlannedCommands.FILE, "-x", "cu"));
    NvccDryRun.parse(result.log()).home().ifPresent(directories::add);
    for (Path directory : directories) {
      files.add(directory.resolve("nvcc"));
      files.add(directory.resolve("nvcc.profile"));
    }
    files.addAll(WrapperScripts.behind(program));
    if (hostCompiler.startsWith("/")) {
      files.add(Path.of(hostCompiler));
      files.addAll(WrapperScripts.behind(Path.of(hostCompiler)));
    }
    return files;
  }

  @Override
  public CompilerVersion version(CompilerQuery query) {
    ProgramResult result = ask(query, "--version");
    return version(result.output())
        .orElseThrow(() -> query.unusable(result, "'--version' printed no CUDA version"));
  }

  /** Returns the version that nvcc printed, if it did. */
  static Optional<CompilerVersion> version(String printed) {
    Matcher line = VERSION.matcher(printed);
    return line.find()
        ? Optional.of(
            new CompilerVersion(
                "CUDA",
                line.group(1),
                printed,
                ToolchainLabel.ofVersion(Platform.NVIDIA, line.group(1))))
        : Optional.empty();
  }

  @Override
  public PlannedCommands plan(CompilerQuery query, TargetId target, List<String> options) {
    List<String> command = command(target, options, List.of(), PlannedCommands.FILE, "nvcc");
    command.add(1, "--dryrun");
    ProgramResult result = query.ask(command);
    NvccDryRun dryRun = NvccDryRun.parse(result.log());
    if (!result.succeeded() || dryRun.commands().isEmpty()) {
      checkHostCompiler(result);
      throw query.refusal(command, result);
    }
    return new PlannedCommands(dryRun.commands(), List.of())
        .with(hostCompiler(query, dryRun.hostCompiler()))
        .with(dryRun.bitcode());
  }

  /**
   * Tells a machine that lacks something from a request that is wrong. What the system says of the
   * compiler comes before nvcc's own error, which does not name it.
   */
  private void checkHostCompiler(ProgramResult outcome) {
    Optional<String> error = Diagnostic.firstError(outcome.log());
    if (error.filter(line -> line.contains("host compiler")).isPresent()) {
      throw new ToolchainNotFoundException(
          program
              + ": it found no C++ compiler that it can use ("
              + outcome.errors().strip().lines().findFirst().or(outcome::complaint).orElse("")
              + "); install g++, or set NVCC_CCBIN to one");
    }
  }

  /**
   * Returns the preprocessor proper behind the host's compiler, as a command with the directories
   * that it searches by itself.
   */
  private List<String> hostCompiler(CompilerQuery query, String driver) {
    ProgramResult proper = query.ask(List.of(driver, "-print-prog-name=cc1plus"));
    ProgramResult search = query.ask(List.of(driver, "-E", "-v", "-x", "c++", "/dev/null"));
    List<String> command = new ArrayList<>();
    String program = proper.output().strip();
    // clang is its own, and answers with the bare name.
    command.add(program.startsWith("/") ? program : driver);
    SystemIncludes.in(search.errors())
        .forEach(directory -> command.addAll(List.of("-isystem", directory)));
    // What it would run, with the options that it, or a script in its place, adds.
    ProgramResult driven = query.ask(List.of(driver, "-###", "-E", "-x", "c++", "/dev/null"));
    driven.errors().lines().filter(line -> line.startsWith(" ")).forEach(command::add);
    return command;
  }

  @Override
  public Set<Processor> processors(CompilerQuery query) {
    ProgramResult outcome = ask(query, "--help");
    Set<String> named = new LinkedHashSet<>();
    PROCESSOR.matcher(outcome.output()).results().map(each -> each.group(1)).forEach(named::add);
    Set<Processor> known = EnumSet.noneOf(Processor.class);
    Platform.NVIDIA.processors().stream()
        .filter(processor -> named.contains(processor.toString()))
        .forEach(known::add);
    if (known.isEmpty()) {
      throw query.unusable(outcome, "it does not tell which processors it compiles for");
    }
    return known;
  }

  private ProgramResult ask(CompilerQuery query, String question) {
    ProgramResult result = query.ask(List.of(program.toString(), question));
    if (!result.succeeded()) {
      throw query.unusable(result, "'" + question + "' failed");
    }
    return result;
  }

  @Override
  public List<String> command(Toolchain.Job job) {
    return command(
        job.target(),
        job.options(),
        job.source().includeDirectories(),
        job.source().mainFile(),
        job.source().name());
  }

  @Override
  public List<Toolchain.SourceFile> headers() {
    return NvccHeaders.ALL;
  }

  /** HIP's own headers, where the system has them, are AMD's. */
  @Override
  public boolean mayRead(Path header) {
    return !header.toString().contains("/include/hip/");
  }

  /*
   * Flags turn on what HIP's language has by itself: lambdas for the device, and constexpr functions,
   * such as the C++ library's, in device code. nvcc makes names of internal linkage from the file's
   * absolute path; cicc gets another path, so that they are the same in every staging directory.
   * --frandom-seed does not see to that. Our headers come last, after the declared
   * directories, but before the system's, where HIP's for AMD may be.
   */
  private List<String> command(
      TargetId target,
      List<String> options,
      List<String> includeDirectories,
      String mainFile,
      String sourceName) {
    List<String> words = new ArrayList<>();
    words.add(program.toString());
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
    words.add("-I" + OutputNames.HEADERS);
    words.addAll(List.of("-MD", "-MF", OutputNames.DEPENDENCIES, "-MT", "x"));
    words.addAll(List.of("-o", OutputNames.CODE_OBJECT, "-x", "cu", mainFile));
    return words;
  }
}
