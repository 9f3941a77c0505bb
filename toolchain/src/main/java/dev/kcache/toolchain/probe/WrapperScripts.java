// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.rocm.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Finds the programs behind a wrapper script: those that it names by absolute paths, and in turn
 * those that they name. Programs that a script finds by other means are missed. Other files that it
 * names are ignored, since it may write to them.
 */
public final class WrapperScripts {
  private static final int LARGEST = 1 << 16;
  private static final int FIRST_LINE = 256;
  private static final int MOST = 64;
  private static final Pattern PATH = Pattern.compile("(?<![\\w./+-])/[\\w./+-]{1,4096}");

  private WrapperScripts() {}

  /** Returns the programs that a script names; none if the program is no script. */
  public static Set<Path> behind(Path program) {
    Set<Path> found = new LinkedHashSet<>();
    Deque<Path> unread = new ArrayDeque<>(Set.of(program));
    while (!unread.isEmpty() && found.size() < MOST) {
      script(unread.remove())
          .ifPresent(
              text ->
                  PATH.matcher(text)
                      .results()
                      .map(MatchResult::group)
                      .flatMap(name -> file(name).stream())
                      .filter(found::add)
                      .forEach(unread::add));
    }
    return found;
  }

  /**
   * Returns the first line of a script, which names its interpreter; empty if the program is no
   * script.
   */
  public static Optional<String> interpreter(Path program) {
    try (BufferedReader reader = Files.newBufferedReader(program, ISO_8859_1)) {
      char[] start = new char[FIRST_LINE];
      int length = Math.max(0, reader.read(start));
      String text = new String(start, 0, length);
      return text.startsWith("#!") ? text.lines().findFirst() : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the text of a script without its first line. */
  private static Optional<String> script(Path file) {
    return text(file).map(text -> text.substring((text + "\n").indexOf('\n')));
  }

  private static Optional<String> text(Path file) {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > LARGEST) {
        return Optional.empty();
      }
      String text = new String(Files.readAllBytes(file), ISO_8859_1);
      return text.startsWith("#!") ? Optional.of(text) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<Path> file(String name) {
    try {
      return Optional.of(Path.of(name).normalize()).filter(Environment::isProgram);
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
