// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheHealth;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CachePolicy;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainCandidate;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The checks of the compiler by {@code kcache doctor}: it compiles a kernel, and where it can't,
 * the cache and its layers are searched for what they have instead.
 */
final class CompilerChecks {
  /** A processor that every supported hipcc knows. */
  static final TargetId COMMON = TargetId.parse("gfx1030");

  /** A processor that every nvcc since 10.0 knows. */
  private static final TargetId COMMON_NVIDIA = TargetId.parse("sm_75");

  private static final String FILE = "doctor.hip";
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  /** Includes HIP's header, which kernels need as much as the compiler. */
  private static final byte[] SOURCE =
      """
      #include <hip/hip_runtime.h>

      extern "C" __global__ void doctor(float* x) { x[threadIdx.x] = 1; }
      """
          .getBytes(UTF_8);

  private static final String REPAIR_ROCM =
      "reinstall ROCm's compiler, device libraries and headers, or set KCACHE_HIPCC to another"
          + " hipcc";

  private static final String REPAIR_CUDA =
      "reinstall the CUDA toolkit, or set KCACHE_NVCC to another nvcc";

  private static final String REPAIR_PROVIDER =
      "ask for another compiler by KCACHE_TOOLCHAIN: 'toolchains' below lists them";

  /** Without room for their files, hipcc and rocminfo fail with other messages. */
  private static final String ROOM_FIRST =
      "make room in the temporary directory first, or set TMPDIR to one that has";

  /** The variables that say where the compiler of a platform and its parts are. */
  private static final Map<Platform, List<String>> PLACES =
      Map.of(
          Platform.AMD,
          List.of(
              "KCACHE_HIPCC",
              "ROCM_PATH",
              "HIP_PATH",
              "HIP_CLANG_PATH",
              "HIP_DEVICE_LIB_PATH",
              "DEVICE_LIB_PATH"),
          Platform.NVIDIA,
          List.of("KCACHE_NVCC", "CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN"));

  /** The variables with options, which the compiler does not get. */
  private static final Map<Platform, List<String>> FLAGS =
      Map.of(
          Platform.AMD,
          List.of(
              "HIPCC_COMPILE_FLAGS_APPEND", "HIP_CLANG_HCC_COMPAT_MODE", "CCC_OVERRIDE_OPTIONS"),
          Platform.NVIDIA,
          List.of("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"));

  private final Map<String, String> environment;
  private final CacheManager cache;
  private final List<TargetId> targets;
  private final Platform platform;
  private final CacheHealth health;
  private Optional<ToolchainLabel> label;
  private boolean hitsNeedNoCompiler;

  /**
   * Creates the checks.
   *
   * @param environment the environment variables
   * @param targets the targets to look up, last the one to compile for; none if unknown
   * @param platform the platform of the targets, or the machine's if there are none
   */
  CompilerChecks(
      Map<String, String> environment,
      CacheManager cache,
      List<TargetId> targets,
      Platform platform,
      CacheHealth health) {
    this.environment = environment;
    this.cache = cache;
    this.targets = targets;
    this.platform = platform;
    this.health = health;
    label = cache.configuredLabel(platform);
    hitsNeedNoCompiler = cache.policy() != CachePolicy.AUTO;
  }

  /** Finds, runs and judges the compiler. */
  List<Check> run() throws InterruptedException {
    List<Check> checks = new ArrayList<>();
    checks.add(compiler());
    List<Check> found = judged(checks);
    found.add(toolchains());
    set(PLACES)
        .map(set -> Check.ok("places", "the compiler and its files are looked for in " + set))
        .ifPresent(found::add);
    set(FLAGS)
        .map(
            set ->
                Check.warn(
                    "flags",
                    set + ": not passed to the compiler",
                    "give a kernel options with --option or withOptions"))
        .ifPresent(found::add);
    return found;
  }

  private Optional<String> set(Map<Platform, List<String>> names) {
    return KcacheVariables.assignments(
        names.getOrDefault(platform, List.of()).stream()
            .filter(name -> KcacheVariables.isSet(name, environment)),
        environment);
  }

  /** Lists all compilers, and why one of them is in use. */
  private Check toolchains() {
    boolean asked = cache.wantedToolchain().isPresent();
    return Check.ok(
        "toolchains",
        cache.toolchains(platform).stream()
            .map(each -> each.name() + " (" + state(each, asked) + ")")
            .collect(Collectors.joining(", ")));
  }

  private static String state(ToolchainCandidate candidate, boolean asked) {
    String there = candidate.present() ? "there" : "not there";
    if (!candidate.used()) {
      return there;
    }
    return asked ? "asked for, " + there : "in use, the first that is there";
  }

  private List<Check> judged(List<Check> checks) throws InterruptedException {
    boolean sealed = cache.policy() == CachePolicy.SEALED;
    if (!checks.get(0).failed() && !sealed) {
      checks.add(compile());
    }
    if (!sealed && checks.stream().noneMatch(Check::failed)) {
      return checks;
    }
    if (health.temporary().isEmpty()) {
      checks.replaceAll(check -> check.failed() ? check.fixedBy(ROOM_FIRST) : check);
    }
    Optional<Check> cached = hitsNeedNoCompiler ? cached() : Optional.empty();
    if (cached.filter(check -> !check.failed()).isPresent()) {
      checks.replaceAll(Check::atMostWarn);
    }
    cached.ifPresent(checks::add);
    return checks;
  }

