// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What hipcc takes for something of its own wherever in an argument it stands (HIP 5.2). */
final class HipccWords {
  private static final Pattern WORD =
      Pattern.compile("--genco|--amdhsa-code-object-version=|-fopenmp-targets=|\\.(a|lo)$");

  private HipccWords() {}

  /** Returns a matcher that finds such words in an argument. */
  static Matcher in(String argument) {
    return WORD.matcher(argument);
  }

  /** Returns whether hipcc passes an argument on as it is. */
  static boolean survives(String argument) {
    return isPrintableAscii(argument) && !in(argument).find();
  }

  /** Returns whether a text has nothing but what can be seen in ASCII, and spaces. */
  static boolean isPrintableAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < ' ' || text.charAt(i) >= 0x7f) {
        return false;
      }
    }
    return true;
  }
}
