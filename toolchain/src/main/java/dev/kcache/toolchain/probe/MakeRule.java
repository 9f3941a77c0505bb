// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.util.ArrayList;
import java.util.List;

/**
 * The make rule in which a compiler lists the files that a compile read. Rules that follow say the
 * same of other files (rustc).
 */
public final class MakeRule {
  private MakeRule() {}

  /**
   * Returns the prerequisites of the first {@code rule} of a text, unescaped as clang escapes them:
   * backslash before a blank or {@code #}, {@code $$}, and backslash before the line's end, which
   * is that of Windows there.
   */
  public static List<String> prerequisites(String rule) {
    String text = rule.replace("\r\n", "\n");
    int colon = text.indexOf(": ");
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    for (int i = colon < 0 ? text.length() : colon + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      char next = i + 1 < text.length() ? text.charAt(i + 1) : '\0';
      if (c == '\\' && (next == ' ' || next == '#' || next == '\n')) {
        name.append(next == '\n' ? "" : next);
        i++;
        if (next == '\n') {
          end(name, names);
        }
      } else if (c == '$' && next == '$') {
        name.append('$');
        i++;
      } else if (c == ' ' || c == '\n' || c == '\t') {
        end(name, names);
        if (c == '\n' && !names.isEmpty()) {
          break;
        }
      } else {
        name.append(c);
      }
    }
    end(name, names);
    return names;
  }

  private static void end(StringBuilder name, List<String> names) {
    if (!name.isEmpty()) {
      names.add(name.toString());
      name.setLength(0);
    }
  }
}
