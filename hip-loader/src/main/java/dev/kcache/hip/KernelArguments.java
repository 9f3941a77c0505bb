// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a launch, in the order of the kernel's parameters.
 *
 * <pre>{@code
 * KernelArguments arguments = KernelArguments.of(n, 0f, x, y);
 * for (float factor : factors) {
 *   saxpy.launch(config, stream, arguments.set(1, factor)); // copies the values
 * }
 * }</pre>
 *
 * <p>What can be passed: a {@link DeviceBuffer} or a {@link DevicePointer} where the kernel takes a
 * pointer; a {@code boolean}, {@code byte}, {@code short}, {@code int}, {@code long}, {@link
 * Float16}, {@link BFloat16}, {@code float} or {@code double} where it takes a value of that size;
 * and the bytes of a structure, as a {@code byte[]} or a {@link ByteBuffer}, which must be as many
 * as the structure has with its padding. A code object does not say which of the types of one size
 * a parameter has, so an {@code int} for a {@code float} goes unnoticed; what the runtime fills in
 * itself (hidden arguments) is not passed.
 *
 * <p>They are checked against the kernel when they are first launched with it. Launches after that
 * allocate nothing, with changed values too, as long as each argument stays what it is.
 *
 * <p>Not safe for use by several threads at once: each has its own. A launch that finds another one
 * under way throws {@link IllegalStateException}.
 */
public final class KernelArguments {
  private final ArgumentKind[] kinds;

  /** The bits of numbers and pointers. */
  private final long[] bits;

  /** The bytes of structures and the device buffers. */
  private final @Nullable Object[] objects;

  private final AtomicBoolean inUse = new AtomicBoolean();
  private @Nullable ArgumentLayout layout;

  private KernelArguments(int count) {
    kinds = new ArgumentKind[count];
    bits = new long[count];
    objects = new Object[count];
  }

  /**
   * {@return arguments with these values, boxed if primitive; null is the null pointer}
   *
   * @param values one for each parameter of the kernel, in order
   * @throws IllegalArgumentException if a value is of a type that cannot be passed
   */
  public static KernelArguments of(@Nullable Object... values) {
    Objects.requireNonNull(values, "values");
    KernelArguments arguments = new KernelArguments(values.length);
    for (int i = 0; i < values.length; i++) {
      arguments.setAny(i, values[i]);
    }
    return arguments;
  }

  private void setAny(int index, @Nullable Object value) {
    if (value == null) {
      set(index, DevicePointer.NULL);
    } else if (value instanceof DeviceBuffer buffer) {
      set(index, buffer);
    } else if (value instanceof DevicePointer pointer) {
      set(index, pointer);
    } else if (value instanceof ByteBuffer structure) {
      set(index, structure);
    } else if (value instanceof byte[] structure) {
      set(index, structure);
    } else {
      setNumber(index, value);
    }
  }

  private void setNumber(int index, Object value) {
    if (value instanceof Integer number) {
      set(index, (int) number);
    } else if (value instanceof Float number) {
      set(index, (float) number);
    } else if (value instanceof Long number) {
      set(index, (long) number);
    } else if (value instanceof Double number) {
      set(index, (double) number);
    } else if (value instanceof Short number) {
      set(index, (short) number);
    } else if (value instanceof Byte number) {
      set(index, (byte) number);
    } else if (value instanceof Boolean number) {
      set(index, (boolean) number);
    } else if (value instanceof Float16 number) {
      set(index, number);
    } else if (value instanceof BFloat16 number) {
      set(index, number);
    } else {
      throw new IllegalArgumentException(
          "argument %d is a %s; pass a DeviceBuffer, a DevicePointer, a number, or a structure's bytes"
              .formatted(index, value.getClass().getName()));
    }
  }

  /** {@return the number of arguments} */
  public int count() {
    return kinds.length;
  }

  /**
   * Changes an argument to a C++ {@code bool}, one byte.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   * @throws IndexOutOfBoundsException if there is no such argument
   * @throws IllegalStateException if a launch with these arguments is under way
   */
  public KernelArguments set(int index, boolean value) {
    return set(index, ArgumentKind.BOOLEAN, value ? 1 : 0);
  }

  /**
   * Changes an argument to one byte; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   */
  public KernelArguments set(int index, byte value) {
    return set(index, ArgumentKind.I8, value);
  }

  /**
   * Changes an argument to two bytes; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   */
  public KernelArguments set(int index, short value) {
    return set(index, ArgumentKind.I16, value);
  }

  /**
   * Changes an argument to four bytes; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   */
  public KernelArguments set(int index, int value) {
    return set(index, ArgumentKind.I32, value);
  }

  /**
   * Changes an argument to a number of eight bytes, which is no pointer; throws as {@link #set(int,
   * boolean)} does.
   *
   * @param index which argument, from 0
   * @param value a number; a pointer is a {@link DevicePointer}
   * @return these arguments
   */
  public KernelArguments set(int index, long value) {
    return set(index, ArgumentKind.I64, value);
  }

