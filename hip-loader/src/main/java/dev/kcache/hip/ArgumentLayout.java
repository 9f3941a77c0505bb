// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata.Argument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Arguments in native memory, laid out for one function. For use by one thread at a time, as its
 * {@link KernelArguments}.
 */
final class ArgumentLayout {
  private final KernelArguments arguments;
  private final HipFunction function;

  /** The offset of each argument in bytes. */
  private final int[] offsets;

  /** The buffers that are kept open now, by argument. */
  private final @Nullable DeviceBuffer[] held;

  private final ArgumentBlock block;

  private ArgumentLayout(
      KernelArguments arguments, HipFunction function, List<Argument> parameters) {
    this.arguments = arguments;
    this.function = function;
    this.offsets = parameters.stream().mapToInt(Argument::offset).toArray();
    this.held = new DeviceBuffer[offsets.length];
    this.block =
        new ArgumentBlock(
            parameters.stream().mapToInt(one -> one.offset() + one.size()).max().orElse(0),
            function.device().library().launchParamEnd());
  }

  /**
   * Lays arguments out.
   *
   * @throws IllegalArgumentException if the function takes other arguments
   */
  static ArgumentLayout of(KernelArguments arguments, HipFunction function) {
    List<Argument> parameters = function.parameters();
    if (parameters.size() != arguments.count()) {
      throw new IllegalArgumentException(
          "%s takes %d arguments, not %d"
              .formatted(function.name(), parameters.size(), arguments.count()));
    }
    for (int i = 0; i < parameters.size(); i++) {
      check(arguments, function, i, parameters.get(i));
    }
    return new ArgumentLayout(arguments, function, parameters);
  }

  private static void check(
      KernelArguments arguments, HipFunction function, int index, Argument parameter) {
    String mismatch =
        arguments.kind(index).mismatch(parameter, arguments.size(index), function.tellsPointers());
    if (mismatch != null) {
      throw new IllegalArgumentException(
          "argument %d%s of %s %s"
              .formatted(
                  index,
                  parameter.name().map(name -> " (" + name + ")").orElse(""),
                  function.name(),
                  mismatch));
    }
  }

  boolean isFor(HipFunction other) {
    return function.equals(other);
  }

  /**
   * Writes the values of the arguments, and keeps the buffers open until {@link #releaseBuffers}.
   *
   * @throws IllegalArgumentException if a buffer is of another device; then none is kept
   * @throws IllegalStateException if one is closed; then none is kept
   */
  void write() {
    try {
      for (int i = 0; i < offsets.length; i++) {
        switch (arguments.kind(i)) {
          case BUFFER -> block.put(offsets[i], Long.BYTES, acquire(i));
          case STRUCT -> block.put(offsets[i], arguments.bytes(i));
          default -> block.put(offsets[i], arguments.kind(i).size(), arguments.bits(i));
        }
      }
    } catch (RuntimeException e) {
      releaseBuffers();
      throw e;
    }
  }

  private long acquire(int index) {
    DeviceBuffer buffer = arguments.buffer(index);
    HipDevice device = buffer.device();
    if (!device.equals(function.device())) {
      throw new IllegalArgumentException(
          "argument %d of %s is memory of %s, but the function is loaded on %s"
              .formatted(
                  index,
                  function.name(),
                  device.nameBeside(function.device()),
                  function.device().nameBeside(device)));
    }
    long address = buffer.acquire();
    held[index] = buffer;
    return address;
  }

  void releaseBuffers() {
    for (int i = 0; i < held.length; i++) {
      DeviceBuffer buffer = held[i];
      if (buffer != null) {
        held[i] = null;
        buffer.release();
      }
    }
  }

  ArgumentBlock block() {
    return block;
  }
}
