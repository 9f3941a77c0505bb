// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.stream.Collectors.joining;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where the driver's compiler writes what it has against an image: the options of {@code
 * hipModuleLoadDataEx} that name a buffer, and the buffer.
 *
 * <p>Source: {@code CU_JIT_ERROR_LOG_BUFFER} and {@code CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES} in <a
 * href="https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html">CUDA's types</a>; HIP
 * has the same numbers.
 */
final class JitLog {
  private static final int ERROR_LOG_BUFFER = 5;
  private static final int ERROR_LOG_BUFFER_SIZE_BYTES = 6;
  private static final int OPTIONS = 2;

  /** The compiler cuts what it has to say there. */
  private static final int SIZE = 8192;

  private final ByteBuffer text = ByteBuffer.allocateDirect(SIZE);
  private final ByteBuffer options = words();
  private final ByteBuffer values = words();

  JitLog() {
    options.putInt(0, ERROR_LOG_BUFFER).putInt(Integer.BYTES, ERROR_LOG_BUFFER_SIZE_BYTES);
    values.putLong(0, HipLibrary.address(text)).putLong(Long.BYTES, SIZE);
  }

  private static ByteBuffer words() {
    return ByteBuffer.allocateDirect(OPTIONS * Long.BYTES).order(ByteOrder.nativeOrder());
  }

  int options() {
    return OPTIONS;
  }

  long optionsAddress() {
    return HipLibrary.address(options);
  }

  long valuesAddress() {
    return HipLibrary.address(values);
  }

  /** Returns what was written, in one line; nothing if nothing was. */
  String text() {
    byte[] bytes = new byte[SIZE];
    text.get(0, bytes);
    return PropertyLayout.text(bytes, 0, SIZE)
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(joining("; "));
  }
}
