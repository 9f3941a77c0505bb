// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.DeviceProperties;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipDeviceNotFoundException;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.UnsupportedDeviceException;
import dev.kcache.rocm.Wsl;
import dev.kcache.toolchain.DetectedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The checks of launching by {@code kcache doctor}: the runtime and its devices. Compiling needs
 * neither, so nothing here is a failure.
 */
final class RuntimeChecks {
  /** How the runtime says that there is no GPU, or none that this process may use. */
  private static final List<String> NO_AMD_DRIVER =
      List.of("there is no /dev/kfd", "there is no " + Wsl.DEVICE);

  private static final String NO_NVIDIA_DRIVER = "there is no /dev/nvidiactl";

  private final HipRuntime hip;
  private final List<DetectedDevice> detected;
  private final Optional<Wsl> wsl;
  private final List<Check> checks = new ArrayList<>();
  private final List<TargetId> targets = new ArrayList<>();
  private Optional<String> driverVersion = Optional.empty();
  private List<HipDevice> devices = List.of();

  /** Looks at a runtime, which the user may have chosen, beside devices found without it. */
  RuntimeChecks(HipRuntime hip, List<DetectedDevice> detected, boolean chosen, Optional<Wsl> wsl) {
    this.hip = hip;
    this.detected = detected;
    this.wsl = wsl;
    if (hip.isAvailable()) {
      driverVersion = driverVersion(hip);
      String driver = driverVersion.orElse("unknown");
      String found = "%s, driver %s, %s".formatted(Text.version(hip), driver, hip.library());
      checks.add(
          driverVersion.isPresent()
              ? Check.ok("runtime", found)
              : Check.warn("runtime", found, reinstall(hip.platform())));
      findDevices();
    } else {
      checks.add(unavailable(chosen));
    }
  }

  /** Returns the runtime, if it can be used. */
  Optional<HipRuntime> usable() {
    return Optional.of(hip).filter(HipRuntime::isAvailable);
  }

  /** Returns the devices that the runtime shows, by ordinal. */
  List<HipDevice> devices() {
    return devices;
  }

  /** Returns the targets of those devices that kcache knows. */
  List<TargetId> targets() {
    return targets;
  }

  /** Returns the results. */
  List<Check> checks() {
    return checks;
  }

  /** A machine that only compiles needs no runtime; one with a GPU does. */
  private Check unavailable(boolean chosen) {
    String problem = Problem.of(hip.unavailability().orElseThrow()).line();
    Platform platform =
        detected.isEmpty() ? Platform.AMD : detected.get(0).target().processor().platform();
    return chosen || !detected.isEmpty()
        ? Check.of(Status.WARN, "runtime", problem, reinstall(platform))
        : Check.note("runtime", "none, nothing can be launched: " + problem);
  }

  private String reinstall(Platform platform) {
    if (platform == Platform.NVIDIA) {
      return "reinstall NVIDIA's driver";
    }
    return wsl.isPresent()
        ? "install ROCm for WSL, and AMD's driver on Windows"
        : "install a ROCm that fits the amdgpu driver";
  }

  /** Returns whether a text tells that AMD's driver isn't there. */
  static boolean tellsNoAmdDriver(String text) {
    return NO_AMD_DRIVER.stream().anyMatch(text::contains);
  }

  private static Optional<String> driverVersion(HipRuntime hip) {
    try {
      return Optional.of(hip.driverVersion().toString());
    } catch (HipException e) {
      return Optional.empty();
    }
  }

  private void findDevices() {
    try {
      devices = hip.devices();
      if (devices.isEmpty()) {
        checks.add(none());
      }
      devices.forEach(device -> checks.add(check(device)));
      differing().ifPresent(checks::add);
    } catch (HipException | UnsupportedDeviceException e) {
      devices = List.of();
      String problem = String.valueOf(e.getMessage());
      checks.add(Check.of(Status.WARN, "launch", problem, reinstall(hip.platform())));
    }
  }

  private Check none() {
    try {
      return Check.ok("launch", describe(hip.device("0")));
    } catch (HipDeviceNotFoundException e) {
      String problem = Problem.of(e).line();
      return (tellsNoAmdDriver(problem) || problem.contains(NO_NVIDIA_DRIVER)) && detected.isEmpty()
          ? Check.note("launch", problem)
          : Check.of(Status.WARN, "launch", problem, reinstall(hip.platform()));
    }
  }

  /** A device that kcache does not know leaves the others as they are. */
  private Check check(HipDevice device) {
    try {
      targets.add(device.target());
      return Check.ok("launch", describe(device));
    } catch (UnsupportedDeviceException e) {
      return Check.of(
          Status.WARN, "launch", String.valueOf(e.getMessage()), reinstall(hip.platform()));
    }
  }

  private static String describe(HipDevice device) {
    DeviceProperties properties = device.properties();
    return Stream.of(
            device.ordinal() + ": " + properties.archName(),
            device.name(),
            device.uuid().orElse(""),
            device.pciBusId().orElse(""),
            Text.bytes(properties.memoryBytes()))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  /** Writes what was found; what is not there is null. */
  void writeTo(Json json) {
    json.put("library", usable().map(HipRuntime::library))
        .put("kind", usable().map(HipRuntime::kind))
        .put("version", usable().map(HipRuntime::version))
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
  private Optional<Check> differing() {
    List<String> shown =
        devices.stream().map(each -> each.properties().archName().split(":", 2)[0]).toList();
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
}
