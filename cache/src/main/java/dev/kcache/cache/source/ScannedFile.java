// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Set;

/**
 * What a file's text says about other files.
 *
 * @param references the files that it may read, in order
 * @param computed the includes and conditions that name their files by macros, in order
 * @param problems what in it cannot be keyed, in order
 * @param silencings what silences {@code -Wdate-time} if a macro makes a pragma of it, in order
 * @param hasKernel whether a kernel's attribute stands in it
 * @param assembles whether a word in it may begin assembler code
 * @param probing the macros that ask for files which their definitions do not name
 */
record ScannedFile(
    List<Reference> references,
    List<Computed> computed,
    List<Problem> problems,
    List<Silencing> silencings,
    boolean hasKernel,
    boolean assembles,
    Set<String> probing) {
  /**
   * A file named in a directive or in a {@code __has_include}.
   *
   * @param name as it is written
   * @param quoted whether the directory of the file itself is searched first
   * @param next whether any of the files found may be meant, as by {@code #include_next}
   * @param text whether the file named is source text, unlike what {@code #embed} names
   * @param line from 1
   */
  record Reference(String name, boolean quoted, boolean next, boolean text, int line) {}

  /**
   * An include, or a question such as {@code __has_include}, whose operand is to be expanded.
   *
   * @param directive such as {@code include_next}, or what asks
   * @param operand what is to be expanded
   * @param line from 1
   */
  record Computed(String directive, String operand, int line) {
    private static final int SHOWN = 40;

    /** Returns the include of a directive with the rest of its line. */
    static Computed include(Token directive, String rest) {
      String operand = directive.isIdentifier("embed") ? withoutParameters(rest) : rest;
      return new Computed(directive.text(), operand, directive.line());
    }

    /** Returns the question of a macro or operator, with its arguments. */
    static Computed question(Token asking, String arguments) {
      String operand = arguments.strip();
      String file = asking.text().endsWith("embed") ? withoutParameters(operand) : operand;
      return new Computed(asking.text(), file, asking.line());
    }

    /** Of {@code DATA limit(4)} the first word names the file; a call of a macro is not split. */
    private static String withoutParameters(String operand) {
      int end = 0;
      while (end < operand.length() && !Characters.isBlank(operand.charAt(end))) {
        end++;
      }
      String parameters = operand.substring(end).stripLeading();
      boolean named = !parameters.isEmpty() && Character.isLetter(parameters.charAt(0));
      return named ? operand.substring(0, end) : operand;
    }

    /** Returns whether the operand already is a name with its delimiters. */
    boolean isLiteral() {
      return operand.startsWith("\"") || operand.startsWith("<");
    }

    /** Returns what it refers to if its operand stands for a name with its delimiters. */
    Reference reference(String name) {
      return new Reference(
          name.substring(1, name.length() - 1),
          name.startsWith("\""),
          directive.endsWith("_next"),
          !directive.endsWith("embed"),
          line);
    }

    private boolean isQuestion() {
      return !FileScanner.INCLUDES.contains(directive);
    }

    /** Returns the problem that its operand cannot be expanded here. */
    Problem problem() {
      String shown = operand.strip().replaceAll("[^ -~]", "?");
      return new Problem(
          line,
          "which file "
              + (isQuestion() ? directive + " of " : "#" + directive + " ")
              + (shown.length() > SHOWN ? shown.substring(0, SHOWN) + "..." : shown)
              + " names cannot be told before the compile; write the name out, or declare each file"
              + " that it may be with withHeader (--header)",
          Problem.Kind.CURABLE);
    }
  }

  /**
   * The name of {@code -Wdate-time} as an argument.
   *
   * @param macro the macro that is called with it, or empty if unknown
   * @param line from 1
   */
  record Silencing(String macro, int line) {}

  /**
   * What cannot be keyed.
   *
   * @param line from 1
   * @param message what it is and what to do, as one line
   * @param kind when it matters
   */
  record Problem(int line, String message, Kind kind) {
    enum Kind {
      FINAL,
      /** A declared header cures it. */
      CURABLE,
      /** It is harmless where nothing is assembled. */
      ASSEMBLER,
      /** It is harmless in newer standards. */
      TRIGRAPH
    }
  }
}
