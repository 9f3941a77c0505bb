// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.rocm.Environment;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The output of {@code nvcc --dryrun}: settings of variables, and shell commands that use them,
 * each after {@code #$}.
 *
 * @param settings the variables
 * @param commands each a program, by its absolute path if it was found, and its arguments, without
 *     the parts that differ from run to run
 */
public record NvccDryRun(Map<String, String> settings, List<List<String>> commands) {
  private static final String LINE = "#$ ";
  private static final Pattern SETTING = Pattern.compile("([A-Za-z_]\\w*)=(.*)");
  private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");

  /** The names of temporary files consist of the process, a counter and the source's name. */
  private static final Pattern TEMPORARY_NAME =
      Pattern.compile("tmpxft_[0-9a-f]{8}_[0-9a-f]{8}-\\d{1,9}_");

  public NvccDryRun {
    settings = Map.copyOf(settings);
    commands = commands.stream().map(List::copyOf).toList();
  }

  /** Parses the output of a dry run, without the names of the directories that it ran in. */
  public static NvccDryRun parse(String printed) {
    Map<String, String> settings = new HashMap<>();
    List<List<String>> commands = new ArrayList<>();
    for (String line : printed.split("\\R", -1)) {
      if (!line.startsWith(LINE)) {
        continue;
      }
      String text = line.substring(LINE.length());
      Matcher setting = SETTING.matcher(text);
      if (setting.matches()) {
        settings.put(setting.group(1), setting.group(2));
      } else if (!text.startsWith("-")) {
        commands.add(words(text, settings));
      }
    }
    commands.removeIf(List::isEmpty);
    return new NvccDryRun(settings, commands);
  }

  /** Returns the directory of the real nvcc. */
  public Optional<Path> home() {
    return Optional.ofNullable(settings.get("_HERE_")).flatMap(NvccDryRun::path);
  }

  /** Returns the program that preprocesses. */
  public String hostCompiler() {
    return commands.get(0).get(0);
  }

  /** Returns the device library that the compiler links implicitly, as a command that names it. */
  public List<String> bitcode() {
    String directory = settings.getOrDefault("NVVMIR_LIBRARY_DIR", "");
    return List.of("libdevice", directory + "/libdevice.10.bc");
  }

  private static List<String> words(String text, Map<String, String> settings) {
    List<String> words = new ArrayList<>();
    split(expand(text, settings)).stream()
        .map(word -> TEMPORARY_NAME.matcher(word).replaceAll(""))
        .forEach(words::add);
    if (!words.isEmpty()) {
      words.set(0, located(words.get(0), settings.getOrDefault("PATH", "")));
    }
    return words;
  }

  /** Splits a command into words as a shell would, with quoted and bare parts. */
  private static List<String> split(String command) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean begun = false;
    boolean quoted = false;
    for (int i = 0; i < command.length(); i++) {
      char c = command.charAt(i);
      if (c == '"') {
        quoted = !quoted;
        begun = true;
      } else if (!quoted && Character.isWhitespace(c)) {
        if (begun) {
          words.add(word.toString());
        }
        word.setLength(0);
        begun = false;
      } else {
        word.append(c);
        begun = true;
        if (quoted && c == '\\' && i + 1 < command.length()) {
          word.append(command.charAt(++i));
        }
      }
    }
    if (begun) {
      words.add(word.toString());
    }
    return words;
  }

  private static String expand(String text, Map<String, String> settings) {
    return VARIABLE
        .matcher(text)
        .replaceAll(name -> Matcher.quoteReplacement(settings.getOrDefault(name.group(1), "")));
  }

  private static String located(String program, String searchPath) {
    List<Path> directories =
        Arrays.stream(searchPath.split(":", -1))
            .filter(directory -> directory.startsWith("/"))
            .flatMap(directory -> path(directory).stream())
            .toList();
    return program.startsWith("/")
        ? program
        : Environment.program(program, directories).map(Path::toString).orElse(program);
  }

  private static Optional<Path> path(String text) {
    try {
      return Stream.of(Path.of(text).normalize()).findFirst();
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
