// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Directories with a version in their names. */
public final class Newest {
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private Newest() {}

  /**
   * {@return the entries of a directory that match a glob, the newest first; 6.10 is after 6.4}
   *
   * @param directory gives no entries if it is missing or can't be read
   * @param glob of names, as {@link java.nio.file.Files#newDirectoryStream(java.nio.file.Path,
   *     String)} takes it
   */
  public static List<Path> first(Path directory, String glob) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, glob)) {
      found.forEach(entries::add);
    } catch (IOException e) {
      return List.of();
    }
    return sorted(entries);
  }

  /** Sorts paths by the numbers in their names, the newest first. */
  static List<Path> sorted(List<Path> paths) {
    if (paths.size() > 1) {
      paths.sort(order());
    }
    return paths;
  }

  private static Comparator<Path> order() {
    return Comparator.comparing((Path path) -> String.valueOf(path.getFileName()), numbers())
        .thenComparing(Path::toString)
        .reversed();
  }

  /** Returns the order of texts by the numbers in them. */
  static Comparator<String> numbers() {
    return Newest::compare;
  }

  private static int compare(String left, String right) {
    Matcher a = NUMBER.matcher(left);
    Matcher b = NUMBER.matcher(right);
    while (true) {
      boolean more = a.find();
      if (more != b.find()) {
        return more ? 1 : -1;
      }
      int order = more ? new BigInteger(a.group()).compareTo(new BigInteger(b.group())) : 0;
      if (!more || order != 0) {
        return order;
      }
    }
  }
}
