// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ReproducibleOptions;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.pch.DirectCommands;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A clang without ROCm around it: {@link ClangHeaders} stand in for HIP's and the C++ library's,
 * and nothing of the machine's is read. What it compiles is the same wherever it lies.
 *
 * <p>Safe for use by any number of threads.
 */
@SuppressWarnings("exports") // what the steps of a compile share
final class Clang extends CompilerDriver {
  /**
   * The host that a source is compiled for, whatever machine compiles it: the one that AMD's
   * runtime is for. Predefined macros and the sizes of some types are the host's.
   */
  private static final String HOST = "--target=x86_64-unknown-linux-gnu";

  private final Path root;
  private final LlvmVersion version;
  private final Path headers;
  private final Platform platform;
  private final Set<Processor> processors;
  private final CodeObjectVersions codeObjectVersions;
  private final Optional<DeviceLibrary> library;

  /**
   * Describes a clang.
   *
   * @param root the directory of LLVM
   * @param headers the directory of {@link ClangHeaders}
   * @param library what is linked in
   */
  Clang(
      Path root,
      Path headers,
      LlvmVersion version,
      Platform platform,
      Set<Processor> processors,
      CodeObjectVersions codeObjectVersions,
      Optional<DeviceLibrary> library,
      Workshop workshop) {
    super(program(root), Map.of(), workshop);
    this.root = root;
    this.version = version;
    this.headers = headers;
    this.platform = platform;
    this.processors = Set.copyOf(processors);
    this.codeObjectVersions = codeObjectVersions;
    this.library = library;
  }

  /** Returns the program of an LLVM that is unpacked. */
  static Path program(Path root) {
    return root.resolve("bin").resolve("clang");
  }

  @Override
  Platform platform() {
    return platform;
  }

  @Override
  Set<Path> wrappers() {
    return Set.of(program());
  }

  @Override
  CompilerVersion version() {
    return version;
  }

  @Override
  Optional<CompilerVersion> version(ProbeResult answer) {
    return LlvmVersion.ofLines(answer.lines()).filter(version::equals);
  }

  @Override
  List<String> ownWords() {
    return List.of(headers.toString(), codeObjectVersions.toString(), library.toString());
  }

  /** None of them decides a result: what this LLVM is is known by its content. */
  @Override
  Set<Path> libraries(Path binary, List<Path> searchPath) {
    return Set.of();
  }

  @Override
  PlannedCommands driverCommands(TargetId target, List<String> options) {
    try (Staging staging = stage()) {
      List<String> command =
          command(target, options, ReproducibleOptions.QUERY_CUID, List.of(), put(staging, ""));
      command.add(1, "-###");
      ProgramResult outcome = query(staging, command);
      PlannedCommands commands = CommandLines.parse(outcome.log(), staging.temporary());
      if (!outcome.succeeded() || commands.commands().isEmpty()) {
        throw refusal(command, outcome);
      }
      return commands;
    }
  }

  @Override
  Set<Processor> processors() {
    return processors;
  }

  /** With {@code -nostdinc} it has those only that it is given. */
  @Override
  Optional<Set<Path>> ownIncludeDirectories() {
    return Optional.of(Set.of(headers, builtinHeaders()));
  }

  @Override
  List<String> command(Toolchain.Job job) {
    return command(
        job.target(),
        job.options(),
        ReproducibleOptions.cuid(job),
        job.includeDirectories(),
        job.mainFile());
  }

  private List<String> command(
      TargetId target,
      List<String> options,
      String cuid,
      List<String> includeDirectories,
      String mainFile) {
    List<String> words = new ArrayList<>();
    words.add(program().toString());
    words.addAll(words(target, options, codeObjectVersions));
    words.addAll(library.map(Clang::linked).orElse(List.of("-nogpulib")));
    words.addAll(List.of(cuid, "-ffile-compilation-dir=.", ReproducibleOptions.DATE_TIME));
    includeDirectories.forEach(directory -> words.add("-I" + directory));
    words.addAll(List.of("-isystem", headers.toString()));
    words.addAll(List.of("-isystem", builtinHeaders().toString()));
    words.addAll(List.of("-include", headers.resolve(ClangHeaders.LANGUAGE).toString()));
    Stream.of("-dependency-file", "../" + Staging.DEPENDENCIES, "-sys-header-deps", "-MT", "x")
        .forEach(word -> words.addAll(List.of("-Xclang", word)));
    words.addAll(List.of("-o", "../" + Staging.CODE_OBJECT));
    words.addAll(List.of("-x", platform == Platform.AMD ? "hip" : "cuda", mainFile));
    return words;
  }

