// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What stands between this process and the machine's devices, to say why the runtime shows none.
 * The runtime itself gives the same error code for all of it.
 *
 * @param environment the environment variables
 * @param kfd what can be done with the kernel driver's device file
 * @param group the group that it belongs to, if known
 */
record DeviceAccess(Map<String, String> environment, Kfd kfd, Optional<String> group) {
  private static final String KFD = "/dev/kfd";
  private static final String OVERRIDE = "HSA_OVERRIDE_GFX_VERSION";

  /** Hides all devices if it is empty; the others hide nothing then. */
  private static final String ROCR = "ROCR_VISIBLE_DEVICES";

  /** Only the first one of these that is set counts. */
  private static final List<String> HIP = List.of("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES");

  /** The kernel driver's device file, through which all devices are used. */
  enum Kfd {
    /** It is not there. */
    MISSING,
    /** It may not be opened by this user. */
    DENIED,
    /** It may be opened. */
    OPEN,
    /** This system has none: Windows, and Linux below it. */
    UNKNOWN
  }

  /** Looks at this machine. */
  static DeviceAccess of(Map<String, String> environment) {
    return of(environment, Path.of("/"));
  }

  /** Looks at the machine whose files are below a directory. */
  static DeviceAccess of(Map<String, String> environment, Path root) {
    Path file = root.resolve("dev/kfd");
    return new DeviceAccess(environment, kfd(root, file), group(file));
  }

  private static Kfd kfd(Path root, Path file) {
    if (Files.exists(file)) {
      return Files.isReadable(file) && Files.isWritable(file) ? Kfd.OPEN : Kfd.DENIED;
    }
    boolean elsewhere = !Files.exists(root.resolve("dev")) || Files.exists(root.resolve("dev/dxg"));
    return elsewhere ? Kfd.UNKNOWN : Kfd.MISSING;
  }

  private static Optional<String> group(Path file) {
    try {
      return Optional.of(Files.readAttributes(file, PosixFileAttributes.class).group().getName());
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  /** Returns why there is no device, and after the last semicolon what to do. */
  String whyNone() {
    return switch (kfd) {
      case MISSING ->
          "there is no %s; load the amdgpu kernel module, and give a container the GPU with --device=%s --device=/dev/dri"
              .formatted(KFD, KFD);
      case DENIED ->
          "this user may not open %s; add the user to the group %s and log in again, or start a container with --group-add"
              .formatted(KFD, group.orElse("render"));
      case OPEN, UNKNOWN -> whyNoneOfThose();
    };
  }

  private String whyNoneOfThose() {
    String set = values(Stream.concat(hiding(), overrides()));
    if (!set.isEmpty()) {
      return set + " may hide what there is; unset it, or name devices that are there";
    }
    return "the driver shows none; "
        + (kfd == Kfd.OPEN
            ? "see what rocminfo says: the GPU may be newer than this ROCm"
            : "install AMD's driver for the GPU");
  }

  /** Returns {@code ; NAME='value' may hide others}, if a variable hides devices. */
  String hidden() {
    String set = values(hiding());
    return set.isEmpty() ? "" : "; " + set + " may hide others";
  }

  private Stream<String> hiding() {
    Stream<String> rocr = Stream.of(ROCR).filter(environment::containsKey);
    Stream<String> hip = HIP.stream().filter(this::isSet).limit(1);
    return Stream.concat(rocr, hip);
  }

  private Stream<String> overrides() {
    return environment.keySet().stream().filter(name -> name.startsWith(OVERRIDE)).sorted();
  }

  private String values(Stream<String> variables) {
    return variables
        .map(variable -> variable + "='" + environment.get(variable) + "'")
        .collect(Collectors.joining(", "));
  }

  private boolean isSet(String variable) {
    return !environment.getOrDefault(variable, "").isEmpty();
  }
}
