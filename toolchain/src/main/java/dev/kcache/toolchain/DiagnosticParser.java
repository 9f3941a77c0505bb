// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.toolchain.Diagnostic.Location;
import dev.kcache.toolchain.Diagnostic.Severity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/*
 * A log is a sequence of messages, each a line that says so, with lines above it (the include stack)
 * and below it (the excerpt). Up to clang 16 an excerpt is a bare line of the source, which may look
 * like anything, a message included. So what follows a place is an excerpt if the line after it
 * marks a column; from clang 17 on its lines carry a number and a bar.
 *
 * nvcc's front end (EDG) puts the line in brackets behind the file, a bare line of the source with
 * its marker below, as clang did, and below that, indented, what was being instantiated. nvcc's
 * preprocessor may be gcc's, whose include stack is one sentence that begins with the innermost file.
 *
 * clang prints an include stack once and then leaves it out for as long as messages stay in that
 * file, and never prints it above a note.
 */

/*
 * rustc puts the place below the message, and what explains it follows without a blank line, notes
 * of several lines with a place of their own.
 */

/** Finds the diagnostics in a log. Every pattern takes time linear in the length of its line. */
final class DiagnosticParser {
  private static final String NUMBER = "(0|[1-9]\\d{0,8})";
  private static final String SEVERITY = "(note|remark|warning|error|fatal error)";
  private static final Pattern WITHOUT_PLACE =
      Pattern.compile("(?:([^\\s:]+): )?" + SEVERITY + ": (.*)", Pattern.DOTALL);
  private static final Pattern WITH_PLACE =
      Pattern.compile(
          "(.+?):" + NUMBER + "(?::" + NUMBER + ")?: " + SEVERITY + ": (.*)", Pattern.DOTALL);
  private static final Pattern OF_EDG =
      Pattern.compile(
          "(.+?)\\("
              + NUMBER
              + "\\): (note|remark|warning|error|catastrophic error|internal error)(?: #\\d{1,9}(?:-D)?)?"
              + ": (.*)",
          Pattern.DOTALL);
  private static final Pattern OF_NVIDIA =
      Pattern.compile(
          "(nvcc|ptxas|nvlink)(?: [^;]{1,1024};)? (info|warning|error|fatal) *: (.*)",
          Pattern.DOTALL);
  private static final Pattern OF_CICC =
      Pattern.compile("Error: (Internal Compiler Error.*)", Pattern.DOTALL);
  private static final Pattern INCLUDED =
      Pattern.compile("In file included from (.+):" + NUMBER + "[:,]", Pattern.DOTALL);
  private static final Pattern INCLUDED_BY =
      Pattern.compile(" {17}from (?:(.+):" + NUMBER + "|<command-line>)[:,]", Pattern.DOTALL);
  private static final Pattern INSTANTIATED =
      Pattern.compile(" {10}(detected during| {2}instantiation of ).*", Pattern.DOTALL);
  private static final Pattern OF_RUSTC =
      Pattern.compile("(note|help|warning|error)(?:\\[(E\\d{4})\\])?: (.*)", Pattern.DOTALL);
  private static final Pattern PLACE_OF_RUSTC =
      Pattern.compile(" {0,9}--> (.+):" + NUMBER + ":" + NUMBER, Pattern.DOTALL);
  private static final Pattern SUM_OF_RUSTC =
      Pattern.compile(
          "(error: aborting due to .*|(error: .*; |warning: )?\\d{1,9} warnings? emitted)",
          Pattern.DOTALL);
  private static final Pattern NUMBERED = Pattern.compile(" {0,9}\\d{1,9} \\|");
  private static final Pattern BELOW_NUMBERED = Pattern.compile(" {1,18}\\|");
  private static final Pattern COUNT =
      Pattern.compile("\\d{1,9} (warning|error)s?( and \\d{1,9} errors?)? generated\\b");

  private final List<String> lines;
  private final List<Draft> drafts = new ArrayList<>();
  private final List<Location> includes = new ArrayList<>();
  private boolean isSentence;
  private int next;
  private @Nullable Draft explained;
  private String file = "";
  private List<Location> includesOfFile = List.of();

  private DiagnosticParser(List<String> lines) {
    this.lines = lines;
  }

  static List<Diagnostic> parse(String log) {
    DiagnosticParser parser = new DiagnosticParser(log.lines().toList());
    while (parser.next < parser.lines.size()) {
      parser.step();
    }
    return parser.drafts.stream().map(Draft::finished).toList();
  }

  private void step() {
    String line = lines.get(next++);
    if (isIncludeStack(line) || isOfRustc(line) || SUM_OF_RUSTC.matcher(line).matches()) {
      return;
    }
    Draft draft = draft(line);
    if (draft != null) {
      int end = draft.location == null ? endOfReferences() : endOfExcerpt();
      draft.excerpt = lines.subList(next, end);
      next = end;
      add(draft);
    }
    includes.clear();
  }

  private boolean isIncludeStack(String line) {
    Matcher included = (isSentence ? INCLUDED_BY : INCLUDED).matcher(line);
    if (!included.matches()) {
      isSentence = false;
      return false;
    }
    boolean goesOn = line.endsWith(",");
    if (goesOn && !isSentence) {
      includes.clear();
    }
    if (included.group(1) != null) {
      includes.add(location(included.group(1), included.group(2), null));
    }
    if (isSentence && !goesOn) {
      Collections.reverse(includes);
    }
    isSentence = goesOn;
    return true;
  }

