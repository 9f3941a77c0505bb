// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Checks that the compared programs did their work; doing less would be faster. */
final class Checks {
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  private Checks() {}

  /**
   * Checks that a directory holds a number of code objects, each a plain ELF.
   *
   * @throws CommandFailedException if it doesn't
   */
  static void codeObjects(Path directory, int count) {
    try (Stream<Path> all = Files.walk(directory)) {
      List<Path> files = all.filter(file -> file.toString().endsWith(".co")).toList();
      for (Path file : files) {
        byte[] bytes = Files.readAllBytes(file);
        if (!Arrays.equals(ELF, Arrays.copyOf(bytes, ELF.length))) {
          throw new CommandFailedException(file + " is no code object");
        }
      }
      if (files.size() != count) {
        throw new CommandFailedException(
            files.size() + " code objects in " + directory + ", not " + count);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Checks that a text has a minimum number of lines.
   *
   * @throws CommandFailedException if it has fewer
   */
  static void lines(String output, int least) {
    long lines = output.lines().count();
    if (lines < least) {
      throw new CommandFailedException("expected " + least + " lines, but there were " + lines);
    }
  }

  /**
   * Checks a number that a tool printed.
   *
   * @param pattern finds the number as its first group
   * @throws CommandFailedException if it is not as expected
   */
  static void number(String output, Pattern pattern, int expected) {
    Matcher matcher = pattern.matcher(output);
    String found = matcher.find() ? matcher.group(1) : "no";
    if (!found.equals(Integer.toString(expected))) {
      throw new CommandFailedException(
          "expected " + expected + " of '" + pattern + "', but it told " + found);
    }
  }
}
