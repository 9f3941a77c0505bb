// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.util.List;

/** The directories that a host compiler searches by default, as {@code -v} prints them. */
public final class SystemIncludes {
  private static final String BEGIN = "#include <...> search starts here:";
  private static final String END = "End of search list.";

  private SystemIncludes() {}

  /** Returns the directories in the output of gcc or clang, in order. */
  public static List<String> in(String printed) {
    return printed
        .lines()
        .dropWhile(line -> !line.equals(BEGIN))
        .skip(1)
        .takeWhile(line -> !line.equals(END))
        .map(String::strip)
        .filter(line -> line.startsWith("/"))
        .toList();
  }
}
