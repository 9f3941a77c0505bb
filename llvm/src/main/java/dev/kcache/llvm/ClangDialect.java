// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CodeObjectVersions;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.HostCode;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.driver.ClangBasedDialect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A clang without ROCm around it: {@link ClangHeaders} stand in for HIP's and the C++ library's,
 * and nothing of the machine's is read. What it compiles is the same wherever it lies.
 */
final class ClangDialect extends ClangBasedDialect {
  /**
   * The host that a source is compiled for, whatever machine compiles it: the one that AMD's
   * runtime is for. Predefined macros and the sizes of some types are the host's.
   */
  private static final String HOST = "--target=x86_64-unknown-linux-gnu";

  private final Path root;
  private final Path program;
  private final CompilerVersion version;
  private final Path headers;
  private final Platform platform;
  private final Set<Processor> processors;
  private final CodeObjectVersions codeObjectVersions;
  private final Optional<DeviceLibrary> library;

  /**
   * Describes a clang.
   *
   * @param root the directory of LLVM
   * @param program clang, in it
   * @param headers the directory of {@link ClangHeaders}
   * @param library what is linked in
   */
  ClangDialect(
      Path root,
      Path program,
      Path headers,
      CompilerVersion version,
      Platform platform,
      Set<Processor> processors,
      CodeObjectVersions codeObjectVersions,
      Optional<DeviceLibrary> library) {
    this.root = root;
    this.program = program;
    this.version = version;
    this.headers = headers;
    this.platform = platform;
    this.processors = Set.copyOf(processors);
    this.codeObjectVersions = codeObjectVersions;
    this.library = library;
  }

  /** Returns what is known of it, which is all of it. */
  DialectFacts facts() {
    return new DialectFacts(
        program,
        Map.of(),
        platform,
        List.of(
            version.version(),
            headers.toString(),
            codeObjectVersions.toString(),
            library.toString()),
        "remove " + root + ", so that it is unpacked anew",
        Optional.empty(),
        // What this LLVM is is known by its content.
        platform == Platform.AMD
            ? Set.of(DialectFacts.Trait.IS_SELF_CONTAINED, DialectFacts.Trait.HAS_CLANG)
            : Set.of(DialectFacts.Trait.IS_SELF_CONTAINED));
  }

  @Override
  public Set<Path> files(CompilerQuery query) {
    return Set.of(program);
  }

  @Override
  public CompilerVersion version(CompilerQuery query) {
    return version;
  }

  @Override
  public Set<Processor> processors(CompilerQuery query) {
    return processors;
  }

  /** With {@code -nostdinc} it has those only that it is given. */
  @Override
  public Optional<Set<Path>> includeDirectories() {
    return Optional.of(Set.of(headers, builtinHeaders()));
  }

  @Override
  protected List<String> beginning(TargetId target, List<String> options) {
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(words(target, options, codeObjectVersions));
    words.addAll(library.map(ClangDialect::linked).orElse(List.of("-nogpulib")));
    return words;
  }

  @Override
  protected List<String> headerOptions() {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("-isystem", headers.toString()));
    words.addAll(List.of("-isystem", builtinHeaders().toString()));
    words.addAll(List.of("-include", headers.resolve(ClangHeaders.LANGUAGE).toString()));
    return words;
  }

  @Override
  protected String language() {
    return platform == Platform.AMD ? "hip" : "cuda";
  }

  /**
   * A library of LLVM 21 or newer describes pointers to buffers otherwise than LLVM 20 does, of
   * which the linker warns for each file; no function of the library has any.
   */
  private static List<String> linked(DeviceLibrary library) {
    return List.of(
        deviceLibrary(library.directory()), "-D__KCACHE_DEVICE_LIBRARY__", "-Wno-linker-warnings");
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
    words.addAll(ofKernel(options));
    return words;
  }

  @Override
  public Optional<String> problem(ProgramResult outcome, String log) {
    String compiler = "the embedded LLVM";
    String other = platform == Platform.AMD ? "hipcc" : "nvcc";
    return DeviceLibrary.undefined(log)
        .map(this::undefined)
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
  public boolean failsAnyhow(ProgramResult outcome) {
    return !outcome.succeeded() && DeviceLibrary.isWantedBy(outcome.log());
  }

  @Override
  public boolean runsAsPrinted() {
    return true;
  }
}
