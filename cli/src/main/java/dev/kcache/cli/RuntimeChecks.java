// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.Platform;
import dev.kcache.hip.DeviceProperties;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipDeviceNotFoundException;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.UnsupportedDeviceException;
import dev.kcache.toolchain.DetectedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The checks of launching by {@code kcache doctor}: the HIP runtime and its devices. Compiling
 * needs neither, so nothing here is a failure.
 *
 * @param usable the runtime, if there is a usable one
 * @param driverVersion its driver's version
 * @param devices the devices that it shows, by ordinal
 * @param checks the results
 */
record RuntimeChecks(
    Optional<HipRuntime> usable,
    Optional<String> driverVersion,
    List<HipDevice> devices,
    List<Check> checks) {
  private static final String REINSTALL = "install a ROCm that fits the amdgpu driver";

  private static final String REINSTALL_NVIDIA = "reinstall NVIDIA's driver";

  /** How the runtime says that there is no GPU, or none that this process may use. */
  private static final List<String> NO_DRIVER =
      List.of("there is no /dev/kfd", "there is no /dev/nvidiactl");

  /**
   * Looks at the runtime.
   *
   * @param detected the devices found without it
   * @param chosen whether the user names the library
   */
  static RuntimeChecks of(HipRuntime hip, List<DetectedDevice> detected, boolean chosen) {
    if (!hip.isAvailable()) {
      return unavailable(hip, detected, chosen);
    }
    Optional<String> driver = driverVersion(hip);
    String runtime =
        "%s, driver %s, %s".formatted(Text.version(hip), driver.orElse("unknown"), hip.library());
    List<Check> checks = new ArrayList<>(List.of(Check.ok("runtime", runtime)));
    List<HipDevice> devices = devices(hip, detected, checks);
    return new RuntimeChecks(Optional.of(hip), driver, devices, List.copyOf(checks));
  }

  /** A machine that only compiles needs none; one with a GPU is not as it should be. */
  private static RuntimeChecks unavailable(
      HipRuntime hip, List<DetectedDevice> detected, boolean chosen) {
    String problem = Problem.of(hip.unavailability().orElseThrow()).line();
    Platform platform =
        detected.isEmpty() ? Platform.AMD : detected.get(0).target().processor().platform();
    Check check =
        chosen || !detected.isEmpty()
            ? Check.of(Status.WARN, "runtime", problem, reinstall(platform))
            : Check.note("runtime", "none, nothing can be launched: " + problem);
    return new RuntimeChecks(Optional.empty(), Optional.empty(), List.of(), List.of(check));
  }

  private static String reinstall(Platform platform) {
    return platform == Platform.AMD ? REINSTALL : REINSTALL_NVIDIA;
  }

  private static Optional<String> driverVersion(HipRuntime hip) {
    try {
      return Optional.of(hip.driverVersion().toString());
    } catch (HipException e) {
      return Optional.empty();
    }
  }

  private static List<HipDevice> devices(
      HipRuntime hip, List<DetectedDevice> detected, List<Check> checks) {
    try {
      List<HipDevice> devices = hip.devices();
      if (devices.isEmpty()) {
        checks.add(none(hip, detected));
      }
      devices.forEach(device -> checks.add(Check.ok("launch", describe(device))));
      differing(devices, detected).ifPresent(checks::add);
      return devices;
    } catch (HipException | UnsupportedDeviceException e) {
      checks.add(
          Check.of(
              Status.WARN, "launch", String.valueOf(e.getMessage()), reinstall(hip.platform())));
      return List.of();
    }
  }

  private static Check none(HipRuntime hip, List<DetectedDevice> detected) {
    try {
      HipDevice appeared = hip.device("0");
      return Check.ok("launch", describe(appeared));
    } catch (HipDeviceNotFoundException e) {
      String problem = Problem.of(e).line();
      return NO_DRIVER.stream().anyMatch(problem::contains) && detected.isEmpty()
          ? Check.note("launch", problem)
          : Check.of(Status.WARN, "launch", problem, reinstall(hip.platform()));
    }
  }

  private static String describe(HipDevice device) {
    Stream<String> ids = Stream.of(device.uuid(), device.pciBusId()).flatMap(Optional::stream);
    Stream<String> words =
        Stream.of(device.ordinal() + ": " + device.properties().archName(), device.name());
    return Stream.of(words, ids, Stream.of(Text.bytes(device.properties().memoryBytes())))
        .flatMap(stream -> stream)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  /** Writes what was found; what is not there is null. */
  void writeTo(Json json) {
    json.put("library", usable.map(HipRuntime::library))
        .put("version", usable.map(HipRuntime::version))
        .put("driverVersion", driverVersion)
        .objects("devices", devices, RuntimeChecks::write);
  }

  private static void write(HipDevice device, Json json) {
    DeviceProperties properties = device.properties();
    json.put("ordinal", device.ordinal())
        .put("target", properties.archName())
        .put("name", device.name())
        .put("uuid", device.uuid())
        .put("pciBusId", device.pciBusId())
        .put("memoryBytes", properties.memoryBytes())
        .put("sharedMemoryBytes", properties.limits().sharedMemoryBytes())
        .put("computeUnits", properties.computeUnits().count())
        .put("wavefrontSize", properties.wavefrontSize());
  }

  /** Without a target, kernels are compiled for the detected GPU, and launched on the runtime's. */
  private static Optional<Check> differing(List<HipDevice> devices, List<DetectedDevice> detected) {
    List<String> shown = devices.stream().map(RuntimeChecks::processor).toList();
    List<String> found =
        detected.stream().map(device -> device.target().processor().toString()).toList();
    return shown.isEmpty() || found.isEmpty() || shown.equals(found)
        ? Optional.empty()
        : Optional.of(
            Check.warn(
                "launch",
                "the runtime shows %s, and without it %s was found"
                    .formatted(String.join(", ", shown), String.join(", ", found)),
                "set KCACHE_ARCH to what the runtime shows"));
  }

  private static String processor(HipDevice device) {
    String target = device.properties().archName();
    int features = target.indexOf(':');
    return features < 0 ? target : target.substring(0, features);
  }
}
