// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata.Argument;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Arguments that fit a function, in native memory where its code expects them. Used as its {@link
 * KernelArguments} are, by one thread at a time.
 */
final class ArgumentLayout {
  private final KernelArguments arguments;
  private final HipFunction function;

  /** Where each argument is, in bytes. */
  private final int[] offsets;

  /** Which arguments are device buffers. */
  private final int[] buffers;

  /** The buffers that are kept open now: what to release, whatever the arguments are by then. */
  private final @Nullable DeviceBuffer[] held;

  private final ArgumentBlock block;

  private ArgumentLayout(
      KernelArguments arguments, HipFunction function, List<Argument> parameters) {
    this.arguments = arguments;
    this.function = function;
    this.offsets = parameters.stream().mapToInt(Argument::offset).toArray();
    this.buffers =
        IntStream.range(0, arguments.count())
            .filter(index -> arguments.kind(index) == ArgumentKind.BUFFER)
            .toArray();
    this.held = new DeviceBuffer[buffers.length];
    this.block =
        new ArgumentBlock(
            parameters.stream().mapToInt(one -> one.offset() + one.size()).max().orElse(0),
            function.device().library().launchParamEnd());
  }

  /**
   * Lays arguments out.
   *
   * @throws IllegalArgumentException if the function takes other ones
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
    ArgumentLayout layout = new ArgumentLayout(arguments, function, parameters);
    layout.putAll();
    return layout;
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
    if (arguments.kind(index) == ArgumentKind.BUFFER) {
      HipDevice device = arguments.buffer(index).device();
      if (!device.equals(function.device())) {
        throw new IllegalArgumentException(
            "argument %d of %s is memory of device %d, but the function is loaded on device %d"
                .formatted(index, function.name(), device.ordinal(), function.device().ordinal()));
      }
    }
  }

  private void putAll() {
    for (int i = 0; i < offsets.length; i++) {
      switch (arguments.kind(i)) {
        case BUFFER -> {}
        case STRUCT -> put(i, arguments.bytes(i));
        default -> put(i, arguments.kind(i), arguments.bits(i));
      }
    }
  }

  void put(int index, ArgumentKind kind, long bits) {
    block.put(offsets[index], kind.size(), bits);
  }

  void put(int index, byte[] structure) {
    block.put(offsets[index], structure);
  }

  boolean isFor(HipFunction other) {
    return function.equals(other);
  }

  /** Returns whether a buffer is of the device that the function is loaded on. */
  boolean isFor(DeviceBuffer buffer) {
    return buffer.device().equals(function.device());
  }

  /**
   * Keeps the buffers open until {@link #releaseBuffers}.
   *
   * @throws IllegalStateException if one is closed; then none is kept
   */
  void acquireBuffers() {
    try {
      for (int i = 0; i < buffers.length; i++) {
        DeviceBuffer buffer = arguments.buffer(buffers[i]);
        block.put(offsets[buffers[i]], Long.BYTES, buffer.acquire());
        held[i] = buffer;
      }
    } catch (RuntimeException e) {
      releaseBuffers();
      throw e;
    }
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
