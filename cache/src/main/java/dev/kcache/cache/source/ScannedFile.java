// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;

/**
 * What a file's text says about other files.
 *
 * @param references the files that it may read, in order
 * @param computed the includes whose operands are macros, in order
 * @param times the uses of what depends on the time, in order
 * @param problems what in it cannot be keyed, in order
 * @param hasKernel whether a kernel's attribute stands in it
 */
record ScannedFile(
    List<Reference> references,
    List<Computed> computed,
    List<Time> times,
    List<Problem> problems,
    boolean hasKernel) {
  ScannedFile {
    references = List.copyOf(references);
    computed = List.copyOf(computed);
    times = List.copyOf(times);
    problems = List.copyOf(problems);
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
   * An include whose operand is to be expanded.
   *
   * @param directive such as {@code include_next}
   * @param operand the rest of the line
   * @param line from 1
   */
  record Computed(String directive, String operand, int line) {
    private static final int SHOWN = 40;

    /** Returns what it refers to if its operand stands for a name with its delimiters. */
    Reference reference(String name) {
      return new Reference(
          name.substring(1, name.length() - 1),
          name.startsWith("\""),
          directive.endsWith("_next"),
          !directive.endsWith("embed"),
          line);
    }

    /** Returns what it is if nobody can tell for what its operand stands. */
    Problem problem() {
      String shown = operand.strip().replaceAll("[^ -~]", "?");
      return new Problem(
          line,
          "which file #"
              + directive
              + " "
              + (shown.length() > SHOWN ? shown.substring(0, SHOWN) + "..." : shown)
              + " names cannot be told before the compile; write the name out, or declare each file"
              + " that it may be with withHeader (--header)",
          true);
    }
  }

  /**
   * A name that stands for the time of the compile, or of the file.
   *
   * @param name such as {@code __DATE__}
   * @param macro the macro in whose definition it stands, or empty
   * @param line from 1
   */
  record Time(String name, String macro, int line) {
    /** Returns what it is where it may be expanded, and what to do, as one line. */
    String problem() {
      return name
          + " makes every compile differ; define it as a fixed text, as by -D'"
          + name
          + "=\"\"'";
    }
  }

  /**
   * What cannot be keyed.
   *
   * @param line from 1
   * @param message what it is and what to do, as one line
   * @param curable whether a declared header can make up for it
   */
  record Problem(int line, String message, boolean curable) {}
}