  /**
   * Changes an argument; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   */
  public KernelArguments set(int index, Float16 value) {
    Objects.requireNonNull(value, "value");
    return set(index, ArgumentKind.F16, value.bits());
  }

  /**
   * Changes an argument; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   */
  public KernelArguments set(int index, BFloat16 value) {
    Objects.requireNonNull(value, "value");
    return set(index, ArgumentKind.BF16, value.bits());
  }

  /**
   * Changes an argument; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   */
  public KernelArguments set(int index, float value) {
    return set(index, ArgumentKind.F32, Float.floatToRawIntBits(value));
  }

  /**
   * Changes an argument; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value what the kernel gets
   * @return these arguments
   */
  public KernelArguments set(int index, double value) {
    return set(index, ArgumentKind.F64, Double.doubleToRawLongBits(value));
  }

  /**
   * Changes an argument; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param value an address in the launch device's memory
   * @return these arguments
   */
  public KernelArguments set(int index, DevicePointer value) {
    Objects.requireNonNull(value, "value");
    return set(index, ArgumentKind.POINTER, value.address());
  }

  /**
   * Changes an argument. The buffer has to be of the launch's device, and open then; it is kept
   * open during each launch, but not until the kernel is done. Throws as {@link #set(int, boolean)}
   * does.
   *
   * @param index which argument, from 0
   * @param value a buffer of the launch's device
   * @return these arguments
   */
  public KernelArguments set(int index, DeviceBuffer value) {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(value);
    checkChange(index, ArgumentKind.BUFFER);
    objects[index] = value;
    return this;
  }

  /**
   * Changes an argument to a copy of these bytes; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param structure as many bytes as the kernel's parameter has
   * @return these arguments
   */
  public KernelArguments set(int index, byte[] structure) {
    Objects.requireNonNull(structure, "structure");
    return set(index, ByteBuffer.wrap(structure));
  }

  /**
   * Changes an argument to a copy of the remaining bytes of {@code structure}, whose position is
   * left alone; throws as {@link #set(int, boolean)} does.
   *
   * @param index which argument, from 0
   * @param structure as many bytes as the kernel's parameter has
   * @return these arguments
   */
  public KernelArguments set(int index, ByteBuffer structure) {
    Objects.requireNonNull(structure, "structure");
    checkChange(index, ArgumentKind.STRUCT);
    int size = structure.remaining();
    if (!(objects[index] instanceof byte[] bytes) || bytes.length != size) {
      objects[index] = new byte[size];
      layout = null;
    }
    structure.get(structure.position(), bytes(index));
    return this;
  }

  private KernelArguments set(int index, ArgumentKind kind, long value) {
    checkChange(index, kind);
    bits[index] = value;
    return this;
  }

  /** An argument that changes its kind has to be checked again. */
  private void checkChange(int index, ArgumentKind kind) {
    Objects.checkIndex(index, kinds.length);
    if (inUse.get()) {
      throw inUse();
    }
    if (kinds[index] != kind) {
      kinds[index] = kind;
      objects[index] = null;
      layout = null;
    }
  }

  private static IllegalStateException inUse() {
    return new IllegalStateException(
        "these arguments are in use by a launch on another thread; each thread needs its own");
  }

  /**
   * Lays the arguments out for {@code function}, and keeps them as they are and their buffers open
   * until {@link #release}.
   *
   * @throws IllegalArgumentException if the function takes other arguments
   * @throws IllegalStateException if another launch has them, or a buffer is closed
   */
  ArgumentLayout acquire(HipFunction function) {
    if (!inUse.compareAndSet(false, true)) {
      throw inUse();
    }
    try {
      ArgumentLayout ready = layout;
      if (ready == null || !ready.isFor(function)) {
        ready = ArgumentLayout.of(this, function);
        layout = ready;
      }
      ready.write();
      return ready;
    } catch (RuntimeException e) {
      inUse.set(false);
      throw e;
    }
  }

  /** Reverses {@link #acquire}. */
  void release(ArgumentLayout acquired) {
    acquired.releaseBuffers();
    inUse.set(false);
  }

  ArgumentKind kind(int index) {
    return kinds[index];
  }

  long bits(int index) {
    return bits[index];
  }

  /** Returns the bytes of a structure. */
  byte[] bytes(int index) {
    return (byte[]) Objects.requireNonNull(objects[index]);
  }

  DeviceBuffer buffer(int index) {
    return (DeviceBuffer) Objects.requireNonNull(objects[index]);
  }

  /** Returns the size of an argument in bytes. */
  int size(int index) {
    return kinds[index] == ArgumentKind.STRUCT ? bytes(index).length : kinds[index].size();
  }

  /** Returns the kinds of the arguments. */
  @Override
  public String toString() {
    return Arrays.toString(kinds);
  }
}
