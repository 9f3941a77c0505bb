// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The command line of {@code bench/compare}. Created by {@link #parse}. */
final class CompareOptions {
  /** The text of {@code --help}. */
  static final String HELP =
      """
      usage: bench/compare [OPTION]...

      Measures kcache beside what is there of hipcc, hiprtc, ccache and sccache, and prints a table of
      medians and ratios. Installs nothing. docs/performance.md says how each row is made.

        --only GROUP,...   the groups to measure: %s
        --runs N           how often each side is measured, by turns; default: 5
        --pairs N          that many kernels times targets in place of 160 and 1000: a rehearsal
        --keep DIR         keep the filled caches there, and use them the next time
        --json FILE        write the table there as JSON too
        --svg FILE         draw the ratios there
        --help             print this

      Exit code: 0 all bars met, 1 a bar missed or a row failed, 2 a wrong argument, 3 no hipcc.
      """
          .formatted(Group.keys());

  private Set<Group> groups = EnumSet.allOf(Group.class);
  private int runs = 5;
  private int pairs = Integer.MAX_VALUE;
  private Optional<Path> keep = Optional.empty();
  private Optional<Path> json = Optional.empty();
  private Optional<Path> svg = Optional.empty();
  private boolean help;

  private CompareOptions() {}

  /**
   * Parses the arguments.
   *
   * @throws IllegalArgumentException if they are wrong; the message is one line for the user
   */
  static CompareOptions parse(List<String> arguments) {
    CompareOptions options = new CompareOptions();
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      options.take(rest.next(), rest);
    }
    return options;
  }

  private void take(String option, Iterator<String> rest) {
    switch (option) {
      case "--help" -> help = true;
      case "--only" -> groups = groups(value(option, rest));
      case "--runs" -> runs = count(option, value(option, rest));
      case "--pairs" -> pairs = count(option, value(option, rest));
      case "--keep" -> keep = Optional.of(Path.of(value(option, rest)).toAbsolutePath());
      case "--json" -> json = Optional.of(Path.of(value(option, rest)));
      case "--svg" -> svg = Optional.of(Path.of(value(option, rest)));
      default ->
          throw new IllegalArgumentException("unknown argument '" + option + "'; see --help");
    }
  }

  private static String value(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value; see --help");
    }
    return rest.next();
  }

  private static int count(String option, String text) {
    if (!text.matches("[1-9][0-9]{0,5}")) {
      throw new IllegalArgumentException(
          option + " takes a number from 1 to 999999, not '" + text + "'");
    }
    return Integer.parseInt(text);
  }

  private static Set<Group> groups(String text) {
    Set<Group> groups = EnumSet.noneOf(Group.class);
    for (String key : text.split(",", -1)) {
      groups.add(Group.of(key));
    }
    return groups;
  }

  /** Returns the groups to measure. */
  Set<Group> groups() {
    return groups;
  }

  /** Returns the number of rounds of each side. */
  int runs() {
    return runs;
  }

  /** Returns the maximum number of pairs of kernel and target. */
  int pairs() {
    return pairs;
  }

  /** Returns the directory to keep the filled caches in, if wanted. */
  Optional<Path> keep() {
    return keep;
  }

  /** Returns the file for the table as JSON, if wanted. */
  Optional<Path> json() {
    return json;
  }

  /** Returns the file for the plot, if wanted. */
  Optional<Path> svg() {
    return svg;
  }

  /** Returns whether to print only the help. */
  boolean help() {
    return help;
  }
}
