// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.detect.DeviceDetector;
import dev.kcache.toolchain.detect.ListedGpu;
import dev.kcache.toolchain.detect.NvidiaDetector;
import dev.kcache.toolchain.probe.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the target that nobody named: {@code KCACHE_ARCH}, else {@code ARCH}, else the one kind of
 * GPU that this machine shows. It never guesses.
 *
 * <p>Safe for use by any number of threads.
 */
public final class TargetDetector {
  private static final String OVERRIDE = "set KCACHE_ARCH or pass --arch";

  /** What builds of operating systems and images keep in {@code ARCH}, in lower case. */
  private static final String CPUS =
      """
      x86_64 x86-64 x64 x86 amd64 i386 i486 i586 i686 aarch64 arm64 arm armel armhf armv6l \
      armv7l loongarch64 ppc64 ppc64le ppc64el riscv64 s390x\
      """;

  /** The most that a tool that lists GPUs may take. */
  private static final Duration LISTING = Duration.ofSeconds(30);

  private final Environment variables;
  private final DeviceDetector amd;
  private final NvidiaDetector nvidia;
  private final System.Logger logger;

  /**
   * Creates a detector.
   *
   * @param environment the environment variables
   * @param stagingParent where a private directory is made for a tool to run in
   * @param memoDirectory where what the tools list is kept for later processes
   * @param timeout how long a tool may take, if that is less than half a minute
   */
  public TargetDetector(
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      @Nullable Path memoDirectory,
      Duration timeout) {
    this(
        environment,
        stagingParent,
        Optional.ofNullable(memoDirectory),
        timeout,
        Host.local(),
        InstantSource.system(),
        System.getLogger(TargetDetector.class.getName()));
  }

  TargetDetector(
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      Optional<Path> memoDirectory,
      Duration timeout,
      Host host,
      InstantSource clock,
      System.Logger logger) {
    requireNonNull(stagingParent, "stagingParent");
    requireNonNull(timeout, "timeout");
    this.variables = new Environment(requireNonNull(environment, "environment"));
    Duration limit = timeout.compareTo(LISTING) < 0 ? timeout : LISTING;
    this.amd =
        new DeviceDetector(variables, stagingParent, memoDirectory, limit, host, clock, logger);
    this.nvidia = new NvidiaDetector(variables, stagingParent, memoDirectory, limit, host, clock);
    this.logger = logger;
  }

  /**
   * {@return the target}
   *
   * @throws IllegalArgumentException if a variable holds no target ID, no product, and no family of
   *     a single processor
   * @throws TargetDetectionException if there is no GPU, or there are several different ones
   */
  public DetectedTarget detect() {
    return configured()
        .map(target -> new DetectedTarget(target, false))
        .orElseGet(() -> new DetectedTarget(device(), true));
  }

  /**
   * {@return the target that a variable names, if one does; starts no process}
   *
   * @throws IllegalArgumentException if a variable holds no target ID, no product, and no family of
   *     a single processor
   */
  public Optional<TargetId> configured() {
    return variables.get("KCACHE_ARCH").map(value -> parse("KCACHE_ARCH", value)).or(this::general);
  }

  /**
   * {@return the GPUs that this machine shows, at least one, in the order of their ordinals: those
   * of the platform that {@code HIP_PLATFORM} names, else AMD's, else NVIDIA's}
   *
   * @throws TargetDetectionException if they can't be listed, there is none, none is shown, or one
   *     has an unknown processor
   */
  public List<DetectedDevice> devices() {
    Optional<Platform> named = variables.get("HIP_PLATFORM").flatMap(Platform::named);
    if (named.equals(Optional.of(Platform.NVIDIA))) {
      return nvidia.devices();
    }
    try {
      return amd.devices();
    } catch (TargetDetectionException e) {
      // The user meant AMD's GPU, even if it can't be identified.
      if (named.isPresent() || amd.isPresent() || !nvidia.canAsk()) {
        throw e;
      }
      return nvidiaInstead(e);
    }
  }

  /** A machine with NVIDIA's driver and nothing of AMD's is spoken of as NVIDIA's. */
  private List<DetectedDevice> nvidiaInstead(TargetDetectionException amdFailure) {
    List<ListedGpu> all;
    try {
      all = nvidia.all();
    } catch (TargetDetectionException e) {
      if (!amd.canAsk()) {
        throw e;
      }
      TargetDetectionException neither =
          new TargetDetectionException(amdFailure.getMessage() + ", and " + e.getMessage());
      neither.initCause(e);
      throw neither;
    }
    return nvidia.shown(all);
  }

  /** {@code ARCH} is not ours alone: images carry their processor's name in it. */
  private Optional<TargetId> general() {
    Optional<String> value = variables.get("ARCH");
    List<String> cpus = List.of(CPUS.split(" "));
    if (value.filter(name -> cpus.contains(name.toLowerCase(Locale.ROOT))).isPresent()) {
      Notices.warn(
          logger, "ARCH=" + value.get() + " names a CPU and is ignored; KCACHE_ARCH names a GPU");
      return Optional.empty();
    }
    return value.map(name -> parse("ARCH", name));
  }

  private TargetId device() {
    List<DetectedDevice> found;
    try {
      found = devices();
    } catch (TargetDetectionException e) {
      TargetDetectionException none =
          new TargetDetectionException(
              "no GPU target: KCACHE_ARCH and ARCH name none, and "
                  + e.getMessage()
                  + "; "
                  + OVERRIDE);
      none.initCause(e);
      throw none;
    }
    List<TargetId> targets = found.stream().map(DetectedDevice::target).distinct().toList();
    if (targets.size() > 1) {
      throw new TargetDetectionException(
          "several different GPUs: "
              + listing(found)
              + "; "
              + OVERRIDE
              + " to choose, or "
              + (targets.get(0).processor().platform() == Platform.AMD
                  ? "HIP_VISIBLE_DEVICES"
                  : "CUDA_VISIBLE_DEVICES")
              + " to show one kind");
    }
    return targets.get(0);
  }

  private static String listing(List<DetectedDevice> devices) {
    return devices.stream()
        .map(device -> device.target() + " (" + device.name() + ")")
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static TargetId parse(String origin, String value) {
    List<TargetId> targets;
    try {
      targets = TargetId.parseAll(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          origin
              + "="
              + value
              + (isList(value)
                  ? " is a list, and the variable takes one target; set it to one of them, or pass"
                      + " the list by --arch"
                  : ": " + e.getMessage()),
          e);
    }
    if (targets.size() > 1) {
      throw new IllegalArgumentException(
          "%s=%s stands for several targets; choose one of them: %s"
              .formatted(
                  origin,
                  value,
                  targets.stream().map(TargetId::toString).collect(Collectors.joining(" "))));
    }
    return targets.get(0);
  }

  /** A list is parted as {@code AMDGPU_TARGETS} is; products too have blanks in their names. */
  private static boolean isList(String value) {
    String first = value.split("[,;\\s]", 2)[0];
    return !first.equals(value) && isTarget(first);
  }

  private static boolean isTarget(String name) {
    try {
      return !TargetId.parseAll(name).isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
