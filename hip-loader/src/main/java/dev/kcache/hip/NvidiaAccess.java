// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What stands between this process and NVIDIA's devices.
 *
 * @param environment the environment variables
 * @param missing whether the kernel driver's device file should be there and is not
 */
record NvidiaAccess(Map<String, String> environment, boolean missing) implements DeviceAccess {
  private static final String CONTROL = "/dev/nvidiactl";

  /** An empty value hides all devices, and so does a first token that names none. */
  private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";

  /** Looks at this machine. */
  static NvidiaAccess of(Map<String, String> environment) {
    return of(environment, Path.of("/"));
  }

  /**
   * Looks at the machine whose files are below a directory: Windows has none, Linux in it others.
   */
  static NvidiaAccess of(Map<String, String> environment, Path root) {
    boolean elsewhere = !Files.exists(root.resolve("dev")) || Files.exists(root.resolve("dev/dxg"));
    return new NvidiaAccess(
        environment, !elsewhere && !Files.exists(root.resolve("dev/nvidiactl")));
  }

  @Override
  public String whyNone() {
    if (missing) {
      return "there is no %s; load the nvidia kernel module, or give a container the GPU with --gpus all"
          .formatted(CONTROL);
    }
    return environment.containsKey(VISIBLE)
        ? setting() + " may hide what there is; unset it, or name devices that are there"
        : "the driver shows none; see what nvidia-smi says";
  }

  @Override
  public String hidden() {
    return environment.containsKey(VISIBLE) ? "; " + setting() + " may hide others" : "";
  }

  private String setting() {
    return VISIBLE + "='" + environment.get(VISIBLE) + "'";
  }
}
