// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/**
 * What a code object says of one of its kernels: how it is called, what it takes, what it uses.
 *
 * <p>Source for AMD: the note {@code NT_AMDGPU_METADATA}, whose keys are in <a
 * href="https://llvm.org/docs/AMDGPUUsage.html#code-object-v3-metadata">LLVM's AMDGPU user
 * guide</a>.
 *
 * <p>NVIDIA's formats say less. No argument has a name or a type, each is {@code by_value}, and
 * none is hidden. A cubin does not tell the alignment of the arguments (here 1). PTX tells neither
 * registers nor scratch memory (here 0), as shared memory what the kernel itself declares, and the
 * offsets that C has: an argument that is aligned to more than 16 bytes is elsewhere in the cubin
 * that the driver makes of it, and not in the same place on every device.
 */
public final class KernelMetadata {
  private final String name;
  private final String symbol;
  private final List<Argument> arguments;
  private final int kernargSize;
  private final int kernargAlignment;
  private final Registers registers;
  private final int sharedMemoryBytes;
  private final int scratchBytes;
  private final boolean dynamicStack;
  private final int wavefrontSize;
  private final int maxThreadsPerBlock;
  private final Optional<BlockDims> requiredBlockDims;
  private final Optional<Reservation> reservation;

  /**
   * Creates the metadata of a kernel, for tests of code that takes it.
   *
   * @param name the name by which the runtime finds the kernel; of a C++ function it is mangled
   * @param symbol the symbol of the kernel's descriptor, such as {@code vadd.kd}; the name for
   *     NVIDIA
   * @param arguments the arguments by ascending place in the list of parameters; those that the
   *     runtime fills in come last
   * @param kernargSize the size in bytes of the segment that holds the arguments
   * @param kernargAlignment what the address of that segment is a multiple of, in bytes
   * @param registers the registers of each wavefront
   * @param sharedMemoryBytes the static shared memory (LDS) of a block, in bytes
   * @param scratchBytes the fixed scratch memory of a thread, in bytes
   * @param dynamicStack whether a thread may need more scratch memory than that
   * @param wavefrontSize the threads of a wavefront, 32 or 64 (NVIDIA calls it a warp)
   * @param maxThreadsPerBlock the largest block that the kernel may be launched with, in threads;
   *     1024 where one of NVIDIA's does not limit it
   * @param requiredBlockDims the only block dims that it may be launched with, if there are such
   * @param reservation what the hardware sets aside for each wavefront; nothing of NVIDIA's
   */
  @Experimental
  public KernelMetadata(
      String name,
      String symbol,
      List<Argument> arguments,
      int kernargSize,
      int kernargAlignment,
      Registers registers,
      int sharedMemoryBytes,
      int scratchBytes,
      boolean dynamicStack,
      int wavefrontSize,
      int maxThreadsPerBlock,
      Optional<BlockDims> requiredBlockDims,
      Optional<Reservation> reservation) {
    this.name = requireNonNull(name, "name");
    this.symbol = requireNonNull(symbol, "symbol");
    this.arguments = List.copyOf(requireNonNull(arguments, "arguments"));
    this.kernargSize = kernargSize;
    this.kernargAlignment = kernargAlignment;
    this.registers = requireNonNull(registers, "registers");
    this.sharedMemoryBytes = sharedMemoryBytes;
    this.scratchBytes = scratchBytes;
    this.dynamicStack = dynamicStack;
    this.wavefrontSize = wavefrontSize;
    this.maxThreadsPerBlock = maxThreadsPerBlock;
    this.requiredBlockDims = requireNonNull(requiredBlockDims, "requiredBlockDims");
    this.reservation = requireNonNull(reservation, "reservation");
  }

  /** {@return the name by which the runtime finds the kernel; of a C++ function it is mangled} */
  public String name() {
    return name;
  }

  /**
   * {@return the symbol of the kernel's descriptor, such as {@code vadd.kd}; the name for NVIDIA}
   */
  public String symbol() {
    return symbol;
  }

  /**
   * {@return the arguments by ascending place in the list of parameters; those that the runtime
   * fills in come last}
   */
  public List<Argument> arguments() {
    return arguments;
  }

  /** {@return the size in bytes of the segment that holds the arguments} */
  public int kernargSize() {
    return kernargSize;
  }

  /** {@return what the address of that segment is a multiple of, in bytes} */
  public int kernargAlignment() {
    return kernargAlignment;
  }

