// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * What a compiler printed, as it is kept for others: it names files as whoever compiled named them,
 * who may have said where on that machine they were. That is nobody's business elsewhere, and not
 * true there.
 */
final class PortableLog {
  private PortableLog() {}

  /** Returns the log with the names in the source's own tree in place of absolute ones. */
  static String of(String log, KernelSource source) {
    if (log.isEmpty()) {
      return log;
    }
    List<Map.Entry<String, String>> absolute = new ArrayList<>();
    for (Map.Entry<String, String> name : source.displayNames().entrySet()) {
      if (name.getValue().startsWith("/")) {
        absolute.add(name);
      }
    }
    // A name may be the beginning of another.
    absolute.sort(Comparator.comparing(name -> -name.getValue().length()));
    String portable = log;
    for (Map.Entry<String, String> name : absolute) {
      String staged = name.getKey();
      portable = portable.replace(name.getValue(), staged.substring(staged.indexOf('/') + 1));
    }
    return portable;
  }
}
