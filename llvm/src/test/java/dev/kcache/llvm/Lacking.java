// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The list of what the embedded LLVM's headers lack of HIP's. A line is the name of a {@link
 * Probe}, or all of a header; a version before it says that only that HIP has it.
 */
final class Lacking {
  private static final Set<String> VERSIONS = Set.of("5.2", "6.4");

  private Lacking() {}

  /** Returns the entries for a version of HIP. */
  static SortedSet<String> read(String version) throws IOException {
    assumeTrue(VERSIONS.contains(version), "no list for HIP " + version);
    SortedSet<String> entries = new TreeSet<>();
    try (InputStream in =
        Objects.requireNonNull(Lacking.class.getResourceAsStream("lacking.txt"))) {
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n", -1)) {
        String first = line.split(" ", 2)[0];
        if (first.equals(version)) {
          entries.add(line.substring(first.length() + 1));
        } else if (!first.isEmpty() && !first.equals("#") && !VERSIONS.contains(first)) {
          entries.add(line);
        }
      }
    }
    return entries;
  }
}