  /** {@return the registers of each wavefront} */
  public Registers registers() {
    return registers;
  }

  /** {@return the static shared memory (LDS) of a block, in bytes} */
  public int sharedMemoryBytes() {
    return sharedMemoryBytes;
  }

  /** {@return the fixed scratch memory of a thread, in bytes} */
  public int scratchBytes() {
    return scratchBytes;
  }

  /** {@return whether a thread may need more scratch memory than that} */
  public boolean dynamicStack() {
    return dynamicStack;
  }

  /** {@return the threads of a wavefront, 32 or 64 (NVIDIA calls it a warp)} */
  public int wavefrontSize() {
    return wavefrontSize;
  }

  /**
   * {@return the largest block that the kernel may be launched with, in threads; 1024 where one of
   * NVIDIA's does not limit it}
   */
  public int maxThreadsPerBlock() {
    return maxThreadsPerBlock;
  }

  /** {@return the only block dims that it may be launched with, if there are such} */
  public Optional<BlockDims> requiredBlockDims() {
    return requiredBlockDims;
  }

  /** {@return what the hardware sets aside for each wavefront; nothing of NVIDIA's} */
  public Optional<Reservation> reservation() {
    return reservation;
  }

  /** Returns the same with what the kernel's descriptor reserves. */
  KernelMetadata withReservation(Reservation reserved) {
    return new KernelMetadata(
        name,
        symbol,
        arguments,
        kernargSize,
        kernargAlignment,
        registers,
        sharedMemoryBytes,
        scratchBytes,
        dynamicStack,
        wavefrontSize,
        maxThreadsPerBlock,
        requiredBlockDims,
        Optional.of(reserved));
  }

  /**
   * One argument.
   *
   * @param name the parameter's name, where the compiler kept it
   * @param typeName the parameter's type, where the compiler kept it
   * @param offset where the argument begins in the kernarg segment, in bytes
   * @param size the size of the argument in bytes
   * @param valueKind LLVM's word for what it holds, such as {@code by_value}, {@code global_buffer}
   *     or {@code hidden_block_count_x}
   * @param addressSpace LLVM's word for what a pointer points into, such as {@code global}; empty
   *     for what is no pointer
   */
  public record Argument(
      Optional<String> name,
      Optional<String> typeName,
      int offset,
      int size,
      String valueKind,
      Optional<String> addressSpace) {

    /** Returns an argument of which no more is known: what it holds, no NVIDIA format tells. */
    static Argument byValue(int offset, int size) {
      return new Argument(
          Optional.empty(), Optional.empty(), offset, size, "by_value", Optional.empty());
    }

    /** {@return whether the runtime fills this argument in, and the caller does not pass it} */
    public boolean isHidden() {
      return valueKind.startsWith("hidden_");
    }
  }

  /**
   * The registers of each wavefront, and how many values were moved to memory for want of them.
   *
   * @param vgprs vector registers; of NVIDIA's, the registers of each thread
   * @param agprs accumulation registers; 0 where the processor has none
   * @param sgprs scalar registers
   * @param vgprSpills values that were spilled from vector registers
   * @param sgprSpills values that were spilled from scalar registers
   */
  public record Registers(int vgprs, int agprs, int sgprs, int vgprSpills, int sgprSpills) {}

  /**
   * What the hardware sets aside for each wavefront, from the kernel's descriptor. It may be more
   * than {@linkplain Registers what the kernel uses}: a compiler that is asked for few wavefronts
   * keeps others out this way.
   *
   * @param vgprBlocks vector registers, those for accumulation included, in blocks whose size the
   *     processor decides
   * @param workgroupProcessor whether a block may spread over both compute units of a workgroup
   *     processor of RDNA
   */
  public record Reservation(int vgprBlocks, boolean workgroupProcessor) {}

  /**
   * Block dims, in threads.
   *
   * @param x threads along x
   * @param y threads along y
   * @param z threads along z
   */
  public record BlockDims(int x, int y, int z) {
    int threads() {
      return x * y * z;
    }
  }

  private List<Object> values() {
    return List.of(
        name,
        symbol,
        arguments,
        kernargSize,
        kernargAlignment,
        registers,
        sharedMemoryBytes,
        scratchBytes,
        dynamicStack,
        wavefrontSize,
        maxThreadsPerBlock,
        requiredBlockDims,
        reservation);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KernelMetadata that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return "KernelMetadata" + values();
  }
}