  /** A message without a place is one of rustc's if it has a code or an excerpt's margin below. */
  private boolean isOfRustc(String line) {
    Matcher message = OF_RUSTC.matcher(line);
    if (!message.matches()) {
      return false;
    }
    Matcher place = PLACE_OF_RUSTC.matcher(line(next));
    boolean hasPlace = place.matches();
    if (!hasPlace && message.group(2) == null && !BELOW_NUMBERED.matcher(line(next)).lookingAt()) {
      return false;
    }
    boolean helps = message.group(1).equals("help");
    Draft draft =
        new Draft(
            hasPlace ? location(place.group(1), place.group(2), place.group(3)) : null,
            null,
            helps ? Severity.NOTE : Severity.parse(message.group(1)),
            helps ? line : message.group(3));
    draft.code = message.group(2);
    int begin = hasPlace ? next + 1 : next;
    int end = begin;
    while (!line(end).isBlank() && !OF_RUSTC.matcher(line(end)).matches()) {
      end++;
    }
    draft.excerpt = lines.subList(begin, end);
    next = end;
    add(draft);
    includes.clear();
    return true;
  }

  private static @Nullable Draft draft(String line) {
    Draft nvidia = draftOfNvidia(line);
    if (nvidia != null) {
      return nvidia;
    }
    Matcher message = WITHOUT_PLACE.matcher(line);
    if (message.matches()) {
      return new Draft(null, message.group(1), Severity.parse(message.group(2)), message.group(3));
    }
    message = WITH_PLACE.matcher(line);
    if (message.matches()) {
      Location place = location(message.group(1), message.group(2), message.group(3));
      return new Draft(place, null, Severity.parse(message.group(4)), message.group(5));
    }
    return null;
  }

  /** Looked for first: to clang's patterns, a file and its line are a program's name. */
  private static @Nullable Draft draftOfNvidia(String line) {
    Matcher message = OF_EDG.matcher(line);
    if (message.matches()) {
      Location place = location(message.group(1), message.group(2), null);
      return new Draft(place, null, severity(message.group(3)), message.group(4));
    }
    message = OF_NVIDIA.matcher(line);
    if (message.matches()) {
      return new Draft(null, message.group(1), severity(message.group(2)), message.group(3));
    }
    message = OF_CICC.matcher(line);
    return message.matches()
        ? new Draft(null, "cicc", Severity.FATAL_ERROR, message.group(1))
        : null;
  }

  private static Severity severity(String word) {
    return switch (word) {
      case "info" -> Severity.REMARK;
      case "fatal", "catastrophic error", "internal error" -> Severity.FATAL_ERROR;
      default -> Severity.parse(word);
    };
  }

  private static Location location(String file, String line, @Nullable String column) {
    return new Location(
        file, Integer.parseInt(line), column == null ? 0 : Integer.parseInt(column));
  }

  private void add(Draft draft) {
    if (draft.location != null) {
      draft.includedFrom = includesOf(draft.location.file());
    }
    if (draft.severity == Severity.NOTE && explained != null) {
      draft.includedFrom = List.copyOf(includes);
      explained.notes.add(draft);
    } else {
      drafts.add(draft);
      explained = draft;
    }
  }

  private List<Location> includesOf(String place) {
    if (!includes.isEmpty()) {
      includesOfFile = List.copyOf(includes);
    } else if (!place.equals(file)) {
      includesOfFile = List.of();
    }
    file = place;
    return includesOfFile;
  }

  private int endOfReferences() {
    int end = next;
    while (line(end).startsWith(">>> ")) {
      end++;
    }
    return end;
  }

  private int endOfExcerpt() {
    if (NUMBERED.matcher(line(next)).lookingAt()) {
      int end = next + 1;
      while (NUMBERED.matcher(line(end)).lookingAt()
          || BELOW_NUMBERED.matcher(line(end)).lookingAt()) {
        end++;
      }
      return end;
    }
    if (!isMarker(line(next + 1))) {
      return next;
    }
    int end = next + 2;
    while (INSTANTIATED.matcher(line(end)).matches() && draft(line(end)) == null) {
      end++;
    }
    boolean isCorrected = end == next + 2 && isCorrection(line(end), line(next + 1));
    return isCorrected ? end + 1 : end;
  }

  private static boolean isMarker(String line) {
    return line.indexOf('^') >= 0 && line.chars().allMatch(c -> c == ' ' || c == '~' || c == '^');
  }

  /** A correction stands below what it corrects, in the first column only if the marker does. */
  private static boolean isCorrection(String line, String marker) {
    return !line.isBlank()
        && (line.startsWith(" ") || !marker.startsWith(" "))
        && draft(line) == null
        && !INCLUDED.matcher(line).matches()
        && !COUNT.matcher(line).lookingAt();
  }

  private String line(int index) {
    return index < lines.size() ? lines.get(index) : "";
  }

  /** A diagnostic whose notes may still come. */
  private static final class Draft {
    private final @Nullable Location location;
    private final @Nullable String program;
    private final Severity severity;
    private final String message;
    private final List<Draft> notes = new ArrayList<>();
    private @Nullable String code;
    private List<String> excerpt = List.of();
    private List<Location> includedFrom = List.of();

    private Draft(
        @Nullable Location location, @Nullable String program, Severity severity, String message) {
      this.location = location;
      this.program = program;
      this.severity = severity;
      this.message = message;
    }

    private Diagnostic finished() {
      int option = message.endsWith("]") ? message.lastIndexOf(" [-") : -1;
      return new Diagnostic(
          severity,
          Optional.ofNullable(location),
          Optional.ofNullable(program),
          option < 0 ? message : message.substring(0, option),
          option < 0
              ? Optional.ofNullable(code)
              : Optional.of(message.substring(option + 2, message.length() - 1)),
          excerpt,
          includedFrom,
          notes.stream().map(Draft::finished).toList());
    }
  }
}