  /**
   * A library of LLVM 21 or newer describes pointers to buffers otherwise than LLVM 20 does, of
   * which the linker warns for each file; no function of the library has any.
   */
  private static List<String> linked(DeviceLibrary library) {
    return List.of(
        "--rocm-device-lib-path=" + library.directory(),
        "-D__KCACHE_DEVICE_LIBRARY__",
        "-Wno-linker-warnings");
  }

  /**
   * Returns what clang calls a processor: it knows virtual architectures by the names of real ones.
   */
  static String name(Processor processor) {
    return processor.isVirtual()
        ? processor.toString().replace("compute_", "sm_")
        : processor.toString();
  }

  private Path builtinHeaders() {
    String major = version.version().substring(0, version.version().indexOf('.'));
    return root.resolve("lib").resolve("clang").resolve(major).resolve("include");
  }

  /** Returns the part of the command that decides the bytes of a result, with no place in it. */
  static List<String> words(
      TargetId target, List<String> options, CodeObjectVersions codeObjectVersions) {
    List<String> words = new ArrayList<>(List.of(HOST, "--offload-device-only"));
    words.addAll(List.of("-nogpuinc", "-nostdinc"));
    Processor processor = target.processor();
    if (processor.platform() == Platform.AMD) {
      words.add("--offload-arch=" + target);
      words.add("--no-gpu-bundle-output");
      words.add("-mcode-object-version=" + codeObjectVersions.of(processor));
    } else {
      words.add("--offload-arch=" + name(processor));
      // No CUDA of the machine's is to be looked at, not even for its version.
      words.addAll(List.of("-S", "--cuda-path=/dev/null"));
      PtxVersion.of(processor)
          .ifPresent(version -> words.add("--cuda-feature=" + version.feature()));
    }
    words.addAll(ClangOptions.of(options));
    return words;
  }

  @Override
  Optional<String> problem(ProgramResult outcome, String log) {
    String compiler = "the embedded LLVM";
    String other = platform == Platform.AMD ? "hipcc" : "nvcc";
    return CompilerLog.missingHeader(log, compiler, other)
        .or(() -> DeviceLibrary.undefined(log).map(this::undefined))
        .or(() -> HostCode.problem(log, compiler, other));
  }

  /** What a header of ours says of a function (see {@code kcache/language.h}), of any. */
  private String undefined(String name) {
    return library
        .map(linked -> "ROCm's device library in " + linked.directory() + " has no " + name)
        .orElse(
            name
                + " needs ROCm's device library, which the embedded LLVM lacks; install it"
                + " (rocm-device-libs), or compile with hipcc (KCACHE_TOOLCHAIN=hipcc)");
  }

  /** What our headers say is not there is not there without a shortcut either. */
  @Override
  boolean failsAnyhow(ProgramResult outcome) {
    return !outcome.succeeded() && DeviceLibrary.isWantedBy(outcome.log());
  }

  @Override
  public boolean doesWhatItSays() {
    return true;
  }

  /** Precompiled it takes 0.3 MB, where that of ROCm takes 9. */
  @Override
  public boolean hasLargePrefix() {
    return false;
  }

  @Override
  public Optional<DirectCommands> direct(PlannedCommands asked) {
    return DirectCommands.of(asked);
  }

  /** They lie where the compiler does, so that a precompiled one finds them again. */
  @Override
  List<Toolchain.SourceFile> headers() {
    return List.of();
  }

  @Override
  String repair() {
    return "remove " + root + ", so that it is unpacked anew";
  }
}
