// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names that cannot be keyed, where macros paste them together with {@code ##}: of such a name only
 * parts are seen. The operator itself may be in a header of the toolchain.
 */
final class PastedNames {
  /**
   * The names, with blanks between, so that no part is found across two of them. A constant of the
   * language: whoever reads it does not load this class, which few sources need.
   */
  static final String NAMES =
      " __DATE__ __TIME__ __TIMESTAMP__ __has_include __has_include_next __has_embed ";

  /** No macro has a longer name, and to find out takes the cube of the length. */
  private static final int LONGEST = 256;

  private PastedNames() {}

  /** Returns a name that can be made of two or more of {@code parts}, if there is one. */
  static @Nullable String of(Set<String> parts) {
    for (String name : NAMES.strip().split(" ", -1)) {
      if (canMake(name, parts)) {
        return name;
      }
    }
    return null;
  }

  /**
   * Returns whether a name can be made of two or more of {@code parts}; of a name longer than
   * {@link #LONGEST} it is said that it can.
   */
  static boolean canMake(String name, Set<String> parts) {
    int length = name.length();
    if (length > LONGEST) {
      return true;
    }
    // Beginning by beginning: of a name of equal letters there are too many ways to divide it.
    boolean[] made = new boolean[length + 1];
    made[0] = true;
    for (int start = 0; start < length; start++) {
      for (int end = start + 1; made[start] && end <= length; end++) {
        made[end] |= end - start < length && parts.contains(name.substring(start, end));
      }
    }
    return length > 0 && made[length];
  }
}
