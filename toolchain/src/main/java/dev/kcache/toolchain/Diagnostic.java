// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One message of a compiler, with its notes, excerpt and include stack. Immutable.
 *
 * <p>Its canonical text form is clang's: the include stack, the message, the excerpt, the notes. It
 * has the include stack even if clang left it out because the message before had the same one.
 * Messages of nvcc and rustc get the same form.
 */
public final class Diagnostic {
  private static final Pattern ERROR =
      Pattern.compile(
          "^.*(?:\\berror: |\\(LLVM option parsing\\): ).*$",
          Pattern.MULTILINE | Pattern.CASE_INSENSITIVE);

  private final Severity severity;
  private final Optional<Location> location;
  private final Optional<String> program;
  private final String message;
  private final Optional<String> option;
  private final List<String> excerpt;
  private final List<Location> includedFrom;
  private final List<Diagnostic> notes;

  Diagnostic(
      Severity severity,
      Optional<Location> location,
      Optional<String> program,
      String message,
      Optional<String> option,
      List<String> excerpt,
      List<Location> includedFrom,
      List<Diagnostic> notes) {
    this.severity = severity;
    this.location = location;
    this.program = program;
    this.message = message;
    this.option = option;
    this.excerpt = List.copyOf(excerpt);
    this.includedFrom = List.copyOf(includedFrom);
    this.notes = List.copyOf(notes);
  }

  /** {@return the severity} */
  public Severity severity() {
    return severity;
  }

  /**
   * {@return the place in a file; absent for messages of the driver, the linker, and the back end
   * about a whole kernel}
   */
  public Optional<Location> location() {
    return location;
  }

  /**
   * {@return the program that names itself, such as {@code clang} for the driver or {@code lld};
   * absent for the compiler proper}
   */
  public Optional<String> program() {
    return program;
  }

  /** {@return the text, without the option} */
  public String message() {
    return message;
  }

  /**
   * {@return the option that controls it, as printed in brackets, such as {@code -Wunused-variable}
   * or {@code -Werror,-Wunused-variable}; of rustc its code, such as {@code E0554}}
   */
  public Optional<String> option() {
    return option;
  }

  /**
   * {@return the printed lines below the message: the source with markers and corrections, or the
   * linker's references; often empty}
   */
  public List<String> excerpt() {
    return excerpt;
  }

  /** {@return the places that included the file, the outermost first, without columns} */
  public List<Location> includedFrom() {
    return includedFrom;
  }

  /** {@return the notes that explain it, in order; notes have no notes} */
  public List<Diagnostic> notes() {
    return notes;
  }

  /** The severity of a diagnostic, in the compiler's words. */
  public enum Severity {
    /** Explains another diagnostic. */
    NOTE("note"),
    /** Reports what the compiler did, such as an optimisation. */
    REMARK("remark"),
    /** Dubious, but compiled. */
    WARNING("warning"),
    /** Prevents a code object. */
    ERROR("error"),
    /** As an error, and the compiler stopped at once. */
    FATAL_ERROR("fatal error");

    private final String text;

    Severity(String text) {
      this.text = text;
    }

    /** {@return whether a compile with such a diagnostic fails} */
    public boolean isError() {
      return compareTo(ERROR) >= 0;
    }

    /** Returns the compiler's word, such as {@code fatal error}. */
    @Override
    public String toString() {
      return text;
    }

    static Severity parse(String text) {
      for (Severity severity : values()) {
        if (severity.text.equals(text)) {
          return severity;
        }
      }
      throw new IllegalArgumentException("no severity: '" + text + "'");
    }
  }

  /**
   * A place in a file.
   *
   * @param file the user's own name for the file, the compiler's if it is a file of the toolchain
   *     or none at all, such as {@code <inline asm>}
   * @param line the line, from 1
   * @param column the column, from 1 and in bytes of UTF-8, as clang counts; 0 if it is not told
   */
  public record Location(String file, int line, int column) {
    /** Returns {@code file:line:column}, or {@code file:line} without a column. */
    @Override
    public String toString() {
      return file + ":" + line + (column == 0 ? "" : ":" + column);
    }
  }

  /**
   * {@return the first error of a log as one line, with advice where its own text has none}
   *
   * @param log what a compiler printed; any text
   */
  public static Optional<String> firstError(String log) {
    requireNonNull(log, "log");
    for (Diagnostic diagnostic : parseLog(log)) {
      if (diagnostic.severity().isError()) {
        return Optional.of(diagnostic.headline().strip() + DiagnosticAdvice.on(diagnostic));
      }
    }
    Matcher error = ERROR.matcher(log);
    return error.find() ? Optional.of(error.group().strip()) : Optional.empty();
  }

  /**
   * Parses the diagnostics in the output of clang, lld, nvcc or rustc, in order, with their notes.
   * Accepts any text, in time linear in its length, and skips what is no diagnostic, such as the
   * stack dump of a crashed compiler.
   *
   * @param log what a compiler printed
   * @return the diagnostics, in the order of the log; empty if there are none
   */
  public static List<Diagnostic> parseLog(String log) {
    requireNonNull(log, "log");
    return DiagnosticParser.parse(log);
  }

  /** {@return the message itself as the one line that the compiler printed} */
  public String headline() {
    return location.map(place -> place + ": ").orElse("")
        + program.map(name -> name + ": ").orElse("")
        + severity
        + ": "
        + message
        + option.map(name -> " [" + name + "]").orElse("");
  }

  /** Returns the canonical text form, several lines without a line end at the last. */
  @Override
  public String toString() {
    List<String> lines = new ArrayList<>();
    includedFrom.forEach(place -> lines.add("In file included from " + place + ":"));
    lines.add(headline());
    lines.addAll(excerpt);
    notes.forEach(note -> lines.add(note.toString()));
    return String.join("\n", lines);
  }

  private List<Object> values() {
    return List.of(severity, location, program, message, option, excerpt, includedFrom, notes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Diagnostic that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }
}
