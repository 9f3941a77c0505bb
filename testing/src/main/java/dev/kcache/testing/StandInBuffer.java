// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Device memory as a {@link StandInKernel} sees it: elements of any type by their index, as C has
 * {@code x[i]}. Memory that nobody wrote has bytes of 0xff, and so NaN as a {@code float}.
 *
 * <p>An access that isn't inside of the allocation, or comes after the allocation was freed, is
 * what it is on a GPU: the body ends there, the device is lost, and the call that waits for it
 * fails with 700, {@code hipErrorIllegalAddress}; the message says what was accessed.
 */
public final class StandInBuffer {
  private final String kernel;
  private final long address;
  private final @Nullable Region region;
  private final long first;
  private final long size;

  private StandInBuffer(
      String kernel, long address, @Nullable Region region, long first, long size) {
    this.kernel = kernel;
    this.address = address;
    this.region = region;
    this.first = first;
    this.size = size;
  }

  /** Returns what is from a place to the end of its region. */
  static StandInBuffer of(String kernel, long address, Memory.Place place) {
    Region region = place.region();
    return new StandInBuffer(
        kernel, address, region, place.offset(), region.size() - place.offset());
  }

  /** Returns memory that is not there. */
  static StandInBuffer nowhere(String kernel, long address) {
    return new StandInBuffer(kernel, address, null, 0, 0);
  }

  /** {@return the address of the first element, as the kernel got it} */
  public long address() {
    return address;
  }

  /** {@return the size in bytes, up to the end of the allocation; 0 if nothing is there} */
  public long size() {
    return size;
  }

  /**
   * {@return the byte at an index}
   *
   * @param index in bytes, from 0
   */
  public byte getByte(long index) {
    return (byte) get(index, Byte.BYTES);
  }

  /**
   * {@return the {@code short} at an index}
   *
   * @param index in elements of 2 bytes, from 0
   */
  public short getShort(long index) {
    return (short) get(index, Short.BYTES);
  }

  /**
   * {@return the {@code int} at an index}
   *
   * @param index in elements of 4 bytes, from 0
   */
  public int getInt(long index) {
    return (int) get(index, Integer.BYTES);
  }

  /**
   * {@return the {@code long long} at an index}
   *
   * @param index in elements of 8 bytes, from 0
   */
  public long getLong(long index) {
    return get(index, Long.BYTES);
  }

  /**
   * {@return the {@code float} at an index}
   *
   * @param index in elements of 4 bytes, from 0
   */
  public float getFloat(long index) {
    return Float.intBitsToFloat(getInt(index));
  }

  /**
   * {@return the {@code double} at an index}
   *
   * @param index in elements of 8 bytes, from 0
   */
  public double getDouble(long index) {
    return Double.longBitsToDouble(getLong(index));
  }

  /**
   * Writes the byte at an index.
   *
   * @param index in bytes, from 0
   * @param value what the byte becomes
   */
  public void setByte(long index, byte value) {
    put(index, Byte.BYTES, value);
  }

  /**
   * Writes the {@code short} at an index.
   *
   * @param index in elements of 2 bytes, from 0
   * @param value what the element becomes
   */
  public void setShort(long index, short value) {
    put(index, Short.BYTES, value);
  }

  /**
   * Writes the {@code int} at an index.
   *
   * @param index in elements of 4 bytes, from 0
   * @param value what the element becomes
   */
  public void setInt(long index, int value) {
    put(index, Integer.BYTES, value);
  }

  /**
   * Writes the {@code long long} at an index.
   *
   * @param index in elements of 8 bytes, from 0
   * @param value what the element becomes
   */
  public void setLong(long index, long value) {
    put(index, Long.BYTES, value);
  }

  /**
   * Writes the {@code float} at an index.
   *
   * @param index in elements of 4 bytes, from 0
   * @param value what the element becomes; a NaN keeps its bits
   */
  public void setFloat(long index, float value) {
    setInt(index, Float.floatToRawIntBits(value));
  }

  /**
   * Writes the {@code double} at an index.
   *
   * @param index in elements of 8 bytes, from 0
   * @param value what the element becomes; a NaN keeps its bits
   */
  public void setDouble(long index, double value) {
    setLong(index, Double.doubleToRawLongBits(value));
  }

  private long get(long index, int width) {
    return region(index, width, "read").get(first + index * width, width);
  }

  private void put(long index, int width, long bits) {
    region(index, width, "written").put(first + index * width, width, bits);
  }

  private Region region(long index, int width, String how) {
    if (index < 0 || index >= size / width || region == null || region.isFreed()) {
      throw fault(index, width, how);
    }
    return region;
  }

  private StandInError fault(long index, int width, String how) {
    String problem;
    if (region == null) {
      problem = "where nothing is allocated that the device reaches";
    } else if (Objects.requireNonNull(region).isFreed()) {
      problem = "after it was freed";
    } else {
      problem = "outside of its %d bytes".formatted(size);
    }
    return new StandInError(
        StandInError.ILLEGAL_ADDRESS,
        "%s: element %d of %d bytes at 0x%x was %s %s"
            .formatted(kernel, index, width, address, how, problem));
  }

  /** Returns address and size, such as {@code 400 bytes at 0x100000000000}. */
  @Override
  public String toString() {
    return "%d bytes at 0x%x".formatted(size, address);
  }
}
