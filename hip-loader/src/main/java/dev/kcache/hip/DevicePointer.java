// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * An address that is passed to a kernel as it is, such as one that another library gave. Nothing is
 * known of the memory there: a wrong address is a fault of the device. Where there is a {@link
 * DeviceBuffer}, pass that.
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
