// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;

/**
 * Recognises assembler code that has files read, by the assembler or later by the linker; no
 * compiler lists those as dependencies.
 */
final class AssemblerText {
  /** The assembler ignores case here. */
  private static final List<String> READING = List.of("incbin", "include");

  /** The type of a section that names libraries (LLVM's Extensions, "Dependent Libraries"). */
  private static final String LIBRARIES = "llvm_dependent_libraries";

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
        if (text.startsWith("section", dot + 1) || text.startsWith("pushsection", dot + 1)) {
          if (hasLibraries(text, dot)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** The type may be a number too, which no code needs. */
  private static boolean hasLibraries(String text, int section) {
    int end = text.indexOf('\n', section);
    String line = text.substring(section, end < 0 ? text.length() : end);
    for (int at = line.indexOf('@'); at >= 0; at = line.indexOf('@', at + 1)) {
      String type = line.substring(at + 1).stripLeading();
      if (type.startsWith(LIBRARIES) || (!type.isEmpty() && Character.isDigit(type.charAt(0)))) {
        return true;
      }
    }
    return line.contains(LIBRARIES);
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
