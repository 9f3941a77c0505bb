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
 */
final class TargetChecks {
  private static final String NO_MODULE = "ROCk module is NOT loaded";
  private static final String OVERRIDE_TARGET = "set KCACHE_ARCH or pass --arch";
  private static final String UNKNOWN = "no GPU target: KCACHE_ARCH and ARCH name none, and ";

  /** The only variable of {@link #VISIBILITY} that NVIDIA's driver reads. */
  private static final String CUDA_VISIBLE = "CUDA_VISIBLE_DEVICES";

  /** The variables that hide devices; the first does so even if it is empty. */
  private static final List<String> VISIBILITY =
      List.of("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", CUDA_VISIBLE);

  private final Map<String, String> environment;
  private final CacheManager cache;
  private final List<DetectedDevice> devices;
  private final String failure;
  private final List<Check> checks = new ArrayList<>();
  private List<TargetId> targets = List.of();

  private TargetChecks(
      Map<String, String> environment,
      CacheManager cache,
      List<DetectedDevice> devices,
      String failure) {
    this.environment = environment;
    this.cache = cache;
    this.devices = devices;
    this.failure = failure;
  }

  /** Looks for the machine's GPUs. */
  static TargetChecks of(Map<String, String> environment, CacheManager cache) {
    try {
      return new TargetChecks(environment, cache, cache.devices(), "");
    } catch (TargetDetectionException e) {
      return new TargetChecks(environment, cache, List.of(), Problem.of(e).line());
    }
  }

  /** Returns the GPUs. */
  List<DetectedDevice> devices() {
    return devices;
  }

  /**
   * Judges targets and GPUs.
   *
   * @param gpus the GPUs that kernels are launched on
   */
  List<Check> run(List<TargetId> gpus) {
    // A tool that hangs must not be run twice.
    if (failure.isEmpty() || variables().findAny().isPresent()) {
      checks.add(target(gpus));
    } else {
      checks.add(undetected("target", UNKNOWN, OVERRIDE_TARGET));
    }
    if (devices.isEmpty()) {
      // Where no target is known, the check of the target gives the reason.
      checks.add(targets.isEmpty() ? Check.note("device", "none") : noDevice());
    }
    for (int ordinal = 0; ordinal < devices.size(); ordinal++) {
      DetectedDevice device = devices.get(ordinal);
      String uuid = device.uuid().map(text -> ", " + text).orElse("");
      checks.add(
          Check.ok("device", ordinal + ": " + device.target() + ", " + device.name() + uuid));
    }
    KcacheVariables.assignments(hiding(), environment)
        .map(set -> Check.note("override", "GPUs are hidden or reordered by " + set))
        .ifPresent(checks::add);
    if (isEmptyOfHsa()) {
      checks.add(
          Check.warn(
              "override",
              VISIBILITY.get(0) + " is set and empty, which hides every GPU of AMD's",
              "unset it, or name GPUs that are there"));
    }
    if (!isOfNvidia()) {
      checks.addAll(new VersionOverride(environment, targets, devices).checks());
    }
    return checks;
  }

  /**
   * Returns the targets under which a request without one is looked up, last the one that it is
   * compiled for; none if it is unknown, or before {@link #run}.
   */
  List<TargetId> targets() {
    return targets;
  }

  /** Returns the platform of the target, or the one that a variable names, if either says. */
  Optional<Platform> platform() {
    return targets.isEmpty()
        ? Platform.named(environment.getOrDefault("HIP_PLATFORM", ""))
        : Optional.of(targets.get(targets.size() - 1).processor().platform());
  }

  /** A target that is named and runs on none of the GPUs is the error that a launch would be. */
  private Check target(List<TargetId> gpus) {
    TargetId target;
    try {
      target = cache.target();
    } catch (TargetDetectionException e) {
      return Check.of(Status.WARN, "target", Problem.of(e).line(), OVERRIDE_TARGET);
    } catch (IllegalArgumentException e) {
      return Check.fail("target", Problem.of(e).line(), "correct it, or unset it");
    }
    Optional<String> named = origin();
    if (named.isEmpty()) {
      Stream<TargetId> exact = devices.stream().map(DetectedDevice::target);
      targets =
          Stream.concat(exact.filter(each -> !each.equals(target)), Stream.of(target))
              .distinct()
              .toList();
      String detail = target + " (the GPU)";
      return ignored()
          .map(ignored -> Check.note("target", detail + ignored))
          .orElseGet(() -> Check.ok("target", detail));
    }
    targets = List.of(target);
    String name = named.get();
    List<TargetId> others = gpus.stream().filter(gpu -> !target.runsOn(gpu)).toList();
    if (others.isEmpty()) {
      return Check.ok("target", target + " (" + name + ")");
    }
    if (others.size() < gpus.size()) {
      return Check.note(
          "target",
          "%s (%s), which does not run on other GPUs here: %s"
              .formatted(target, name, joined(others)));
    }
    return Check.fail(
        "target",
        "%s=%s does not run on the GPU, which is %s"
            .formatted(name, environment.get(name), joined(gpus)),
        "unset " + name + ", or set it to the GPU's target");
  }

  private static String joined(List<TargetId> all) {
    return all.stream().map(TargetId::toString).distinct().collect(Collectors.joining(", "));
  }

  /** A machine without a GPU is fine, and looks like one without the kernel's module. */
  private Check noDevice() {
    return failure.contains("; ") && !failure.contains(NO_MODULE)
        ? undetected("device", "none: ", "run kcache where it may be used")
        : Check.note("device", "none: " + failure);
  }

  /** The first clause of a detector's message is the problem; the rest is what to do. */
  private Check undetected(String name, String before, String otherwise) {
    int advice = failure.indexOf("; ");
    return advice < 0
        ? Check.warn(name, before + failure, otherwise)
        : Check.warn(
            name,
            before + failure.substring(0, advice),
            failure.substring(advice + 2) + ", or " + otherwise);
  }

  /** Returns the variables for the target that are set. */
  private Stream<String> variables() {
    return Stream.of("KCACHE_ARCH", "ARCH")
        .filter(name -> KcacheVariables.isSet(name, environment));
  }

  /** Returns the variable that names the target, if one does. */
  private Optional<String> origin() {
    return variables().filter(name -> isTarget(environment.getOrDefault(name, ""))).findFirst();
  }

  /** An {@code ARCH} that is no target and still no error names a CPU. */
  private Optional<String> ignored() {
    String arch = environment.getOrDefault("ARCH", "");
    return arch.isEmpty()
        ? Optional.empty()
        : Optional.of("; ARCH=" + arch + " names a CPU and is ignored");
  }

  private static boolean isTarget(String text) {
    try {
      return !TargetId.parseAll(text).isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private boolean isOfNvidia() {
    return devices.stream()
        .anyMatch(device -> device.target().processor().platform() == Platform.NVIDIA);
  }

  private boolean isEmptyOfHsa() {
    return !isOfNvidia()
        && environment.containsKey(VISIBILITY.get(0))
        && !KcacheVariables.isSet(VISIBILITY.get(0), environment);
  }

  /** Returns the variables that change which GPUs are seen. */
  private Stream<String> hiding() {
    return isOfNvidia()
        ? Stream.of(CUDA_VISIBLE).filter(environment::containsKey)
        : VISIBILITY.stream().filter(name -> KcacheVariables.isSet(name, environment));
  }
}
