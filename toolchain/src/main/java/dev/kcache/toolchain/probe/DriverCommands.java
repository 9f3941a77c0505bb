// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The commands that a compiler driver would run, as clang prints them for {@code -###}, and the
 * configuration files that it read.
 *
 * @param commands each the program and its arguments, with temporary names taken out
 * @param configuration the driver's configuration files
 */
public record DriverCommands(List<List<String>> commands, List<String> configuration) {
  /** Stands for a temporary file. */
  public static final String TEMPORARY = "(temporary)";

  /**
   * Stands among the commands for a warning, which the driver itself gives, and only if it runs.
   */
  public static final List<String> WARNING = List.of("(warning)");

  private static final Pattern CONFIGURATION = Pattern.compile("Configuration file: (\\S.*)");
  private static final Set<String> INCLUDE_OPTIONS =
      Set.of(
          "-internal-isystem",
          "-internal-externc-isystem",
          "-isystem",
          "-idirafter",
          "-resource-dir");
  private static final String JOINED_INCLUDE = "-I/";

  public DriverCommands {
    commands = commands.stream().map(List::copyOf).toList();
    configuration = List.copyOf(configuration);
  }

  /**
   * Reads what the driver printed.
   *
   * @param temporary the directory of temporary files, whose names are random
   */
  public static DriverCommands parse(String printed, Path temporary) {
    List<List<String>> commands = new ArrayList<>();
    List<String> configuration = new ArrayList<>();
    for (String line : printed.split("\\R", -1)) {
      Matcher file = CONFIGURATION.matcher(line.strip());
      if (file.matches()) {
        configuration.add(file.group(1));
      } else if (line.startsWith(" \"")) {
        // Without a word if it was cut in its first one.
        List<String> words = words(line, temporary);
        if (!words.isEmpty()) {
          commands.add(words);
        }
      } else if (line.contains(": warning: ")) {
        commands.add(WARNING);
      }
    }
    return new DriverCommands(commands, configuration);
  }

  /** Returns these commands and one more. */
  public DriverCommands with(List<String> command) {
    return new DriverCommands(
        Stream.concat(commands.stream(), Stream.of(command)).toList(), configuration);
  }

  /** Returns the directories, normalised, in which the compiler looks for its own headers. */
  public Set<Path> includeDirectories() {
    Set<Path> directories = new TreeSet<>();
    for (List<String> command : commands) {
      for (int i = 0; i + 1 < command.size(); i++) {
        if (command.get(i).startsWith(JOINED_INCLUDE)) {
          directories.add(ToolchainPaths.normalise(Path.of(command.get(i).substring(2))));
        } else if (INCLUDE_OPTIONS.contains(command.get(i))) {
          directories.add(ToolchainPaths.normalise(Path.of(command.get(i + 1))));
        }
      }
    }
    return directories;
  }

  /** Returns the programs that are told with their place, normalised. */
  public Set<Path> programs() {
    Set<Path> programs = new TreeSet<>();
    commands.stream()
        .map(command -> command.get(0))
        .filter(program -> program.startsWith("/"))
        .forEach(program -> programs.add(ToolchainPaths.normalise(Path.of(program))));
    return programs;
  }

  /** Returns every file that a command names, such as a program or device bitcode. */
  public Set<Path> files() {
    Set<Path> files = new TreeSet<>();
    configuration.forEach(file -> files.add(ToolchainPaths.normalise(Path.of(file))));
    for (List<String> command : commands) {
      for (String word : command) {
        String value = word.substring(word.startsWith("-") ? word.indexOf('=') + 1 : 0);
        if (value.startsWith("/") && Files.isRegularFile(Path.of(value))) {
          files.add(ToolchainPaths.normalise(Path.of(value)));
        }
      }
    }
    return files;
  }

  private static List<String> words(String line, Path temporary) {
    List<String> words = new ArrayList<>();
    int at = line.indexOf('"');
    while (at >= 0) {
      StringBuilder word = new StringBuilder();
      int end = endOfWord(line, at + 1, word);
      if (end < 0) {
        return words;
      }
      String text = word.toString();
      words.add(text.startsWith(temporary + "/") ? TEMPORARY : text);
      at = line.indexOf('"', end + 1);
    }
    return words;
  }

  /** Adds what stands between quotes to {@code word}; returns where it ends, or -1. */
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
