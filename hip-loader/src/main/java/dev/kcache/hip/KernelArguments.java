// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a launch, in the order of the kernel's parameters. They are checked against what
 * the code object says of the kernel, and laid out as that says, when they are first used with it.
 *
 * <p>May be used for any number of launches, which allocate nothing, also with changed values. Not
 * safe for use by several threads at once: each has its own.
 */
public final class KernelArguments {
  /** {@code HIP_LAUNCH_PARAM_BUFFER_POINTER}, {@code ..._BUFFER_SIZE} and {@code ..._END}. */
  private static final long BUFFER_POINTER = 1;

  private static final long BUFFER_SIZE = 2;
  private static final long END = 3;

  // The native block: the five words of "extra", the size that the fourth points to, a word for the
  // current device, and then the arguments themselves.
  private static final int SIZE_WORD = 40;
  private static final int DEVICE_WORD = 48;
  private static final int ARGUMENTS = 64;

  private final Object[] values;
  private @Nullable HipFunction function;
  private ByteBuffer block = ByteBuffer.allocateDirect(ARGUMENTS).order(ByteOrder.nativeOrder());
  private long address = HipLibrary.address(block);
  private int acquired;

  private KernelArguments(Object[] values) {
    this.values = values;
  }

  /**
   * Returns arguments with these values: a {@link DeviceBuffer} for a pointer; a {@link Byte},
   * {@link Short}, {@link Integer}, {@link Long}, {@link Float} or {@link Double} for a number.
   */
  public static KernelArguments of(Object... values) {
    return new KernelArguments(values.clone());
  }

  /** Lays the values out for {@code next} and keeps its buffers open until {@link #release}. */
  void acquire(HipFunction next) {
    if (function != next) {
      layOut(next);
    }
    List<Argument> arguments = next.metadata().arguments();
    acquired = 0;
    try {
      for (; acquired < values.length; acquired++) {
        if (values[acquired] instanceof DeviceBuffer buffer) {
          block.putLong(ARGUMENTS + arguments.get(acquired).offset(), buffer.acquire());
        }
      }
    } catch (RuntimeException e) {
      release();
      throw e;
    }
  }

  void release() {
    for (; acquired > 0; acquired--) {
      if (values[acquired - 1] instanceof DeviceBuffer buffer) {
        buffer.release();
      }
    }
  }

  private void layOut(HipFunction next) {
    KernelMetadata kernel = next.metadata();
    List<Argument> explicit =
        kernel.arguments().stream().filter(argument -> !argument.isHidden()).toList();
    if (explicit.size() != values.length) {
      throw new IllegalArgumentException(
          "%s takes %d arguments, not %d".formatted(kernel.name(), explicit.size(), values.length));
    }
    int size = 0;
    for (Argument argument : explicit) {
      size = Math.max(size, argument.offset() + argument.size());
    }
    block = ByteBuffer.allocateDirect(ARGUMENTS + size).order(ByteOrder.nativeOrder());
    address = HipLibrary.address(block);
    for (int i = 0; i < values.length; i++) {
      put(explicit.get(i), values[i], i);
    }
    block.putLong(0, BUFFER_POINTER).putLong(8, address + ARGUMENTS);
    block.putLong(16, BUFFER_SIZE).putLong(24, address + SIZE_WORD).putLong(32, END);
    block.putLong(SIZE_WORD, size);
    function = next;
  }

  private void put(Argument argument, Object value, int index) {
    int at = ARGUMENTS + argument.offset();
    if (value instanceof Integer number && argument.size() == 4) {
      block.putInt(at, number);
    } else if (value instanceof Long number && argument.size() == 8) {
      block.putLong(at, number);
    } else if (value instanceof Float number && argument.size() == 4) {
      block.putFloat(at, number);
    } else if (value instanceof Double number && argument.size() == 8) {
      block.putDouble(at, number);
    } else if (!(value instanceof DeviceBuffer && argument.size() == 8)) {
      throw new IllegalArgumentException(
          "argument %d must be %d bytes (%s), is %s"
              .formatted(index, argument.size(), argument.valueKind(), value));
    }
  }

  long extraAddress() {
    return address;
  }

  long currentDeviceAddress() {
    return address + DEVICE_WORD;
  }

  int currentDevice() {
    return block.getInt(DEVICE_WORD);
  }
}
