// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.stream.Collectors.joining;

import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;

/**
 * The error log of the driver's compiler: a buffer, and the options of {@code hipModuleLoadDataEx}
 * that name it.
 *
 * <p>Source: {@code CU_JIT_ERROR_LOG_BUFFER} and {@code CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES} in <a
 * href="https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html">CUDA's types</a>; HIP
 * has the same numbers.
 */
final class JitLog {
  private static final int ERROR_LOG_BUFFER = 5;
  private static final int ERROR_LOG_BUFFER_SIZE_BYTES = 6;
  private static final int[] OPTIONS = {ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES};

  /** The compiler cuts its log to this size. */
  private static final int SIZE = 8192;

  private final ByteBuffer text = ByteBuffer.allocateDirect(SIZE);
  private final long[] values = {HipLibrary.address(text), SIZE};

  /** Loads the image at an address with this log; returns the hipError_t. */
  int load(Hip hip, long[] module, long image) {
    return hip.hipModuleLoadDataEx(module, image, OPTIONS.length, OPTIONS, values);
  }

  /** Returns the log in one line; may be empty. */
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
