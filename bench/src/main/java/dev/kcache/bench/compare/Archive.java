// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.nio.file.Path;

/**
 * An archive of what a program loads, as {@code docs/startup.md} has applications make it.
 *
 * @param file the archive
 */
record Archive(Path file) {
  /** Returns the option by which Java makes it. */
  String making() {
    return (hasAotCache() ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + file;
  }

  /** Returns the option by which Java uses it. */
  String using() {
    return (hasAotCache() ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + file;
  }

  /** Returns whether Java has the successor of class-data archives: since 25, JEP 514. */
  private static boolean hasAotCache() {
    return Runtime.version().feature() >= 25;
  }
}
