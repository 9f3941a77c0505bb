// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.toolchain.Diagnostic;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Shows each diagnostic once per run of the command. Not thread-safe. */
final class CompilerOutput {
  private static final int LINES = 50;
  private static final int COLUMNS = 1000;

  /** The same where the source is binary, and no line of it helps. */
  private static final int LINES_OF_BYTES = 6;

  private static final int COLUMNS_OF_BYTES = 100;

  /** A line of a binary source: clang spells what is no text. */
  private static final Pattern BYTES = Pattern.compile("(?:<(?:U\\+)?[0-9A-F]{2,8}>.*?){8}");

  /**
   * A count, the command, or the driver's message that the linker failed, which gave the reason.
   */
  private static final Pattern NOTHING_NEW =
      Pattern.compile(
          "\\s*|\\d+ (warning|error)s?( and \\d+ errors?)? generated( when compiling for"
              + " \\S+)?\\.|failed to execute:.*|\\S+: error: \\S+ command failed with exit code"
              + " \\d+ \\(use -v to see invocation\\)");

  /** The first line of a diagnostic, or of the places that included its file. */
  private static final Pattern DIAGNOSTIC =
      Pattern.compile("In file included from .*|(?:.*: )?(?:fatal error|error|warning|remark): .*");

  private static final String INCLUDED = "In file included from ";

  /** An error that a problem's line explains in words of its own. */
  private static final Pattern EXPLAINED = Pattern.compile(".*\\[-Werror,-Woverride-module]");

  private static final Pattern ERROR = Pattern.compile("(?:.*: )?(?:fatal )?error: .*");

  private final Set<String> told = new HashSet<>();

  /** The first lines of the errors that were shown. */
  private final Set<String> errors = new LinkedHashSet<>();

  /**
   * Returns the part of a log that is to be shown: of each diagnostic that was not shown before,
   * with all that belongs to it, at most {@value #LINES} lines; of a binary source fewer and
   * shorter ones; empty if there is none.
   */
  Optional<String> news(String log) {
    List<String> shown = new ArrayList<>();
    boolean binary = log.lines().anyMatch(line -> BYTES.matcher(line).find());
    int lines = binary ? LINES_OF_BYTES : LINES;
    int columns = binary ? COLUMNS_OF_BYTES : COLUMNS;
    int left = 0;
    for (List<String> diagnostic : diagnostics(withoutClosing(log))) {
      int room = lines - shown.size();
      if (told.contains(key(diagnostic)) || EXPLAINED.matcher(diagnostic.get(0)).matches()) {
        continue;
      }
      if (room > 0) {
        told.add(key(diagnostic));
        diagnostic.stream()
            .limit(room)
            .filter(line -> ERROR.matcher(line).matches())
            .map(Text::oneLine)
            .forEach(errors::add);
      }
      diagnostic.stream().limit(room).map(line -> cut(line, columns)).forEach(shown::add);
      left += Math.max(0, diagnostic.size() - room);
    }
    if (left > 0) {
      shown.add("(" + Text.count(left, "line") + " left out; --json has all of them)");
    }
    return shown.isEmpty() ? Optional.empty() : Optional.of(String.join("\n", shown));
  }

  /**
   * Returns the line of a problem with a reference in the place of an error that was shown, so that
   * the error stands once.
   */
  String withoutShown(String problem, String source) {
    return errors.stream()
        .filter(problem::contains)
        .max(Comparator.comparingInt(String::length))
        .map(
            error ->
                source
                    + " does not compile, see the error above"
                    + problem.substring(problem.indexOf(error) + error.length()))
        .orElse(problem);
  }

  /** Writes what a compiler printed and what it means, unless it printed nothing. */
  static void write(String log, Json json) {
    if (!log.isBlank()) {
      json.put("log", log).objects("diagnostics", Diagnostic.parseLog(log), CompilerOutput::write);
    }
  }

  private static void write(Diagnostic diagnostic, Json json) {
    json.put("severity", diagnostic.severity()).putIfPresent("program", diagnostic.program());
    diagnostic.location().ifPresent(place -> write(place, json));
    json.put("message", diagnostic.message())
        .putIfPresent("option", diagnostic.option())
        .put("excerpt", diagnostic.excerpt())
        .objects("includedFrom", diagnostic.includedFrom(), CompilerOutput::write)
        .objects("notes", diagnostic.notes(), CompilerOutput::write);
  }

  private static void write(Diagnostic.Location place, Json json) {
    json.put("file", place.file()).put("line", place.line());
    if (place.column() > 0) {
      json.put("column", place.column());
    }
  }

  private static String key(List<String> diagnostic) {
    return String.join("\n", diagnostic).strip();
  }

  private static List<List<String>> diagnostics(String log) {
    List<List<String>> all = new ArrayList<>();
    String before = INCLUDED;
    for (String line : log.lines().toList()) {
      if (all.isEmpty() || (DIAGNOSTIC.matcher(line).matches() && !before.startsWith(INCLUDED))) {
        all.add(new ArrayList<>());
      }
      all.get(all.size() - 1).add(line);
      before = line;
    }
    return all;
  }

  private static String cut(String line, int columns) {
    return line.length() <= columns ? line : line.substring(0, columns - 3) + "...";
  }

  /**
   * Returns the log without the lines at its end that say nothing new, and without a line end; all
   * of it if it has no other lines.
   */
  static String withoutClosing(String log) {
    List<String> lines = log.lines().toList();
    int end = lines.size();
    while (end > 0 && NOTHING_NEW.matcher(lines.get(end - 1)).matches()) {
      end--;
    }
    return end == 0 ? log.stripTrailing() : String.join("\n", lines.subList(0, end));
  }
}
