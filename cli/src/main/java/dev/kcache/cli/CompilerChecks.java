// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheHealth;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CachePolicy;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The checks of the compiler by {@code kcache doctor}: it compiles a kernel, and where it can't,
 * the cache and its layers are searched for what they have instead.
 */
final class CompilerChecks {
  private static final String FILE = "doctor.hip";
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  /** Includes HIP's header, which kernels need as much as the compiler. */
  private static final byte[] SOURCE =
      """
      #include <hip/hip_runtime.h>

      extern "C" __global__ void doctor(float* x) { x[threadIdx.x] = 1; }
      """
          .getBytes(UTF_8);

  private static final String REPAIR_PROVIDER =
      "ask for another compiler by KCACHE_TOOLCHAIN: 'toolchains' below lists them";

  /** Without room for their files, hipcc and rocminfo fail with other messages. */
  private static final String ROOM_FIRST =
      "make room in the temporary directory first, or set TMPDIR to one that has";

  /**
   * What is special to a platform's compilers.
   *
   * @param common a processor that each supported compiler knows
   * @param repair what to do about a broken compiler
   * @param choice how to choose a compiler that knows a target
   * @param label the variable for the label
   * @param places the variables that say where the compiler and its parts are
   * @param flags the variables with options, which the compiler does not get
   */
  private record Vendor(
      TargetId common,
      String repair,
      String choice,
      String label,
      List<String> places,
      List<String> flags) {
    static final Vendor AMD =
        new Vendor(
            TargetId.parse("gfx1030"),
            "reinstall ROCm's compiler, device libraries and headers, or set KCACHE_COMPILER to"
                + " another hipcc",
            "set KCACHE_COMPILER to the compiler of a ROCm",
            "KCACHE_ROCM_VERSION",
            List.of(
                "KCACHE_COMPILER",
                "KCACHE_HIPCC",
                "ROCM_PATH",
                "HIP_PATH",
                "HIP_CLANG_PATH",
                "HIP_DEVICE_LIB_PATH",
                "DEVICE_LIB_PATH"),
            List.of(
                "HIPCC_COMPILE_FLAGS_APPEND", "HIP_CLANG_HCC_COMPAT_MODE", "CCC_OVERRIDE_OPTIONS"));

    static final Vendor NVIDIA =
        new Vendor(
            TargetId.parse("sm_75"),
            "reinstall the CUDA toolkit, or set KCACHE_NVCC to another nvcc",
            "set KCACHE_NVCC to the nvcc of a CUDA",
            "KCACHE_CUDA_VERSION",
            List.of("KCACHE_NVCC", "CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN"),
            List.of("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"));
  }

  private final Map<String, String> environment;
  private final CacheManager cache;
  private final List<TargetId> targets;
  private final List<TargetId> gpus;
  private final Platform platform;
  private final Vendor vendor;
  private final CacheHealth health;
  private final List<Check> checks = new ArrayList<>();
  private Optional<ToolchainLabel> label;
  private boolean hitsNeedNoCompiler;
  private OptionalInt codeObjectVersion = OptionalInt.empty();
  private Optional<String> used = Optional.empty();

  /**
   * Creates the checks.
   *
   * @param targets the targets to look up, last the one to compile for; none if unknown
   * @param gpus the GPUs that kernels are launched on
   * @param platform the platform of the targets, or the machine's if there are none
   */
  CompilerChecks(
      Map<String, String> environment,
      CacheManager cache,
      List<TargetId> targets,
      List<TargetId> gpus,
      Platform platform,
      CacheHealth health) {
    this.environment = environment;
    this.cache = cache;
    this.targets = targets;
    this.gpus = gpus;
    this.platform = platform;
    this.vendor = platform == Platform.AMD ? Vendor.AMD : Vendor.NVIDIA;
    this.health = health;
    label = cache.configuredLabel(platform);
    hitsNeedNoCompiler = cache.policy() != CachePolicy.AUTO;
  }

  /** Finds, runs and judges the compiler. */
  List<Check> run() throws InterruptedException {
    boolean sealed = cache.policy() == CachePolicy.SEALED;
    checks.add(compiler());
    if (!anyFailed() && !sealed) {
      checks.add(compile());
      checks.addAll(unknownGpus());
    }
    boolean compilerFailed = anyFailed();
    if (compilerFailed && health.temporary().isEmpty()) {
      checks.replaceAll(check -> check.failed() ? check.fixedBy(ROOM_FIRST) : check);
    }
    if ((compilerFailed || sealed) && hitsNeedNoCompiler) {
      new CachedCheck(cache, environment, health, platform, targets, label, vendor.label())
          .check()
          .filter(cached -> !cached.failed() || !PlatformCheck.isUnknown(environment))
          .ifPresent(this::addCached);
    }
    ToolchainsCheck toolchains = ToolchainsCheck.of(cache, environment, platform);
    used = toolchains.used();
    checks.add(toolchains.check());
    if (platform == Platform.AMD) {
      ExecutorCheck.of(environment, toolchains.all()).ifPresent(checks::add);
    }
    PlatformCheck.of(environment, platform).ifPresent(checks::add);
    checks.addAll(new PlacesCheck(environment, vendor.places(), used).checks(compilerFailed));
    set(vendor.flags())
        .map(
            set ->
                Check.warn(
                    "flags",
                    set + ": not passed to the compiler",
                    "give a kernel options with --option or withOptions"))
        .ifPresent(checks::add);
    return checks;
  }

