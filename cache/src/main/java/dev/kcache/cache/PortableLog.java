// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Makes a compiler's output fit to be kept for others: it names files by their paths on the machine
 * that compiled, which mean nothing elsewhere and may be private.
 */
final class PortableLog {
  private PortableLog() {}

  /** Returns the log with the names in the source's own tree in place of absolute ones. */
  static String of(String log, KernelSource source) {
    // A name may be the beginning of another, so the longest are replaced first.
    List<Map.Entry<String, String>> absolute =
        source.displayNames().entrySet().stream()
            .filter(name -> name.getValue().startsWith("/"))
            .sorted(Comparator.comparing(name -> -name.getValue().length()))
            .toList();
    String portable = log;
    for (Map.Entry<String, String> name : absolute) {
      String staged = name.getKey();
      portable = portable.replace(name.getValue(), staged.substring(staged.indexOf('/') + 1));
    }
    return portable;
  }
}
