// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words compilers' messages as Maven's compiler plugin words those of javac, {@code
 * FILE:[LINE,COLUMN] MESSAGE}, for which IDEs look. The same message for several targets is one.
 */
final class CompilerMessages {
  /** A file with line and perhaps column, as the command places a problem. */
  private static final Pattern PLACE = Pattern.compile("([^:\n]+):(\\d+)(?::(\\d+))?: (.*)");

  private final Set<String> errors = new LinkedHashSet<>();
  private final Set<String> warnings = new LinkedHashSet<>();

  /** Adds what one source gave for one target. */
  void add(Map<String, Object> result) {
    Path source = Path.of(Document.text(result, "source"));
    boolean told = false;
    for (Map<String, Object> diagnostic : Document.objects(result, "diagnostics")) {
      String severity = Document.text(diagnostic, "severity");
      boolean isError = severity.endsWith("error");
      told |= isError;
      (isError ? errors : warnings).add(text(source, severity, diagnostic));
    }
    String problem = Document.text(result, "problem");
    if (!told && !problem.isEmpty()) {
      errors.add(placed(source, problem));
    }
  }

  List<String> errors() {
    return List.copyOf(errors);
  }

  List<String> warnings() {
    return List.copyOf(warnings);
  }

  private static String text(Path source, String severity, Map<String, Object> diagnostic) {
    String message = severity + ": " + Document.text(diagnostic, "message");
    String file = Document.text(diagnostic, "file");
    return file.isEmpty()
        ? source + ": " + message
        : place(
                file(source, file),
                Document.text(diagnostic, "line"),
                Document.text(diagnostic, "column"))
            + message;
  }

  /** Words a problem of the command's own, which begins with its place if it has one. */
  private static String placed(Path source, String problem) {
    Matcher place = PLACE.matcher(problem);
    if (!place.matches()) {
      return problem.contains(source.toString()) ? problem : source + ": " + problem;
    }
    String column = place.group(3) == null ? "" : place.group(3);
    return place(file(source, place.group(1)), place.group(2), column) + place.group(4);
  }

  private static String place(Path file, String line, String column) {
    return "%s:[%s,%s] ".formatted(file, line, column.isEmpty() ? "1" : column);
  }

  /** The compiler sees a copy, which lies to its headers as the source does. */
  private static Path file(Path source, String name) {
    Path beside = source.resolveSibling(name);
    return Files.exists(beside) ? beside : Path.of(name);
  }
}