  /** Returns the compiler's label, if there is a compiler or a version is set. */
  Optional<ToolchainLabel> label() {
    return label;
  }

  /** Returns the code object version of what was compiled; empty if nothing was. */
  OptionalInt codeObjectVersion() {
    return codeObjectVersion;
  }

  /** Returns the name of the compiler in use; empty if there is none, or if it is a builder's. */
  Optional<String> used() {
    return used;
  }

  private boolean anyFailed() {
    return checks.stream().anyMatch(Check::failed);
  }

  /** What the cache can serve makes up for a compiler that fails. */
  private void addCached(Check cached) {
    if (!cached.failed()) {
      checks.replaceAll(Check::atMostWarn);
    }
    checks.add(cached);
  }

  private Optional<String> set(List<String> names) {
    return KcacheVariables.assignments(
        names.stream().filter(name -> KcacheVariables.isSet(name, environment)), environment);
  }

  private Check broken(String name, RuntimeException e) {
    return Check.of(Status.FAIL, name, Problem.of(e).line(), repair());
  }

  private String repair() {
    String name = label.map(ToolchainLabel::toString).orElse("0");
    boolean isOfProvider = Character.isLetter(name.charAt(0)) && !name.startsWith("cuda");
    return isOfProvider ? REPAIR_PROVIDER : vendor.repair();
  }

  private Check compiler() {
    try {
      Toolchain toolchain = cache.toolchain(platform);
      String description = toolchain.describe();
      label = Optional.of(toolchain.label());
      return Check.ok("compiler", description + ", label " + toolchain.label());
    } catch (ToolchainNotFoundException e) {
      hitsNeedNoCompiler = true;
      return broken("compiler", e);
    } catch (IllegalArgumentException | UncheckedIOException e) {
      return broken("compiler", e);
    }
  }

  /** Only a compile proves that the compiler works. Its result is not kept. */
  private Check compile() throws InterruptedException {
    TargetId target = targets.isEmpty() ? vendor.common() : targets.get(targets.size() - 1);
    try {
      Duration elapsed = compile(target);
      Toolchain toolchain = cache.toolchain(target);
      TargetId made = toolchain.targetFor(target);
      String what = made.equals(target) ? target.toString() : target + " (as " + made + ")";
      boolean preferred = toolchain == cache.toolchain(platform);
      return Check.ok(
          "compile",
          "a small kernel for "
              + what
              + " in "
              + Text.duration(elapsed)
              + (preferred ? "" : " by " + toolchain.describe() + ", since that knows it"));
    } catch (CompilationException e) {
      return failed(target, e);
    } catch (ToolchainNotFoundException | IllegalArgumentException | UncheckedIOException e) {
      return broken("compile", e);
    }
  }

  /** Compiles as for a kernel of that device, for NVIDIA's perhaps to PTX. */
  private Duration compile(TargetId device) throws InterruptedException {
    Toolchain toolchain = cache.toolchain(device);
    TargetId target = toolchain.targetFor(device);
    Toolchain.Job job =
        new Toolchain.Job(
            Digest.of(SOURCE),
            new StagedSource(
                FILE,
                Map.of(FILE, FILE),
                FILE,
                List.of(new Toolchain.SourceFile(FILE, ByteBuffer.wrap(SOURCE))),
                List.of()),
            target,
            CompileOptions.DEFAULT.arguments(),
            TIMEOUT);
    Toolchain.Output output = toolchain.compile(job);
    codeObjectVersion = OptionalInt.of(output.codeObject().abiVersion());
    return output.elapsed();
  }

  private Check failed(TargetId target, CompilationException e) throws InterruptedException {
    if (e.exitCode() < 0) {
      return broken("compile", e);
    }
    String problem = Problem.of(e).line();
    TargetId common = vendor.common();
    if (!target.equals(common) && compiles(common)) {
      return Check.fail(
          "compile",
          "a small kernel compiles for " + common + ", but not for " + target + ": " + problem,
          vendor.choice() + " that knows " + target + ", or choose another target");
    }
    return Check.fail("compile", problem, repair());
  }

  /** A target that is named may hide that the compiler is older than a GPU. */
  private List<Check> unknownGpus() {
    try {
      return gpus.stream()
          .filter(gpu -> gpu.processor().platform() == platform)
          .filter(this::isUnknown)
          .map(TargetId::processor)
          .distinct()
          .map(
              processor ->
                  Check.warn(
                      "device",
                      "the compiler does not know %s, the processor of a GPU here"
                          .formatted(processor),
                      vendor.choice() + " that knows " + processor))
          .toList();
    } catch (CompilationException | ToolchainNotFoundException | UncheckedIOException e) {
      // Its own check has said so.
      return List.of();
    }
  }

  private boolean isUnknown(TargetId gpu) {
    Toolchain toolchain = cache.toolchain(gpu);
    return !toolchain.compilesFor(toolchain.targetFor(gpu).processor());
  }

  private boolean compiles(TargetId target) throws InterruptedException {
    try {
      Duration unused = compile(target);
      return true;
    } catch (CompilationException | ToolchainNotFoundException e) {
      return false;
    }
  }
}
