// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.rocm.Environment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/*
 * Two layers hide devices, each with rules of its own, and each numbers what the one below it shows.
 *
 * HSA, ROCR_VISIBLE_DEVICES: set and empty hides all. A token is trimmed and is a number, or the
 * beginning of exactly one UUID in any case. Source: RvdFilter in ROCR's amd_filter_device.cpp.
 *
 * HIP, HIP_VISIBLE_DEVICES, or CUDA_VISIBLE_DEVICES if that is empty: empty hides nothing. A token is
 * the canonical decimal number and nothing else, blanks included, or a part of a UUID as it is
 * written, of which the first match counts. Source: Device::init in clr's rocdevice.cpp. Releases up
 * to 5.x take no UUID there and show no device then. GPU_DEVICE_ORDINAL is for OpenCL only, whatever
 * the documentation says: the same code reads it only where HIP is not.
 *
 * Both cut the list at the first token that is none, and HSA also at a repetition, which HIP skips.
 */

/**
 * A variable that selects and orders the devices that a layer of the runtime shows.
 *
 * @param variable its name
 * @param value its value
 * @param hsa whether it is HSA's, not HIP's
 */
record VisibleDevices(String variable, String value, boolean hsa) {
  private static final String UUID_PREFIX = "GPU-";

  /** The longest prefix of a UUID that HSA compares; the shortest is below. */
  private static final int LONGEST_UUID = 20;

  private static final int SHORTEST_UUID = 5;

  /** Returns HIP's list, if there is one. */
  static Optional<VisibleDevices> ofHip(Environment variables) {
    return List.of("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES").stream()
        .flatMap(
            name ->
                variables.get(name).map(value -> new VisibleDevices(name, value, false)).stream())
        .findFirst();
  }

  /**
   * Returns CUDA's list, which follows the rules of HIP's that are tried here: numbers and the
   * beginnings of UUIDs, cut at the first that is neither.
   */
  static VisibleDevices ofCuda(String value) {
    return new VisibleDevices("CUDA_VISIBLE_DEVICES", value, false);
  }

  /** Returns HSA's list, if there is one. */
  static Optional<VisibleDevices> ofHsa(Environment variables) {
    String name = "ROCR_VISIBLE_DEVICES";
    return variables.raw(name).map(value -> new VisibleDevices(name, value, true));
  }

  /** Returns the visible devices, in the order of the variable. */
  List<ListedGpu> of(List<ListedGpu> all) {
    Set<Integer> shown = new LinkedHashSet<>();
    for (String token : value.split(",", -1)) {
      OptionalInt index = hsa ? hsaIndex(token, all) : hipIndex(token, all);
      boolean valid = index.isPresent() && index.getAsInt() < all.size();
      if (!valid || (!shown.add(index.getAsInt()) && hsa)) {
        break;
      }
    }
    return shown.stream().map(all::get).toList();
  }

  /** Returns {@code NAME='value'}, for a message. */
  String describe() {
    return variable + "='" + value + "'";
  }

  private static OptionalInt hipIndex(String token, List<ListedGpu> all) {
    if (token.contains(UUID_PREFIX)) {
      return matching(all, uuid -> uuid.contains(token)).findFirst();
    }
    return token.matches("0|[1-9]\\d{0,8}")
        ? OptionalInt.of(Integer.parseInt(token))
        : OptionalInt.empty();
  }

  private static OptionalInt hsaIndex(String token, List<ListedGpu> all) {
    String trimmed = token.strip().toUpperCase(Locale.ROOT);
    if (trimmed.startsWith("G")) {
      if (trimmed.length() < SHORTEST_UUID || trimmed.length() > LONGEST_UUID) {
        return OptionalInt.empty();
      }
      int[] found =
          matching(all, uuid -> uuid.toUpperCase(Locale.ROOT).startsWith(trimmed)).toArray();
      return found.length == 1 ? OptionalInt.of(found[0]) : OptionalInt.empty();
    }
    return hsaNumber(trimmed);
  }

  /** Parses a number as {@code strtol} with base 0 does. */
  private static OptionalInt hsaNumber(String token) {
    if (token.contains("#")) {
      return OptionalInt.empty();
    }
    try {
      int number = Integer.decode(token);
      return number < 0 ? OptionalInt.empty() : OptionalInt.of(number);
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }

  private static IntStream matching(List<ListedGpu> all, Predicate<String> uuid) {
    return IntStream.range(0, all.size())
        .filter(index -> all.get(index).uuid().filter(uuid).isPresent());
  }
}
