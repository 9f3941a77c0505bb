// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a user names a device:
 *
 * <ul>
 *   <li>an ordinal, {@code 1}: the runtime's number among the devices that this process may see. It
 *       changes with {@code ROCR_VISIBLE_DEVICES}, {@code HIP_VISIBLE_DEVICES}, NVIDIA's with
 *       {@code CUDA_VISIBLE_DEVICES}, and the machine;
 *   <li>the UUID or the beginning of it, {@code GPU-0e12865a}, in any case. It stays. The same in
 *       IREE's spelling, which is twice as long, will do, and so will NVIDIA's, with or without
 *       dashes;
 *   <li>the PCI bus id, {@code 0000:03:00.0} or {@code 03:00.0}.
 * </ul>
 *
 * <p>{@code hip://} or {@code amdgpu://} may stand before, as in IREE's device URIs. Immutable and
 * safe for use by any number of threads; two are equal if their text forms are.
 */
public final class DeviceSelector {
  static final String UUID_PREFIX = "GPU-";

  /** Whatever the runtime is: IREE's drivers name devices alike. */
  private static final Pattern SCHEME = Pattern.compile("^(?:hip|amdgpu)://");

  private static final Pattern ORDINAL = Pattern.compile("\\d{1,9}");
  private static final Pattern UUID = Pattern.compile("(?i:GPU)-([0-9a-fA-F][0-9a-fA-F-]{0,35})");
  private static final Pattern PCI_BUS_ID =
      Pattern.compile("(?:(\\p{XDigit}{1,8}):)?(\\p{XDigit}{1,2}):(\\p{XDigit}{1,2})\\.([0-7])");

  /** 16 bytes in hexadecimal digits. */
  private static final int UUID_DIGITS = 32;

  private final String text;
  private final Predicate<HipDevice> names;

  private DeviceSelector(String text, Predicate<HipDevice> names) {
    this.text = text;
    this.names = names;
  }

  /**
   * Parses the selector of one device.
   *
   * @param text an ordinal such as {@code 0}, or another of the forms above
   * @return the selector, which need not name a device of this machine
   * @throws IllegalArgumentException if it is malformed; the message shows the forms
   */
  public static DeviceSelector parse(String text) {
    requireNonNull(text, "text");
    return parseOne(withoutScheme(text));
  }

  /**
   * Parses a list of selectors, separated by commas; keeps their order and duplicates.
   *
   * @param text such as {@code 0,1}
   * @return at least one
   * @throws IllegalArgumentException if one is malformed or empty; the message shows the forms
   */
  public static List<DeviceSelector> parseList(String text) {
    requireNonNull(text, "text");
    return Stream.of(withoutScheme(text).split(",", -1))
        .map(String::strip)
        .map(DeviceSelector::parseOne)
        .toList();
  }

  private static String withoutScheme(String text) {
    return SCHEME.matcher(text).replaceFirst("");
  }

  private static DeviceSelector parseOne(String text) {
    if (ORDINAL.matcher(text).matches()) {
      int ordinal = Integer.parseInt(text);
      return new DeviceSelector(Integer.toString(ordinal), device -> device.ordinal() == ordinal);
    }
    Matcher uuid = UUID.matcher(text);
    if (uuid.matches()) {
      String beginning = UUID_PREFIX + digits(uuid.group(1));
      return new DeviceSelector(
          beginning,
          device -> device.uuid().filter(id -> ungrouped(id).startsWith(beginning)).isPresent());
    }
    Matcher pci = PCI_BUS_ID.matcher(text);
    if (pci.matches()) {
      String id = pciBusId(pci);
      return new DeviceSelector(id, device -> device.pciBusId().filter(id::equals).isPresent());
    }
    throw new IllegalArgumentException(
        "'%s' selects no device; give an ordinal (0), the beginning of a UUID (GPU-0e12865a) or a PCI bus id (0000:03:00.0)"
            .formatted(text));
  }

  /**
   * IREE writes the bytes of the UUID in hexadecimal; AMD's tools write the bytes, which are
   * digits.
   */
  private static String digits(String text) {
    String digits = text.replace("-", "").toLowerCase(Locale.ROOT);
    if (digits.length() == UUID_DIGITS) {
      String characters = new String(HexFormat.of().parseHex(digits), ISO_8859_1);
      return DeviceIdentity.isHexadecimal(characters) ? characters : digits;
    }
    return digits;
  }

  /** Returns a UUID without the dashes between its groups. */
  private static String ungrouped(String uuid) {
    return UUID_PREFIX + uuid.substring(UUID_PREFIX.length()).replace("-", "");
  }

  private static String pciBusId(Matcher parts) {
    String domain = parts.group(1) == null ? "0" : parts.group(1);
    return "%04x:%02x:%02x.%s"
        .formatted(
            Long.parseLong(domain, 16),
            Integer.parseInt(parts.group(2), 16),
            Integer.parseInt(parts.group(3), 16),
            parts.group(4));
  }

  /**
   * Returns the one device that this names.
   *
   * @param access explains missing devices
   * @throws HipDeviceNotFoundException if it names none of the devices, or several
   */
  HipDevice choose(List<HipDevice> devices, DeviceAccess access) {
    List<HipDevice> named = devices.stream().filter(names).toList();
    if (named.size() == 1) {
      return named.get(0);
    }
    throw new HipDeviceNotFoundException(
        problem(devices, named, access), this, devices.stream().map(HipDevice::describe).toList());
  }

  private String problem(List<HipDevice> devices, List<HipDevice> named, DeviceAccess access) {
    if (devices.isEmpty()) {
      return "there is no GPU: " + access.whyNone();
    }
    return named.isEmpty()
        ? "there is no device %s; there is %s%s".formatted(text, listing(devices), access.hidden())
        : "%s may be any of %s; give more of it, or an ordinal".formatted(text, listing(named));
  }

  private static String listing(List<HipDevice> devices) {
    return devices.stream().map(HipDevice::describe).collect(Collectors.joining("; "));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DeviceSelector that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** Returns the canonical text form: lower-case digits, and a PCI bus id with its domain. */
  @Override
  public String toString() {
    return text;
  }
}
