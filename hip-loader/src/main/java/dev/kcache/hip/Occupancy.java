// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Registers;

/**
 * Checks and limits around the occupancy that the runtime computes.
 *
 * <p>The runtime divides by what it computes from a kernel's register counts: with counts that no
 * compiler makes, and in older versions also with no vector registers at all, it ends the process
 * (SIGFPE, as reported for ROCm 5.6). Nor does it know the block size that a kernel was compiled
 * for: it suggests what the device could run, in whole wavefronts. Both were read in <a
 * href="https://github.com/ROCm/clr/blob/rocm-5.6.0/hipamd/src/hip_platform.cpp">{@code
 * hip_platform.cpp}</a>.
 */
final class Occupancy {
  private static final int SGPR_GRANULARITY = 16;

  private Occupancy() {}

  /**
   * Checks that the runtime survives a kernel's register counts.
   *
   * @throws IllegalArgumentException if it does not
   */
  static void checkRegisters(KernelMetadata kernel, String archName) {
    Registers registers = kernel.registers();
    int sgprs = (registers.sgprs() + SGPR_GRANULARITY - 1) / SGPR_GRANULARITY * SGPR_GRANULARITY;
    boolean none = registers.vgprs() == 0 && registers.sgprs() > 0;
    if (none || registers.vgprs() > mostVgprs(archName) || sgprs > mostSgprs(archName)) {
      throw new IllegalArgumentException(
          "the runtime cannot compute the occupancy of %s, which states %d vector and %d scalar registers; choose a block size yourself"
              .formatted(kernel.name(), registers.vgprs(), registers.sgprs()));
    }
  }

  /** Returns the vector registers of a lane: 512 where accumulation registers share them. */
  private static int mostVgprs(String archName) {
    if (isFrom10On(archName)) {
      return 1024;
    }
    return archName.matches("gfx9(0a|4\\d|5\\d)\\b.*") ? 512 : 256;
  }

  /** Returns the scalar registers of a SIMD, where its wavefronts share them. */
  private static int mostSgprs(String archName) {
    if (isFrom10On(archName)) {
      return Integer.MAX_VALUE - SGPR_GRANULARITY;
    }
    return archName.matches("gfx[67]\\d\\d\\b.*") ? 512 : 800;
  }

  private static boolean isFrom10On(String archName) {
    return archName.matches("gfx1\\d{3}\\b.*");
  }

  /**
   * Returns the largest block that may be suggested, in threads.
   *
   * @param wanted the largest block wanted; 0 for any
   */
  static int mostThreads(KernelMetadata kernel, DeviceProperties device, int wanted) {
    int allowed = Math.min(kernel.maxThreadsPerBlock(), device.limits().maxThreadsPerBlock());
    return wanted == 0 ? allowed : Math.min(wanted, allowed);
  }

  /** Returns {@code most} rounded down to whole wavefronts, if it has any. */
  static int wholeWavefronts(int most, int wavefrontSize) {
    return most < wavefrontSize ? most : most - most % wavefrontSize;
  }
}
