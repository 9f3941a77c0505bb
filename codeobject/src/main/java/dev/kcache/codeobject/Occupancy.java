// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.ComputeUnit.Room;
import dev.kcache.codeobject.KernelMetadata.Reservation;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How many wavefronts of a kernel a SIMD of its processor can hold at a time, if nothing else runs,
 * and what keeps them from being more. It is the number that clang 21 prints with {@code
 * -Rpass-analysis=kernel-resource-usage}. Clang 15 prints the same, except that it counts shared
 * memory and blocks of a fixed size differently and gives gfx1100 and gfx1101 fewer registers.
 *
 * <pre>{@code
 * Occupancy.of(code.target().processor(), code.kernel("saxpy"))
 *     .ifPresent(
 *         occupancy ->
 *             System.out.println(
 *                 occupancy.waves() + " of " + occupancy.most() + ", for " + occupancy.limit()));
 * }</pre>
 *
 * <p>The block's size at the launch counts, too, and is not known here: it is taken to be the
 * largest that the kernel allows, or the smallest where more wavefronts fit then. Shared memory
 * that only the launch asks for and scratch memory may lower the number further.
 *
 * <p>Source: {@code getOccupancyWithWorkGroupSizes} in {@code
 * llvm/lib/Target/AMDGPU/AMDGPUSubtarget.cpp} and {@code GCNSubtarget::computeOccupancy}, read in
 * one snapshot of LLVM's sources, with the numbers of {@link ComputeUnit}.
 *
 * @param waves wavefronts per SIMD, from 1 to {@code most}
 * @param most the most wavefronts per SIMD of any kernel on the processor
 * @param limit what keeps the wavefronts from being more; of several the first
 */
public record Occupancy(int waves, int most, Limit limit) {

  /** What limits the wavefronts of a SIMD. */
  public enum Limit {
    /** The processor itself: the kernel could not have more. */
    PROCESSOR,
    /** The vector registers of the kernel, those for accumulation included. */
    VGPRS,
    /** The scalar registers of the kernel. */
    SGPRS,
    /** The wavefronts of a block, which come and go together. */
    BLOCK_SIZE,
    /** The static shared memory (LDS) of a block. */
    SHARED_MEMORY
  }

  /**
   * {@return the occupancy of a kernel in code for {@code processor}; nothing for NVIDIA's, whose
   * formats tell too little, and for processors whose numbers kcache lacks}
   *
   * @param processor what the code was compiled for
   * @param kernel the metadata of the kernel in that code
   */
  public static Optional<Occupancy> of(Processor processor, KernelMetadata kernel) {
    requireNonNull(processor, "processor");
    requireNonNull(kernel, "kernel");
    Optional<Reservation> reservation = kernel.reservation();
    return ComputeUnit.of(processor)
        .flatMap(unit -> reservation.map(reserved -> of(unit, reserved, kernel)));
  }

  /**
   * {@return how many blocks of a kernel a compute unit holds at a time, if nothing else runs;
   * nothing where {@link #of} gives nothing} Both compute units of a workgroup processor count half
   * of what they share.
   *
   * @param processor what the code was compiled for
   * @param kernel the metadata of the kernel in that code
   * @param threads the threads of a block, at least 1
   * @param dynamicSharedMemory the shared memory that the launch adds to a block, in bytes
   */
  public static OptionalInt blocksPerComputeUnit(
      Processor processor, KernelMetadata kernel, int threads, int dynamicSharedMemory) {
    requireNonNull(processor, "processor");
    requireNonNull(kernel, "kernel");
    Optional<ComputeUnit> unit = ComputeUnit.of(processor);
    return unit.isPresent() && kernel.reservation().isPresent()
        ? OptionalInt.of(
            blocks(unit.get(), kernel.reservation().get(), kernel, threads, dynamicSharedMemory))
        : OptionalInt.empty();
  }

  private static int blocks(
      ComputeUnit unit, Reservation reserved, KernelMetadata kernel, int threads, int dynamic) {
    Room room = unit.room(reserved.workgroupProcessor());
    int wavesOfBlock = (threads + kernel.wavefrontSize() - 1) / kernel.wavefrontSize();
    int wavesOfSimd =
        Math.min(
            unit.wavesByVgprs(reserved.vgprBlocks(), kernel.wavefrontSize()),
            Math.min(unit.waves(), unit.wavesBySgprs(kernel.registers().sgprs())));
    int byWaves = wavesOfSimd * room.simds() / wavesOfBlock;
    int bySharedMemory = room.sharedMemory() / Math.max(1, kernel.sharedMemoryBytes() + dynamic);
    int byBarriers = wavesOfBlock == 1 ? Integer.MAX_VALUE : room.barriers();
    int blocks = Math.min(byWaves, Math.min(bySharedMemory, byBarriers));
    return blocks > 1 && room.isPair() ? blocks / 2 : blocks;
  }

  private static Occupancy of(ComputeUnit unit, Reservation reserved, KernelMetadata kernel) {
    Room room = unit.room(reserved.workgroupProcessor());
    int blocks = room.sharedMemory() / Math.max(1, kernel.sharedMemoryBytes());
    return new Occupancy(unit.waves(), unit.waves(), Limit.PROCESSOR)
        .atMost(unit.wavesByVgprs(reserved.vgprBlocks(), kernel.wavefrontSize()), Limit.VGPRS)
        .atMost(unit.wavesBySgprs(kernel.registers().sgprs()), Limit.SGPRS)
        .atMost(room.waves(kernel, Integer.MAX_VALUE), Limit.BLOCK_SIZE)
        .atMost(room.waves(kernel, blocks), Limit.SHARED_MEMORY);
  }

  private Occupancy atMost(int other, Limit reason) {
    return other < waves ? new Occupancy(other, most, reason) : this;
  }
}
