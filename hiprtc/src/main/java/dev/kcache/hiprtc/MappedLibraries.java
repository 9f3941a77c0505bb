// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The shared libraries of this process, as the kernel lists them: hiprtc loads some by name at its
 * first compile, which can't be known before.
 */
final class MappedLibraries {
  private static final Path MAPS = Path.of("/proc/self/maps");

  /** The path is the last of six columns, and may have spaces. */
  private static final int COLUMNS = 6;

  private static final Pattern BLANKS = Pattern.compile(" +");

  /** Libraries that a Java runtime uses itself, and that affect what compilers calculate. */
  private static final Pattern SHARED =
      Pattern.compile("lib(?:c|m|stdc\\+\\+|gcc_s|c\\+\\+)[.-].*");

  private MappedLibraries() {}

  static Set<String> now() {
    Set<String> files = new TreeSet<>();
    try {
      for (String line : Files.readAllLines(MAPS)) {
        String[] columns = BLANKS.split(line, COLUMNS);
        if (columns.length == COLUMNS
            && columns[COLUMNS - 1].startsWith("/")
            && name(columns[COLUMNS - 1]).contains(".so")) {
          files.add(columns[COLUMNS - 1]);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** Returns the libraries that were loaded after {@code before}, and those that both use. */
  static Set<String> since(Set<String> before) {
    Set<String> files = now();
    files.removeIf(file -> before.contains(file) && !SHARED.matcher(name(file)).matches());
    return files;
  }

  private static String name(String file) {
    return file.substring(file.lastIndexOf('/') + 1);
  }
}
