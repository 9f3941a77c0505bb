// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata;

/** What is wrong with a launch, found before the runtime is asked for it. */
final class LaunchChecks {
  private LaunchChecks() {}

  /**
   * @throws IllegalArgumentException if the stream is another device's, or the device or the kernel
   *     does not allow the configuration; the message names the limit
   */
  static void check(HipFunction function, LaunchConfig config, HipStream stream) {
    HipDevice device = function.module().device();
    if (!stream.device().equals(device)) {
      throw new IllegalArgumentException(
          "%s is loaded on device %d, the stream is device %d's"
              .formatted(function.name(), device.ordinal(), stream.device().ordinal()));
    }
    KernelMetadata kernel = function.metadata();
    long threads = config.blockDims().count();
    if (threads > kernel.maxThreadsPerBlock()) {
      throw new IllegalArgumentException(
          "%s allows %d threads per block (max_flat_workgroup_size), not %d"
              .formatted(function.name(), kernel.maxThreadsPerBlock(), threads));
    }
  }
}
