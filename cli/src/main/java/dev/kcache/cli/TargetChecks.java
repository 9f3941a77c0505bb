// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.TargetDetectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The checks of targets by {@code kcache doctor}: the GPUs, and the target of a request that names
 * none.
 *
 * @param targets the targets under which such a request is looked up, last the one that it is
 *     compiled for; none if it is unknown
 * @param devices the GPUs
 * @param checks the results
 */
record TargetChecks(List<TargetId> targets, List<DetectedDevice> devices, List<Check> checks) {
  private static final String OVERRIDE = "HSA_OVERRIDE_GFX_VERSION";
  private static final String NO_MODULE = "ROCk module is NOT loaded";
  private static final String OVERRIDE_TARGET = "set KCACHE_ARCH or pass --arch";
  private static final String UNKNOWN = "no GPU target: KCACHE_ARCH and ARCH name none, and ";

  /** The only such variable that NVIDIA's driver reads. */
  private static final String CUDA_VISIBLE = "CUDA_VISIBLE_DEVICES";

  /** The variables that hide devices; the first does so even if it is empty. */
  private static final List<String> VISIBILITY =
      List.of("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", CUDA_VISIBLE);

  /**
   * Returns the platform that kernels are for: the target's, or the one that a variable names;
   * empty if neither says.
   */
  Optional<Platform> platform(Map<String, String> environment) {
    return targets.isEmpty()
        ? Platform.named(environment.getOrDefault("HIP_PLATFORM", ""))
        : Optional.of(targets.get(targets.size() - 1).processor().platform());
  }

  /** Looks at the environment and the machine. */
  static TargetChecks of(Map<String, String> environment, CacheManager cache) {
    List<DetectedDevice> devices = List.of();
    String failure = "";
    try {
      devices = cache.devices();
    } catch (TargetDetectionException e) {
      failure = Problem.of(e).line();
    }
    boolean named =
        Stream.of("KCACHE_ARCH", "ARCH").anyMatch(name -> KcacheVariables.isSet(name, environment));
    // A tool that hangs must not be run twice.
    TargetChecks target =
        failure.isEmpty() || named
            ? target(environment, cache, devices)
            : unknown(undetected("target", UNKNOWN, failure, OVERRIDE_TARGET));
    List<Check> checks = new ArrayList<>(target.checks());
    if (devices.isEmpty()) {
      // Where no target is known, the check of the target gives the reason.
      checks.add(target.targets().isEmpty() ? Check.note("device", "none") : none(failure));
    }
    checks.addAll(devices(devices));
    overrides(environment, devices).ifPresent(checks::add);
    return new TargetChecks(target.targets(), devices, List.copyOf(checks));
  }

  /**
   * Returns what to tell of targets, beside GPUs that kernels can be launched on: a target that the
   * environment names and that runs on none of them is the error that a launch would be.
   *
   * @param gpus what the runtime shows
   */
  List<Check> checks(Map<String, String> environment, List<TargetId> gpus) {
    Optional<String> named = origin(environment);
    if (named.isEmpty()
        || targets.isEmpty()
        || gpus.isEmpty()
        || gpus.stream().anyMatch(targets.get(0)::runsOn)) {
      return checks;
    }
    String shown =
        gpus.stream().map(TargetId::toString).distinct().collect(Collectors.joining(", "));
    Check contradiction =
        Check.fail(
            "target",
            "%s=%s does not run on the GPU, which is %s"
                .formatted(named.get(), environment.get(named.get()), shown),
            "unset %s, or set it to the GPU's target".formatted(named.get()));
    return checks.stream()
        .map(check -> check.name().equals("target") ? contradiction : check)
        .toList();
  }

