// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.KernelMetadata.BlockDims;
import java.util.Optional;

/**
 * What the wavefronts of a kernel share on an AMD processor. Vector registers are counted for
 * wavefronts of 32 threads where the processor has these; those of 64 take two each.
 *
 * <p>Source: {@code llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp}, namespace {@code IsaInfo}
 * ({@code getMaxWavesPerEU}, {@code getTotalNumVGPRs}, {@code getVGPRAllocGranule}, {@code
 * getVGPREncodingGranule}, {@code getAddressableLocalMemorySize}, {@code getEUsPerCU}), and the
 * processors' features in {@code AMDGPU.td}, read in one snapshot of LLVM's sources. Only
 * processors whose numbers were found there have a row.
 *
 * @param generation the ISA's major version, which decides how scalar registers count
 * @param waves the most wavefronts of a SIMD
 * @param vgprs the vector registers of a SIMD, per thread
 * @param granule how many of them are allocated together
 * @param encodingGranule how many of them a kernel descriptor counts as one block
 * @param sharedMemory the shared memory of a compute unit in bytes
 */
record ComputeUnit(
    int generation, int waves, int vgprs, int granule, int encodingGranule, int sharedMemory) {
  private static final int KIB = 1024;

  /** Of both compute units of a workgroup processor; one alone has 16. */
  private static final int PAIR_BARRIERS = 32;

  /** Returns what a processor has, if it is AMD's and known to the source. */
  static Optional<ComputeUnit> of(Processor processor) {
    return switch (processor) {
      case GFX600, GFX601, GFX602 -> gcn(6, 32 * KIB);
      case GFX700, GFX701, GFX702, GFX703, GFX704, GFX705 -> gcn(7, 64 * KIB);
      case GFX801, GFX802, GFX803, GFX805, GFX810 -> gcn(8, 64 * KIB);
      case GFX900, GFX902, GFX904, GFX906, GFX908, GFX909, GFX90C, GFX9_GENERIC -> gcn(9, 64 * KIB);
      case GFX90A, GFX942, GFX9_4_GENERIC -> cdna(64 * KIB);
      case GFX950 -> cdna(160 * KIB);
      case GFX1010, GFX1011, GFX1012, GFX1013, GFX10_1_GENERIC -> rdna(10, 20, 1024, 8);
      case GFX1030, GFX1031, GFX1032, GFX1033, GFX1034, GFX1035, GFX1036, GFX10_3_GENERIC ->
          rdna(10, 16, 1024, 16);
      case GFX1102, GFX1103, GFX1150, GFX1152, GFX1153, GFX11_GENERIC -> rdna(11, 16, 1024, 16);
      case GFX1100, GFX1101, GFX1151 -> rdna(11, 16, 1536, 24);
      case GFX1200, GFX1201, GFX12_GENERIC -> rdna(12, 16, 1536, 24);
      case GFX1250, GFX1251, GFX12_5_GENERIC ->
          Optional.of(new ComputeUnit(12, 16, 1024, 16, 16, 320 * KIB));
      default -> Optional.empty();
    };
  }

  private static Optional<ComputeUnit> gcn(int generation, int sharedMemory) {
    return Optional.of(new ComputeUnit(generation, 10, 256, 4, 4, sharedMemory));
  }

  /** Registers for accumulation are in the same file as the others. */
  private static Optional<ComputeUnit> cdna(int sharedMemory) {
    return Optional.of(new ComputeUnit(9, 8, 512, 8, 8, sharedMemory));
  }

  private static Optional<ComputeUnit> rdna(int generation, int waves, int vgprs, int granule) {
    return Optional.of(new ComputeUnit(generation, waves, vgprs, granule, 8, 64 * KIB));
  }

  /** Returns how many wavefronts of a kernel fit into a SIMD's vector registers. */
  int wavesByVgprs(int blocks, int wavefrontSize) {
    int halves = isRdna() && wavefrontSize == 64 ? 2 : 1;
    int needed = roundUp(blocks * (encodingGranule / halves), granule / halves);
    return Math.max(1, vgprs / halves / needed);
  }

  /** Returns how many wavefronts of a kernel fit into a SIMD's scalar registers. */
  int wavesBySgprs(int sgprs) {
    if (isRdna()) {
      return waves;
    }
    return generation >= 8
        ? wavesBySgprs(sgprs, 80, 88, 100)
        : wavesBySgprs(sgprs, 48, 56, 64, 72, 80);
  }

  /** Source: {@code IsaInfo::getOccupancyWithNumSGPRs}, whose steps are those of the hardware. */
  private static int wavesBySgprs(int sgprs, int... most) {
    int waves = 10;
    for (int each : most) {
      if (sgprs <= each) {
        return waves;
      }
      waves--;
    }
    return waves;
  }

  /**
   * Returns what the wavefronts of a block share.
   *
   * @param workgroupProcessor whether a block may spread over both compute units of a workgroup
   *     processor, which some processors have
   */
  Room room(boolean workgroupProcessor) {
    if (!isDual()) {
      return new Room(4, 4 * waves, 16, sharedMemory);
    }
    return workgroupProcessor
        ? new Room(4, 4 * waves, PAIR_BARRIERS, 2 * sharedMemory)
        : new Room(2, 2 * waves, 16, sharedMemory);
  }

  private boolean isRdna() {
    return generation >= 10;
  }

  /** Whether two compute units of two SIMDs each form a workgroup processor. */
  private boolean isDual() {
    return isRdna() && encodingGranule == 8;
  }

  /**
   * Where the wavefronts of a block are.
   *
   * @param simds the SIMDs
   * @param slots the most wavefronts of all SIMDs
   * @param barriers the most blocks of more than one wavefront
   * @param sharedMemory the shared memory of all blocks, in bytes
   */
  record Room(int simds, int slots, int barriers, int sharedMemory) {
    /** Returns whether this is a workgroup processor, a pair of compute units. */
    boolean isPair() {
      return barriers == PAIR_BARRIERS;
    }

    /** Returns how many wavefronts of a kernel a SIMD has, if there may be {@code most} blocks. */
    int waves(KernelMetadata kernel, int most) {
      int largest = wavesPerBlock(kernel);
      int smallest = kernel.requiredBlockDims().isPresent() ? largest : 1;
      int waves = largest * blocks(largest, most);
      int blocks = blocks(smallest, most);
      if (blocks * smallest > waves) {
        int spare = (slots - blocks * smallest) / blocks;
        waves = blocks * (smallest + Math.min(spare, largest - smallest));
      }
      return Math.max(1, (int) divideUp(waves, simds));
    }

    private int wavesPerBlock(KernelMetadata kernel) {
      long threads =
          kernel.requiredBlockDims().map(BlockDims::threads).orElse(kernel.maxThreadsPerBlock());
      return (int) Math.max(1, Math.min(slots, divideUp(threads, kernel.wavefrontSize())));
    }

    /** A block of one wavefront needs no barrier. */
    private int blocks(int waves, int most) {
      return Math.min(most, waves == 1 ? slots : Math.min(slots / waves, barriers));
    }
  }

  private static int roundUp(int number, int multiple) {
    return (int) divideUp(number, multiple) * multiple;
  }

  private static long divideUp(long number, int by) {
    return (number + by - 1) / by;
  }
}
