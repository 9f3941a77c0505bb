// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.util.Locale;
import java.util.Set;

/**
 * What an NVIDIA processor stands for, and by that the devices that run its code.
 *
 * <p>The rules are those of the <a
 * href="https://docs.nvidia.com/cuda/cuda-c-programming-guide/#binary-compatibility">CUDA
 * programming guide</a>, "Binary Compatibility" to "Family-Specific Features". Code for a Tegra (a
 * Jetson) and for other GPUs is not binary compatible, which the guide says in a note; it does not
 * say which those are. Here they are the ones that PyTorch's own table excepts ({@code
 * DEVICE_REQUIREMENT} in {@code torch/cuda}), with 11.0, which 10.1 was renamed to, and 8.8. A
 * device too many in this set costs a compile, one too few an error of the driver.
 *
 * @param major of the compute capability
 * @param minor of the compute capability
 * @param scope how far beyond that capability the code goes
 * @param isVirtual whether it is a virtual architecture, whose code is PTX, and not a real one
 */
record NvidiaArchitecture(int major, int minor, Scope scope, boolean isVirtual) {
  /** Which devices the instructions that the code may use are found on. */
  enum Scope {
    /** Those of the capability and of later ones. */
    BASELINE,
    /** Those of the family, which is the later minor revisions (suffix {@code f}). */
    FAMILY,
    /** Those of exactly this capability (suffix {@code a}). */
    EXACT
  }

  private static final Set<Integer> TEGRA = Set.of(53, 62, 72, 87, 88, 101, 110);

  /** Returns what a processor's name, such as {@code sm_90a} or {@code compute_90}, stands for. */
  static NvidiaArchitecture named(String name) {
    String number = name.substring(name.indexOf('_') + 1).toLowerCase(Locale.ROOT);
    Scope scope =
        number.endsWith("a") ? Scope.EXACT : number.endsWith("f") ? Scope.FAMILY : Scope.BASELINE;
    int capability =
        Integer.parseInt(
            scope == Scope.BASELINE ? number : number.substring(0, number.length() - 1));
    return new NvidiaArchitecture(
        capability / 10, capability % 10, scope, name.startsWith("compute_"));
  }

  /**
   * Returns whether this is what a device reports of itself: neither virtual nor more than that.
   */
  boolean isDevice() {
    return !isVirtual && scope == Scope.BASELINE;
  }

  /** Returns whether this architecture's code runs on {@code device}. */
  boolean runsOn(NvidiaArchitecture device) {
    if (!device.isDevice()) {
      return equals(device);
    }
    return switch (scope) {
      case EXACT -> capability() == device.capability();
      case FAMILY -> isBinaryCompatible(device);
      case BASELINE -> isVirtual ? capability() <= device.capability() : isBinaryCompatible(device);
    };
  }

  private boolean isBinaryCompatible(NvidiaArchitecture device) {
    return capability() == device.capability()
        || (major == device.major
            && minor <= device.minor
            && !TEGRA.contains(capability())
            && !TEGRA.contains(device.capability()));
  }

  private int capability() {
    return 10 * major + minor;
  }
}
