// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.Set;

/** Names that macros may paste together with {@code ##}: of such a name only parts are seen. */
final class PastedNames {
  /** No macro has a longer name, and to find out takes the cube of the length. */
  private static final int LONGEST = 256;

  private PastedNames() {}

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
