// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.stream.Collectors.joining;

import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;

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
  private static final int[] OPTIONS = {ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES};

  /** The compiler cuts what it has to say there. */
  private static final int SIZE = 8192;

  private final ByteBuffer text = ByteBuffer.allocateDirect(SIZE);
  private final long[] values = {HipLibrary.address(text), SIZE};

  /** Loads the image at an address, and has the compiler write here; returns the hipError_t. */
  int load(Hip hip, long[] module, long image) {
    return hip.hipModuleLoadDataEx(module, image, OPTIONS.length, OPTIONS, values);
  }

  /** Returns what was written, in one line; nothing if nothing was. */
  String text() {
    byte[] bytes = new byte[SIZE];
    text.get(0, bytes);
    return HipLibrary.text(bytes)
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(joining("; "));
  }
}
