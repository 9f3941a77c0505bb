// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.DetectedDevice;
import dev.kcache.cache.TargetDetectionException;
import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.TargetId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code kcache doctor} finds out about targets: the one that requests are for which name
 * none, and the GPUs.
 *
 * @param targets under which targets such a request is looked up, the one it is compiled for last;
 *     none if it is unknown
 * @param checks what to tell
 */
record TargetChecks(List<TargetId> targets, List<Check> checks) {
  private static final String OVERRIDE = "HSA_OVERRIDE_GFX_VERSION";

  /** Those that hide devices; the first also when it is empty. */
  private static final List<String> VISIBILITY =
      List.of("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES");

  /** Looks at the environment and the machine. */
  static TargetChecks of(Map<String, String> environment, CacheManager cache) {
    List<Check> checks = new ArrayList<>();
    List<TargetId> targets = new ArrayList<>();
    List<DetectedDevice> devices = List.of();
    String noDevices = "";
    try {
      devices = cache.devices();
    } catch (TargetDetectionException e) {
      noDevices = Problem.of(e).line();
    }
    try {
      TargetId target = cache.target();
      Optional<String> named = origin(environment);
      if (named.isEmpty()) {
        devices.stream().map(DetectedDevice::target).distinct().forEach(targets::add);
      }
      targets.remove(target);
      targets.add(target);
      checks.add(
          Check.ok("target", target + " (" + named.orElse("the GPU") + ")" + ignored(environment)));
    } catch (TargetDetectionException e) {
      String message = Problem.of(e).line();
      checks.add(Check.of(Status.WARN, "target", message, "set KCACHE_ARCH or pass --arch"));
      // The message has it.
      noDevices = "";
    } catch (IllegalArgumentException e) {
      String fix = "set it to a target ID such as gfx90a, or unset it";
      checks.add(Check.of(Status.FAIL, "target", Problem.of(e).line(), fix));
    }
    checks.addAll(devices(devices, noDevices));
    overrides(environment).ifPresent(checks::add);
    return new TargetChecks(List.copyOf(targets), List.copyOf(checks));
  }

  private static List<Check> devices(List<DetectedDevice> devices, String none) {
    if (devices.isEmpty()) {
      return List.of(Check.ok("device", none.isEmpty() ? "none" : "none: " + none));
    }
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
        .filter(name -> !environment.getOrDefault(name, "").isEmpty())
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
      TargetId.parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Optional<Check> overrides(Map<String, String> environment) {
    Stream<String> versions =
        environment.keySet().stream().filter(name -> name.startsWith(OVERRIDE)).sorted();
    Stream<String> visibility =
        VISIBILITY.stream()
            .filter(environment::containsKey)
            .filter(
                name ->
                    name.equals(VISIBILITY.get(0))
                        || !environment.getOrDefault(name, "").isEmpty());
    String set =
        Stream.concat(versions, visibility)
            .map(name -> name + "='" + environment.get(name) + "'")
            .collect(Collectors.joining(", "));
    return set.isEmpty()
        ? Optional.empty()
        : Optional.of(Check.ok("override", set + " change which GPUs are seen"));
  }
}
