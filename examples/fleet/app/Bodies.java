// SPDX-License-Identifier: Apache-2.0
import dev.kcache.testing.StandInBuffer;
import dev.kcache.testing.StandInGpu;
import dev.kcache.testing.StandInKernel;
import dev.kcache.testing.StandInSetup;

/** What saxpy.hip does, in Java, for a machine without a GPU. */
public final class Bodies implements StandInSetup {
  @Override
  public void configure(StandInGpu.Builder gpu) {
    gpu.target("gfx90a")
        .kernel(
            "saxpy",
            StandInKernel.perThread(
                (thread, call) -> {
                  long i = thread.x();
                  if (i < call.intAt(0)) {
                    StandInBuffer y = call.buffer(3);
                    y.setFloat(i, y.getFloat(i) + call.floatAt(1) * call.buffer(2).getFloat(i));
                  }
                }));
  }
}
