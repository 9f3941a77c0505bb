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

  /** Returns whether a name can be made of two or more of {@code parts}. */
  static boolean canMake(String name, Set<String> parts) {
    for (int end = 1; end < name.length(); end++) {
      String rest = name.substring(end);
      if (parts.contains(name.substring(0, end))
          && (parts.contains(rest) || canMake(rest, parts))) {
        return true;
      }
    }
    return false;
  }
}
