// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * An address that a kernel gets as it is, such as one from another library. It is not checked: a
 * wrong address is a fault of the device. Pass a {@link DeviceBuffer} where there is one.
 *
 * @param address the address, as the device sees it
 */
public record DevicePointer(long address) {
  /** The null pointer. */
  public static final DevicePointer NULL = new DevicePointer(0);

  /** Returns the text form, such as {@code 0x7f0000000000}. */
  @Override
  public String toString() {
    return "0x" + Long.toHexString(address);
  }
}
