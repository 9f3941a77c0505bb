// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.Dim3;

/**
 * The body of a kernel in Java, which a {@link StandInGpu} runs in place of the kernel's code.
 *
 * <pre>{@code
 * StandInKernel saxpy =
 *     StandInKernel.perThread(
 *         (thread, call) -> {
 *           long i = thread.x();
 *           if (i < call.intAt(0)) {
 *             StandInBuffer y = call.buffer(3);
 *             y.setFloat(i, call.floatAt(1) * call.buffer(2).getFloat(i) + y.getFloat(i));
 *           }
 *         });
 * }</pre>
 *
 * <p>A body runs on the thread that waits for the stream of the launch. Bodies of one GPU run one
 * at a time, so a body must not wait for another thread that uses the GPU.
 */
@FunctionalInterface
public interface StandInKernel {
  /**
   * Does the work of a whole launch, of all its threads.
   *
   * @param call the launch, with its arguments and the memory that they lead to
   * @throws Exception of any kind, which is on the GPU a failed launch (719, {@code
   *     hipErrorLaunchFailure}): the device is lost, and every later call for it throws a {@link
   *     dev.kcache.hip.HipException} with this exception's text
   */
  void run(KernelCall call) throws Exception;

  /** The work of one thread of a launch. */
  @FunctionalInterface
  interface PerThread {
    /**
     * Does the work of one thread.
     *
     * @param thread says which thread it is; the same object for all threads of the launch
     * @param call the launch; the same object for all threads of it
     * @throws Exception as {@link StandInKernel#run}
     */
    void run(KernelThread thread, KernelCall call) throws Exception;
  }

  /**
   * Makes a body of the work of one thread.
   *
   * @param body runs once for each thread of the grid, one after the other, block by block. So it
   *     can't have threads that exchange values by shared memory: write that as a loop over the
   *     blocks in {@link #run}
   * @return a body of whole launches
   */
  static StandInKernel perThread(PerThread body) {
    requireNonNull(body, "body");
    return call -> {
      KernelThread thread = new KernelThread(call.blockDims());
      Dim3 grid = call.gridDims();
      for (int z = 0; z < grid.z(); z++) {
        for (int y = 0; y < grid.y(); y++) {
          for (int x = 0; x < grid.x(); x++) {
            thread.enterBlock(x, y, z);
            do {
              body.run(thread, call);
            } while (thread.next());
          }
        }
      }
    };
  }
}
