// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

/**
 * Prepares the GPU that a program gets whose environment has {@code KCACHE_RUNTIME=stand-in}. An
 * application's tests provide it by {@link java.util.ServiceLoader}: a class of this type with a
 * public constructor without parameters, named in {@code
 * META-INF/services/dev.kcache.testing.StandInSetup}.
 *
 * <pre>{@code
 * public final class OurKernels implements StandInSetup {
 *   @Override
 *   public void configure(StandInGpu.Builder gpu) {
 *     gpu.target("gfx1100").kernel("saxpy", Bodies.SAXPY);
 *   }
 * }
 * }</pre>
 */
public interface StandInSetup {
  /**
   * Sets what the GPU is, and the bodies of kernels. Several setups are asked one by one.
   *
   * @param gpu builds the GPU of the process, with what setups before this one have set
   */
  void configure(StandInGpu.Builder gpu);
}
