// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.DeviceBuffer;

/**
 * A matrix of quantized weights in a device's memory: rows of whole blocks, one after the other
 * without a gap, from the start of the buffer. It does not own the memory: the buffer has to stay
 * open while kernels use it.
 *
 * <p>The buffer must start at an even address, unless the matrix is empty. It is read faster if 16
 * divides the address, as the offsets of GGUF's tensors, and the length of a row.
 *
 * <p>Immutable, but for the weights; safe for use by any number of threads.
 *
 * @param buffer the memory, which may be larger than the matrix
 * @param format of the blocks
 * @param rows the number of rows, which may be 0
 * @param columns the number of weights in a row, which may be 0: a multiple of the format's {@link
 *     QuantFormat#blockElements}, and less than 2<sup>31</sup>
 */
public record QuantizedMatrix(DeviceBuffer buffer, QuantFormat format, long rows, long columns) {
  /** The blocks of all formats consist of pairs of bytes, as {@code quant_formats.h} has them. */
  private static final int BLOCK_ALIGNMENT = 2;

  /**
   * Describes weights in a buffer.
   *
   * @param buffer the memory, which may be larger than the matrix
   * @param format of the blocks
   * @param rows the number of rows, which may be 0
   * @param columns the number of weights in a row, which may be 0: a multiple of the format's
   *     {@link QuantFormat#blockElements}, and less than 2<sup>31</sup>
   * @throws IllegalArgumentException if there is no such matrix, or the buffer is too small for it
   *     or starts at an odd address
   */
  public QuantizedMatrix {
    requireNonNull(buffer, "buffer");
    requireNonNull(format, "format");
    if (rows < 0 || columns < 0 || columns > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a quantized matrix has 0 rows or more of less than 2^31 columns, not %d of %d"
              .formatted(rows, columns));
    }
    if (columns % format.blockElements() != 0) {
      throw new IllegalArgumentException(
          "%d columns are no multiple of the %d weights in a block of %s"
              .formatted(columns, format.blockElements(), format));
    }
    long rowBytes = columns / format.blockElements() * format.blockBytes();
    if (rowBytes != 0 && rows > buffer.size() / rowBytes) {
      throw new IllegalArgumentException(
          "%d rows of %d columns of %s need %d bytes each, and the buffer has %d"
              .formatted(rows, columns, format, rowBytes, buffer.size()));
    }
    if (rows > 0 && columns > 0) {
      DeviceTensor.checkAddress("a quantized matrix", buffer, BLOCK_ALIGNMENT);
    }
  }

  /** {@return the size of the matrix in bytes} */
  public long bytes() {
    return rows * (columns / format.blockElements() * format.blockBytes());
  }
}
