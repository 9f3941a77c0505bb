// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.hip.Dim3;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A launch on a {@link StandInGpu}: what its body works on, and what a test can assert later.
 *
 * <p>Arguments are read by their position among the kernel's parameters, from 0. Their sizes, and
 * which are pointers, come from the code object; reading one as something else throws {@link
 * IllegalArgumentException}, and a position that there is not {@link IndexOutOfBoundsException}.
 */
public final class KernelCall {
  private final Code.Function function;
  private final Dim3 gridDims;
  private final Dim3 blockDims;
  private final int sharedMemoryBytes;
  private final List<Argument> parameters;
  private final ByteBuffer arguments;
  private final @Nullable StandInBuffer[] buffers;

  /**
   * Creates a call.
   *
   * @param arguments as the kernel sees them, without hidden ones
   */
  KernelCall(
      Code.Function function,
      Dim3 gridDims,
      Dim3 blockDims,
      int sharedMemoryBytes,
      ByteBuffer arguments) {
    this.function = function;
    this.gridDims = gridDims;
    this.blockDims = blockDims;
    this.sharedMemoryBytes = sharedMemoryBytes;
    this.parameters = function.parameters();
    this.arguments = arguments.order(ByteOrder.nativeOrder());
    this.buffers = new StandInBuffer[parameters.size()];
  }

  /** {@return the kernel's name in the code object; of a C++ function it is mangled} */
  public String kernel() {
    return metadata().name();
  }

  /** {@return what the code object says of the kernel, hidden arguments included} */
  public KernelMetadata metadata() {
    return function.metadata();
  }

  /** {@return the ordinal of the device that it was launched on} */
  public int device() {
    return function.code().device().ordinal();
  }

  /** {@return the blocks of the grid} */
  public Dim3 gridDims() {
    return gridDims;
  }

  /** {@return the threads of a block} */
  public Dim3 blockDims() {
    return blockDims;
  }

  /** {@return the dynamic shared memory of a block, in bytes} */
  public int sharedMemoryBytes() {
    return sharedMemoryBytes;
  }

  /** {@return the number of arguments, without hidden ones} */
  public int argumentCount() {
    return parameters.size();
  }

  /**
   * {@return an argument of one byte, such as a {@code char} or {@code bool}}
   *
   * @param position among the kernel's parameters, from 0
   */
  public byte byteAt(int position) {
    return arguments.get(offset(position, Byte.BYTES));
  }

  /**
   * {@return an argument of two bytes, such as a {@code short} or the bits of a {@code __half}}
   *
   * @param position among the kernel's parameters, from 0
   */
  public short shortAt(int position) {
    return arguments.getShort(offset(position, Short.BYTES));
  }

  /**
   * {@return an argument of four bytes as an integer}
   *
   * @param position among the kernel's parameters, from 0
   */
  public int intAt(int position) {
    return arguments.getInt(offset(position, Integer.BYTES));
  }

  /**
   * {@return an argument of eight bytes as an integer}
   *
   * @param position among the kernel's parameters, from 0
   */
  public long longAt(int position) {
    return arguments.getLong(offset(position, Long.BYTES));
  }

  /**
   * {@return an argument of four bytes as a {@code float}}
   *
   * @param position among the kernel's parameters, from 0
   */
  public float floatAt(int position) {
    return arguments.getFloat(offset(position, Float.BYTES));
  }

  /**
   * {@return an argument of eight bytes as a {@code double}}
   *
   * @param position among the kernel's parameters, from 0
   */
  public double doubleAt(int position) {
    return arguments.getDouble(offset(position, Double.BYTES));
  }

  /**
   * {@return the bytes of an argument of any size, such as a structure, in native order} The buffer
   * can only be read.
   *
   * @param position among the kernel's parameters, from 0
   */
  public ByteBuffer bytesAt(int position) {
    Argument parameter = parameters.get(position);
    return arguments
        .slice(parameter.offset(), parameter.size())
        .asReadOnlyBuffer()
        .order(ByteOrder.nativeOrder());
  }

  /**
   * {@return the memory that a pointer leads to: from there to the end of the allocation} A null or
   * wrong pointer gives a buffer of 0 bytes, whose every use is a fault.
   *
   * @param position among the kernel's parameters, from 0
   */
  public StandInBuffer buffer(int position) {
    StandInBuffer buffer = buffers[position];
    if (buffer == null) {
      Argument parameter = parameters.get(position);
      if (!isPointer(parameter)) {
        throw mismatch(position, "a pointer");
      }
      buffer = function.code().bufferAt(kernel(), arguments.getLong(parameter.offset()));
      buffers[position] = buffer;
    }
    return buffer;
  }

  /**
   * {@return the memory at an address that came in a structure or as a number, as {@link
   * #buffer(int)} does}
   *
   * @param address as the kernel has it; 0 or a wrong one gives a buffer of 0 bytes
   */
  public StandInBuffer bufferAt(long address) {
    return function.code().bufferAt(kernel(), address);
  }

  /**
   * {@return the memory of a {@code __device__} or {@code __constant__} variable of the kernel's
   * module}
   *
   * @param name the variable's name in the code object; of a C++ variable in a namespace it is
   *     mangled
   * @throws IllegalArgumentException if the module has none of the name
   */
  public StandInBuffer global(String name) {
    requireNonNull(name, "name");
    try {
      return bufferAt(function.code().global(name).address());
    } catch (StandInError e) {
      throw new IllegalArgumentException(e.reason(), e);
    }
  }

  private int offset(int position, int size) {
    Argument parameter = parameters.get(position);
    if (parameter.size() != size || isPointer(parameter)) {
      throw mismatch(position, size + " bytes by value");
    }
    return parameter.offset();
  }

  private static boolean isPointer(Argument parameter) {
    return parameter.valueKind().equals("global_buffer");
  }

  private IllegalArgumentException mismatch(int position, String wanted) {
    Argument parameter = parameters.get(position);
    return new IllegalArgumentException(
        "argument %d of %s is %s, not %s"
            .formatted(
                position,
                kernel(),
                isPointer(parameter) ? "a pointer" : parameter.size() + " bytes by value",
                wanted));
  }

  /** Returns kernel and dims, such as {@code saxpy<<<4x1x1, 256x1x1>>>}. */
  @Override
  public String toString() {
    return "%s<<<%s, %s>>>".formatted(kernel(), gridDims, blockDims);
  }
}
