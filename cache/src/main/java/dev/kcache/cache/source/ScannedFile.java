// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Set;

/**
 * What a file's text says about other files.
 *
 * @param references the files that it may read, in order
 * @param problems what in it cannot be keyed, in order
 * @param hasKernel whether {@code __global__} stands in it
 * @param parts names in it that are parts of names that cannot be keyed
 */
record ScannedFile(
    List<Reference> references, List<Problem> problems, boolean hasKernel, Set<String> parts) {
  ScannedFile {
    references = List.copyOf(references);
    problems = List.copyOf(problems);
    parts = Set.copyOf(parts);
  }

  /**
   * A file named in a directive or in a {@code __has_include}.
   *
   * @param name as it is written
   * @param quoted whether the directory of the file itself is searched first
   * @param next whether any of the files found may be meant, as by {@code #include_next}
   * @param text whether the file named is source text, unlike what {@code #embed} names
   * @param line from 1
   */
  record Reference(String name, boolean quoted, boolean next, boolean text, int line) {}

  /**
   * What cannot be keyed.
   *
   * @param line from 1
   * @param message what it is and what to do, as one line
   * @param curable whether a declared header can make up for it
   */
  record Problem(int line, String message, boolean curable) {}
}
