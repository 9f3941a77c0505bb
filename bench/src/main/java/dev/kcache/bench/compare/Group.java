// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Rows that are measured together, selected by name. */
enum Group {
  /** Compiles into an empty cache. */
  COLD("cold compiles"),
  /** Many hits of one process. */
  WARM("a warm batch"),
  /** Hits and misses in a Redis far away. */
  REMOTE("a remote far away"),
  /** The cost of a trace to an application. */
  TRACE("tracing"),
  /** One hit of one process. */
  SINGLE("one warm kernel"),
  /** The cost of a process over one that does nothing. */
  START("start-up"),
  /** Hits within a process. */
  PROCESS("in process"),
  /** The cost of more entries. */
  GROWTH("growth");

  private final String title;

  Group(String title) {
    this.title = title;
  }

  /** Returns the subject of the rows. */
  String title() {
    return title;
  }

  /** Returns the name on the command line and in JSON. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns all names, separated by commas. */
  static String keys() {
    return Arrays.stream(values()).map(Group::key).collect(Collectors.joining(","));
  }

  /**
   * Returns the group with a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Group of(String key) {
    return Arrays.stream(values())
        .filter(group -> group.key().equals(key))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no group '" + key + "'; there are " + keys()));
  }
}
