// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;

/** Recognises assembler directives that read files; no compiler lists those as dependencies. */
final class AssemblerText {
  /** The assembler ignores case here. */
  private static final List<String> READING = List.of("incbin", "include");

  private AssemblerText() {}

  /** Returns whether the text, its escapes already resolved, reads a file when assembled. */
  static boolean readsFile(String text) {
    for (int dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', dot + 1)) {
      if (!isPartOfName(text, dot - 1)) {
        for (String name : READING) {
          if (text.regionMatches(true, dot + 1, name, 0, name.length())
              && !isPartOfName(text, dot + 1 + name.length())) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static boolean isPartOfName(String text, int at) {
    if (at < 0 || at >= text.length()) {
      return false;
    }
    char c = text.charAt(at);
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '.'
        || c == '$';
  }
}
