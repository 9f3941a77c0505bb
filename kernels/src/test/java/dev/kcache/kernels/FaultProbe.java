// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;

/** A program whose second kernel writes to memory that is not there. */
final class FaultProbe {
  private static final long FAR_OUTSIDE = 1L << 46;

  private FaultProbe() {}

  /** Prints what it is told of that, which is all that it prints. */
  public static void main(String[] arguments) {
    try (KernelManager kernels = KernelManager.create();
        HipStream stream = kernels.device().createStream();
        DeviceBuffer x = ProbeKernels.ramp(kernels.device(), 1000, 1)) {
      LoadedModule module = kernels.getOrCompile(ProbeKernels.SOURCE);
      ProbeKernels.twice(module.function("vadd"), stream, x, x);
      module
          .function("fault")
          .launch(LaunchConfig.of(1, 1), stream, KernelArguments.of(FAR_OUTSIDE));
      stream.synchronize();
      System.out.println("no fault");
    } catch (HipException e) {
      System.out.println(e.getMessage());
    }
  }
}
