// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.toolchain.PlannedCommands;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the commands that a driver prints for {@code -###}, and finds the files that they name.
 */
public final class CommandLines {
  private static final Pattern CONFIGURATION = Pattern.compile("Configuration file: (\\S.*)");
  private static final Set<String> INCLUDE_OPTIONS =
      Set.of(
          "-internal-isystem",
          "-internal-externc-isystem",
          "-isystem",
          "-idirafter",
          "-resource-dir");
  private static final String JOINED_INCLUDE = "-I";

  private CommandLines() {}

  /**
   * Parses the output of the driver.
   *
   * @param temporary the directory of temporary files, whose names are random
   */
  public static PlannedCommands parse(String printed, String temporary) {
    List<List<String>> commands = new ArrayList<>();
    List<String> configuration = new ArrayList<>();
    for (String line : printed.split("\\R", -1)) {
      Matcher file = CONFIGURATION.matcher(line.strip());
      if (file.matches()) {
        configuration.add(file.group(1));
      } else if (line.startsWith(" \"")) {
        // Without words if the line was cut within the first one.
        List<String> words = words(line, temporary);
        if (!words.isEmpty()) {
          commands.add(words);
        }
      } else if (line.contains(": warning: ")) {
        commands.add(PlannedCommands.WARNING);
      }
    }
    return new PlannedCommands(commands, configuration);
  }

  /** Returns the normalised directories in which a compiler here looks for its own headers. */
  public static Set<Path> includeDirectories(List<List<String>> commands) {
    return includeDirectories(commands, CompilerFiles.LOCAL);
  }

  /** Returns the normalised directories in which the compiler looks for its own headers. */
  public static <P extends Comparable<? super P>> Set<P> includeDirectories(
      List<List<String>> commands, CompilerFiles<P> files) {
    Set<P> directories = new TreeSet<>();
    for (List<String> command : commands) {
      for (int i = 0; i + 1 < command.size(); i++) {
        String word = command.get(i);
        if (word.startsWith(JOINED_INCLUDE) && files.isAbsolute(word.substring(2))) {
          directories.add(files.normalise(files.path(word.substring(2))));
        } else if (INCLUDE_OPTIONS.contains(word)) {
          directories.add(files.normalise(files.path(command.get(i + 1))));
        }
      }
    }
    return directories;
  }

  /** Returns the normalised paths of the programs that are named by a path. */
  public static <P extends Comparable<? super P>> Set<P> programs(
      List<List<String>> commands, CompilerFiles<P> files) {
    Set<P> programs = new TreeSet<>();
    commands.stream()
        .map(command -> command.get(0))
        .filter(files::isAbsolute)
        .forEach(program -> programs.add(files.normalise(files.path(program))));
    return programs;
  }

  /** Returns every file that the commands name, such as a program or device bitcode. */
  public static <P extends Comparable<? super P>> Set<P> files(
      PlannedCommands plan, CompilerFiles<P> files) {
    Set<P> named = new TreeSet<>();
    plan.configuration().forEach(file -> named.add(files.normalise(files.path(file))));
    for (P path : paths(plan, files)) {
      if (files.isRegularFile(path)) {
        named.add(files.normalise(path));
      }
    }
    return named;
  }

  /** Returns every absolute path in the commands, whether it leads to a file or not. */
  public static <P extends Comparable<? super P>> Set<P> paths(
      PlannedCommands plan, CompilerFiles<P> files) {
    Set<P> paths = new TreeSet<>();
    for (List<String> command : plan.commands()) {
      for (String word : command) {
        String value = word.substring(word.startsWith("-") ? word.indexOf('=') + 1 : 0);
        if (files.isAbsolute(value)) {
          paths.add(files.path(value));
        }
      }
    }
    return paths;
  }

  /**
   * Returns a command with one canonical path for each file, since a driver names files by the
   * directories and links through which it was found. With debug information the command stays as
   * it is, since the paths are part of the result.
   */
  static <P extends Comparable<? super P>> List<String> normalised(
      List<String> command, CompilerFiles<P> files) {
    boolean showsNames = command.stream().anyMatch(word -> word.startsWith("-debug-info-kind="));
    return showsNames ? command : command.stream().map(word -> normalised(word, files)).toList();
  }

  private static <P extends Comparable<? super P>> String normalised(
      String word, CompilerFiles<P> files) {
    return files.isAbsolute(word) ? files.canonical(files.path(word)).toString() : word;
  }

  private static List<String> words(String line, String temporary) {
    List<String> words = new ArrayList<>();
    int at = line.indexOf('"');
    while (at >= 0) {
      StringBuilder word = new StringBuilder();
      int end = endOfWord(line, at + 1, word);
      if (end < 0) {
        return words;
      }
      String text = word.toString();
      words.add(isIn(text, temporary) ? PlannedCommands.TEMPORARY : text);
      at = line.indexOf('"', end + 1);
    }
    return words;
  }

  private static boolean isIn(String path, String directory) {
    return path.startsWith(directory)
        && path.length() > directory.length()
        && "/\\".indexOf(path.charAt(directory.length())) >= 0;
  }

  /** Appends the quoted text to {@code word}; returns the index of its end, or -1. */
  private static int endOfWord(String line, int start, StringBuilder word) {
    for (int i = start; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        return i;
      }
      if (c == '\\' && ++i < line.length()) {
        c = line.charAt(i);
      }
      word.append(c);
    }
    return -1;
  }
}