  private static TargetChecks target(
      Map<String, String> environment, CacheManager cache, List<DetectedDevice> devices) {
    try {
      TargetId target = cache.target();
      Optional<String> named = origin(environment);
      String origin = " (" + named.orElse("the GPU") + ")" + ignored(environment);
      return new TargetChecks(
          named.isPresent() ? List.of(target) : lookups(target, devices),
          devices,
          List.of(Check.ok("target", target + origin)));
    } catch (TargetDetectionException e) {
      return unknown(Check.of(Status.WARN, "target", Problem.of(e).line(), OVERRIDE_TARGET));
    } catch (IllegalArgumentException e) {
      String fix = "set it to a target that 'kcache targets' lists, or unset it";
      return unknown(Check.fail("target", withoutListing(Problem.of(e).line()), fix));
    }
  }

  private static String withoutListing(String problem) {
    int listing = problem.indexOf("; there are: ");
    return listing < 0 ? problem : problem.substring(0, listing);
  }

  private static TargetChecks unknown(Check check) {
    return new TargetChecks(List.of(), List.of(), List.of(check));
  }

  private static List<TargetId> lookups(TargetId target, List<DetectedDevice> devices) {
    Stream<TargetId> exact = devices.stream().map(DetectedDevice::target);
    return Stream.concat(exact.filter(each -> !each.equals(target)), Stream.of(target))
        .distinct()
        .toList();
  }

  /** A machine without a GPU is fine, and looks like one without the kernel's module. */
  private static Check none(String failure) {
    return failure.contains("; ") && !failure.contains(NO_MODULE)
        ? undetected("device", "none: ", failure, "run kcache where it may be used")
        : Check.note("device", "none: " + failure);
  }

  /** The first clause of a detector's message is the problem; the rest is what to do. */
  private static Check undetected(String name, String before, String failure, String otherwise) {
    int advice = failure.indexOf("; ");
    return advice < 0
        ? Check.warn(name, before + failure, otherwise)
        : Check.warn(
            name,
            before + failure.substring(0, advice),
            failure.substring(advice + 2) + ", or " + otherwise);
  }

  private static List<Check> devices(List<DetectedDevice> devices) {
    List<Check> checks = new ArrayList<>();
    for (int ordinal = 0; ordinal < devices.size(); ordinal++) {
      DetectedDevice device = devices.get(ordinal);
      String uuid = device.uuid().map(text -> ", " + text).orElse("");
      checks.add(
          Check.ok("device", ordinal + ": " + device.target() + ", " + device.name() + uuid));
    }
    return checks;
  }

  /** Returns the variable that names the target, if one does. */
  private static Optional<String> origin(Map<String, String> environment) {
    return Stream.of("KCACHE_ARCH", "ARCH")
        .filter(name -> KcacheVariables.isSet(name, environment))
        .filter(name -> isTarget(environment.getOrDefault(name, "")))
        .findFirst();
  }

  /** An {@code ARCH} that is no target and still no error names a CPU. */
  private static String ignored(Map<String, String> environment) {
    String arch = environment.getOrDefault("ARCH", "");
    boolean ignored = origin(environment).isEmpty() && !arch.isEmpty();
    return ignored ? "; ARCH=" + arch + " names a CPU and is ignored" : "";
  }

  private static boolean isTarget(String text) {
    try {
      return !TargetId.parseAll(text).isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Optional<Check> overrides(
      Map<String, String> environment, List<DetectedDevice> devices) {
    if (devices.stream()
        .anyMatch(device -> device.target().processor().platform() == Platform.NVIDIA)) {
      return overridden(Stream.of(CUDA_VISIBLE).filter(environment::containsKey), environment);
    }
    Stream<String> versions =
        environment.keySet().stream().filter(name -> name.startsWith(OVERRIDE)).sorted();
    Stream<String> visibility =
        VISIBILITY.stream()
            .filter(environment::containsKey)
            .filter(
                name -> name.equals(VISIBILITY.get(0)) || KcacheVariables.isSet(name, environment));
    return overridden(Stream.concat(versions, visibility), environment);
  }

  private static Optional<Check> overridden(Stream<String> names, Map<String, String> environment) {
    return KcacheVariables.assignments(names, environment)
        .map(set -> Check.ok("override", set + " change which GPUs are seen"));
  }
}
