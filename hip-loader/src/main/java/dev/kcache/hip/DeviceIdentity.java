// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The identity of a device, independent of its ordinal.
 *
 * @param uuid {@code GPU-} and lower-case hexadecimal digits, NVIDIA's in groups
 * @param pciBusId domain, bus, device and function, such as {@code 0000:03:00.0}
 */
record DeviceIdentity(Optional<String> uuid, Optional<String> pciBusId) {
  /** {@code sizeof(hipUUID)}. */
  private static final int UUID_SIZE = 16;

  private static final int PCI_BUS_ID_SIZE = 64;
  private static final Pattern HEX_DIGITS = Pattern.compile("[0-9a-fA-F]{16}");

  /** The UUID that ROCr gives a device without a number. */
  private static final String NO_UUID = "XX";

  /**
   * Reads the identity of a device, as far as the runtime has functions for it.
   *
   * @throws HipException if the runtime fails
   */
  static DeviceIdentity read(DeviceContext device) {
    HipLibrary library = device.library();
    Hip hip = library.functions();
    Optional<String> uuid = Optional.empty();
    Optional<String> pciBusId = Optional.empty();
    if (library.has("hipDeviceGetUuid")) {
      byte[] bytes = new byte[UUID_SIZE];
      device.check(
          "hipDeviceGetUuid", library.platformCalls().hipDeviceGetUuid(bytes, device.ordinal()));
      uuid = library.platform() == Platform.AMD ? uuid(bytes) : Optional.of(nvidiaUuid(bytes));
    }
    if (library.has("hipDeviceGetPCIBusId")) {
      byte[] bytes = new byte[PCI_BUS_ID_SIZE];
      device.check(
          "hipDeviceGetPCIBusId", hip.hipDeviceGetPCIBusId(bytes, bytes.length, device.ordinal()));
      pciBusId =
          Optional.of(HipLibrary.text(bytes).toLowerCase(Locale.ROOT))
              .filter(text -> !text.isEmpty());
    }
    return new DeviceIdentity(uuid, pciBusId);
  }

  /**
   * AMD's runtime writes the digits themselves into the 16 bytes, as {@code rocminfo} shows them.
   */
  static Optional<String> uuid(byte[] bytes) {
    String text = HipLibrary.text(bytes);
    if (text.isEmpty() || text.equals(NO_UUID)) {
      return Optional.empty();
    }
    String digits = isHexadecimal(text) ? text : HexFormat.of().formatHex(bytes);
    return Optional.of(DeviceSelector.UUID_PREFIX + digits.toLowerCase(Locale.ROOT));
  }

  /** NVIDIA's driver gives the bytes, which {@code nvidia-smi} shows in five groups of digits. */
  static String nvidiaUuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return DeviceSelector.UUID_PREFIX + new UUID(buffer.getLong(), buffer.getLong());
  }

  /** Returns whether 16 characters are digits, as AMD's UUIDs are. */
  static boolean isHexadecimal(String text) {
    return HEX_DIGITS.matcher(text).matches();
  }
}
