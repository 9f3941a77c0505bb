// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A program that launches very often, and says by how much memory has grown meanwhile. */
final class GrowthProbe {
  private static final int BURST = 500;

  private GrowthProbe() {}

  /** Prints the launches, and the growth of the process and of what the device has in use. */
  public static void main(String[] arguments) throws IOException {
    int launches = Integer.parseInt(arguments[0]);
    try (KernelManager kernels = KernelManager.create();
        HipStream stream = kernels.device().createStream();
        DeviceBuffer x = ProbeKernels.ramp(kernels.device(), 64, 1)) {
      HipDevice device = kernels.device();
      HipFunction scale = kernels.kernel(ProbeKernels.SOURCE, "scale");
      launch(scale, stream, x, launches / 4);
      long process = residentBytes();
      long unused = device.freeMemory();
      launch(scale, stream, x, launches);
      System.out.println(launches + " launches");
      System.out.println(((residentBytes() - process) >> 20) + " MiB more of the process");
      System.out.println(((unused - device.freeMemory()) >> 20) + " MiB more of the device");
    }
  }

  /** Half of the launches have arguments of their own, whose memory is not the heap's. */
  private static void launch(HipFunction scale, HipStream stream, DeviceBuffer x, int launches) {
    LaunchConfig config = LaunchConfig.of(1, 64);
    KernelArguments reused = KernelArguments.of(x, 1.0, 64L);
    for (int i = 0; i < launches; i++) {
      scale.launch(config, stream, i % 2 == 0 ? reused : KernelArguments.of(x, 1.0, 64L));
      if (i % BURST == 0) {
        stream.synchronize();
      }
    }
    stream.synchronize();
  }

  private static long residentBytes() throws IOException {
    System.gc();
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new AssertionError("/proc/self/status does not tell VmRSS");
  }
}