  private TargetId common() {
    return platform == Platform.AMD ? COMMON : COMMON_NVIDIA;
  }

  private String repair() {
    if (label.filter(CompilerChecks::isOfProvider).isPresent()) {
      return REPAIR_PROVIDER;
    }
    return platform == Platform.AMD ? REPAIR_ROCM : REPAIR_CUDA;
  }

  /** Returns whether a label is neither hipcc's nor nvcc's. */
  private static boolean isOfProvider(ToolchainLabel label) {
    return Character.isLetter(label.toString().charAt(0)) && !label.toString().startsWith("cuda");
  }

  private Check compiler() {
    try {
      Toolchain toolchain = cache.toolchain(platform);
      String description = toolchain.describe();
      label = Optional.of(toolchain.label());
      return Check.ok("compiler", description + ", label " + toolchain.label());
    } catch (ToolchainNotFoundException e) {
      hitsNeedNoCompiler = true;
      return Check.of(Status.FAIL, "compiler", Problem.of(e).line(), repair());
    } catch (IllegalArgumentException | UncheckedIOException e) {
      return Check.of(Status.FAIL, "compiler", Problem.of(e).line(), repair());
    }
  }

  /** Only a compile proves that the compiler works. Its result is not kept. */
  private Check compile() throws InterruptedException {
    TargetId target = targets.isEmpty() ? common() : targets.get(targets.size() - 1);
    try {
      Duration elapsed = compile(target);
      return Check.ok("compile", "a small kernel for " + target + " in " + Text.duration(elapsed));
    } catch (CompilationException e) {
      return failed(target, e);
    } catch (ToolchainNotFoundException | IllegalArgumentException | UncheckedIOException e) {
      return Check.of(Status.FAIL, "compile", Problem.of(e).line(), repair());
    }
  }

  /** As a device's kernel would be compiled: for NVIDIA that may be PTX. */
  private Duration compile(TargetId device) throws InterruptedException {
    Toolchain toolchain = cache.toolchain(platform);
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
    return toolchain.compile(job).elapsed();
  }

  private Check failed(TargetId target, CompilationException e) throws InterruptedException {
    String problem = Problem.of(e).line();
    if (e.exitCode() < 0) {
      return Check.of(Status.FAIL, "compile", problem, repair());
    }
    if (!target.equals(common()) && compilesForCommon()) {
      return Check.fail(
          "compile",
          "a small kernel compiles for " + common() + ", but not for " + target + ": " + problem,
          (platform == Platform.AMD
                  ? "set KCACHE_HIPCC to the hipcc of a ROCm"
                  : "set KCACHE_NVCC to the nvcc of a CUDA")
              + " that knows "
              + target
              + ", or choose another target");
    }
    return Check.fail("compile", problem, repair());
  }

  private boolean compilesForCommon() throws InterruptedException {
    try {
      Duration unused = compile(common());
      return true;
    } catch (CompilationException | ToolchainNotFoundException e) {
      return false;
    }
  }

  /**
   * Checks whether the cache has hits where nothing compiles; empty if there is nothing to look
   * for.
   */
  private Optional<Check> cached() {
    List<CacheEntry> entries = entries();
    if (label.isEmpty() && entries.isEmpty()) {
      return Optional.empty();
    }
    if (label.isEmpty()) {
      String labels =
          among(
              entries.stream()
                  .filter(entry -> entry.target().processor().platform() == platform)
                  .map(entry -> entry.label().toString()));
      return Optional.of(
          Check.fail(
              "cached",
              "without a compiler nothing says which label to look for",
              "set %s; the cache has %s"
                  .formatted(
                      platform == Platform.AMD ? "KCACHE_ROCM_VERSION" : "KCACHE_CUDA_VERSION",
                      labels)));
    }
    if (targets.isEmpty()) {
      return Optional.of(
          Check.fail(
              "cached",
              "without a compiler only the cache serves, and it is unknown for which target",
              "set KCACHE_ARCH; the cache has " + held(entries)));
    }
    return Optional.of(cached(entries, targets, label.get()));
  }

  private static Check cached(
      List<CacheEntry> entries, List<TargetId> targets, ToolchainLabel label) {
    long count =
        entries.stream()
            .filter(entry -> targets.contains(entry.target()) && entry.label().equals(label))
            .count();
    TargetId target = targets.get(targets.size() - 1);
    String what = "for " + target + " with label " + label;
    return count > 0
        ? Check.ok("cached", Text.entries(count) + " " + what + "; nothing else can be had")
        : Check.fail(
            "cached",
            "nothing "
                + what
                + ", and nothing can be compiled; the cache and its layers have "
                + held(entries),
            "prewarm it where there is a compiler, and name that directory in KCACHE_PATH");
  }

  private List<CacheEntry> entries() {
    return Stream.concat(health.directory().stream(), health.layers().stream())
        .filter(directory -> directory.counts().entries() > 0)
        .map(DirectoryHealth::root)
        .flatMap(root -> cache.maintenance().entries(root).stream())
        .toList();
  }

  private static String held(List<CacheEntry> entries) {
    return among(entries.stream().map(entry -> entry.target() + " with " + entry.label()));
  }

  private static String among(Stream<String> names) {
    String all = names.distinct().sorted().collect(Collectors.joining(", "));
    return all.isEmpty() ? "no entries" : all;
  }
}
