// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Set;

/**
 * What a file's text says about other files, in order. {@code assembles} is whether a word in it
 * may begin assembler code; {@code probing} has the macros that ask for files which their
 * definitions do not name.
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
   * A file named in a directive or in a {@code __has_include}. With {@code next}, any of the files
   * found may be meant, as by {@code #include_next}; with {@code text}, it is source text, unlike
   * what {@code #embed} names.
   */
  record Reference(String name, boolean quoted, boolean next, boolean text, int line) {}

  /** An include, or a question such as {@code __has_include}, whose operand is to be expanded. */
  record Computed(String directive, String operand, int line) {
    private static final int SHOWN = 40;

    static Computed include(Token directive, String rest) {
      String operand = directive.isIdentifier("embed") ? withoutParameters(rest) : rest;
      return new Computed(directive.text(), operand, directive.line());
    }

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

  /** The name of {@code -Wdate-time} as an argument of a macro; empty if that is unknown. */
  record Silencing(String macro, int line) {}

  /** What cannot be keyed, and what to do. */
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
