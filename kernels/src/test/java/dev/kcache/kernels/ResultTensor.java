// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.DeviceBuffer;
import java.util.Arrays;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * A tensor that an operation writes, between bytes that have to stay as they are.
 *
 * @param tensor what to pass
 * @param whole its memory and what lies around it
 * @param start where the tensor begins in it, in bytes
 */
record ResultTensor(DeviceTensor tensor, DeviceBuffer whole, int start) {
  private static final int MARGIN = 64;
  private static final byte UNTOUCHED = 0x5a;

  /** Returns a contiguous tensor, some elements off an address that packs start at. */
  static ResultTensor allocate(
      LongFunction<DeviceBuffer> memory, DType type, int shift, long... shape) {
    long bytes = Layout.of(shape).count() * type.bytes();
    int start = MARGIN + shift * type.bytes();
    DeviceBuffer whole = memory.apply(start + bytes + MARGIN);
    whole.fill(UNTOUCHED);
    return new ResultTensor(DeviceTensor.of(whole.slice(start, bytes), type, shape), whole, start);
  }

  /** Returns the bits of the elements, and fails if a byte beside them was written. */
  long[] bits() {
    byte[] memory = new byte[Math.toIntExact(whole.size())];
    whole.copyTo(memory);
    int end = start + Math.toIntExact(tensor.buffer().size());
    assertUntouched("before", Arrays.copyOf(memory, start));
    assertUntouched("behind", Arrays.copyOfRange(memory, end, memory.length));
    Elements elements = Elements.in(tensor.type(), Arrays.copyOfRange(memory, start, end));
    return LongStream.range(0, tensor.layout().count()).map(i -> elements.get((int) i)).toArray();
  }

  private void assertUntouched(String where, byte[] margin) {
    for (int i = 0; i < margin.length; i++) {
      assertThat(margin[i]).as("byte %d %s %s", i, where, tensor).isEqualTo(UNTOUCHED);
    }
  }
}
