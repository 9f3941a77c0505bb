// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.stream.Collectors.joining;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.RuntimeKind;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.Wsl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Explains why the runtime shows no device to this process; the runtime itself gives one error code
 * for all reasons.
 *
 * @param obstacle a problem with the kernel driver's device file, and its remedy; empty if there is
 *     none
 * @param hiding the variables that are set and hide devices, with their values; may be empty
 * @param suspects those and the others that may make the runtime pass over a device
 * @param advice what to do if nothing of that is the reason
 */
record DeviceAccess(Optional<String> obstacle, String hiding, String suspects, String advice) {
  /** Examines this machine. */
  static DeviceAccess of(RuntimeKind kind, Map<String, String> environment) {
    return of(kind, environment, Path.of("/"));
  }

  /** Examines the machine whose files are below a directory. */
  static DeviceAccess of(RuntimeKind kind, Map<String, String> environment, Path root) {
    return kind.platform() == Platform.AMD
        ? amd(kind == RuntimeKind.HIP, environment, root)
        : nvidia(environment, root);
  }

  private static DeviceAccess amd(boolean hips, Map<String, String> environment, Path root) {
    Path kfd = root.resolve("dev/kfd");
    Optional<Wsl> wsl = Wsl.of(new Environment(environment), root);
    Optional<String> obstacle = wsl.flatMap(Wsl::obstacle);
    if (wsl.isEmpty() && isMissing(kfd, root)) {
      obstacle =
          Optional.of(
              "there is no /dev/kfd; load the amdgpu kernel module, and give a container the GPU with --device=/dev/kfd --device=/dev/dri");
    } else if (Files.exists(kfd) && !(Files.isReadable(kfd) && Files.isWritable(kfd))) {
      obstacle = Optional.of(denied(group(kfd)));
    }
    // An empty ROCR_VISIBLE_DEVICES hides all devices. Of the other two, an empty one hides
    // nothing, and only the first that is set counts; HSA reads none of them.
    Stream<String> rocr = Stream.of("ROCR_VISIBLE_DEVICES").filter(environment::containsKey);
    Stream<String> hip =
        Stream.of("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
            .filter(variable -> hips && !environment.getOrDefault(variable, "").isEmpty())
            .limit(1);
    String hiding = settings(environment, Stream.concat(rocr, hip));
    String overrides =
        settings(
            environment,
            environment.keySet().stream()
                .filter(name -> name.startsWith("HSA_OVERRIDE_GFX_VERSION"))
                .sorted());
    return new DeviceAccess(
        obstacle,
        hiding,
        Stream.of(hiding, overrides).filter(set -> !set.isEmpty()).collect(joining(", ")),
        wsl.map(Wsl::advice)
            .orElse(
                Files.exists(kfd)
                    ? "see what rocminfo says: the GPU may be newer than this ROCm"
                    : "install AMD's driver for the GPU"));
  }

  private static DeviceAccess nvidia(Map<String, String> environment, Path root) {
    Optional<String> obstacle =
        isMissing(root.resolve("dev/nvidiactl"), root)
            ? Optional.of(
                "there is no /dev/nvidiactl; load the nvidia kernel module, or give a container the GPU with --gpus all")
            : Optional.empty();
    // An empty value hides all devices, as does a first token that names none.
    String hiding =
        settings(environment, Stream.of("CUDA_VISIBLE_DEVICES").filter(environment::containsKey));
    return new DeviceAccess(obstacle, hiding, hiding, "see what nvidia-smi says");
  }

  /** Returns whether an expected device file is missing: Windows has none, WSL has others. */
  private static boolean isMissing(Path file, Path root) {
    return !Files.exists(file)
        && Files.exists(root.resolve("dev"))
        && !Files.exists(root.resolve("dev/dxg"));
  }

  /** Returns why this user cannot open AMD's device file, which belongs to a group. */
  static String denied(Optional<String> group) {
    return "this user may not open /dev/kfd; add the user to the group %s and log in again, or start a container with --group-add"
        .formatted(group.orElse("render"));
  }

  private static Optional<String> group(Path file) {
    try {
      return Optional.of(Files.readAttributes(file, PosixFileAttributes.class).group().getName());
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  private static String settings(Map<String, String> environment, Stream<String> variables) {
    return variables
        .map(variable -> variable + "='" + environment.get(variable) + "'")
        .collect(joining(", "));
  }

  /** Returns why there is no device and, after the last semicolon, what to do. */
  String whyNone() {
    return obstacle.orElseGet(
        () ->
            suspects.isEmpty()
                ? "the driver shows none; " + advice
                : suspects + " may hide what there is; unset it, or name devices that are there");
  }

  /** Returns {@code ; NAME='value' may hide others}, if a variable hides devices. */
  String hidden() {
    return hiding.isEmpty() ? "" : "; " + hiding + " may hide others";
  }
}
