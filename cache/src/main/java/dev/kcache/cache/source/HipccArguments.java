// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Optional;

/** What hipcc takes for something of its own wherever in an argument it stands (HIP 5.2). */
final class HipccArguments {
  private static final List<String> ANYWHERE =
      List.of("--genco", "--amdhsa-code-object-version=", "-fopenmp-targets=");
  private static final List<String> AT_THE_END = List.of(".a", ".lo");

  private HipccArguments() {}

  /** Returns such a word that an argument holds. */
  static Optional<String> in(String argument) {
    for (String word : ANYWHERE) {
      if (argument.contains(word)) {
        return Optional.of(word);
      }
    }
    for (String word : AT_THE_END) {
      if (argument.endsWith(word)) {
        return Optional.of(word);
      }
    }
    return Optional.empty();
  }

  /** Returns whether hipcc passes an argument on as it is. */
  static boolean survives(String argument) {
    return isPrintableAscii(argument) && in(argument).isEmpty();
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
