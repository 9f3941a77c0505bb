// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognises assembler code that reads files when it is assembled or linked; no compiler lists them
 * as dependencies.
 */
final class AssemblerText {
  /** The assembler ignores case here. */
  private static final List<String> READING = List.of("incbin", "include");

  /** The type of a section that names libraries (LLVM's Extensions, "Dependent Libraries"). */
  private static final String LIBRARIES = "llvm_dependent_libraries";

  /** A word that a macro's arguments are put into. */
  private static final Pattern SUBSTITUTED =
      Pattern.compile("(?<![\\w.$])[\\w.$]*+(\\\\([\\w.$]++|\\(\\)|@)[\\w.$]*+)++");

  /** A directive with an operand for a part of its name; {@code %=} is a number, .L a label. */
  private static final Pattern MADE = Pattern.compile("(?<![\\w.%$])\\.(?!L)[\\w.]*+%(?![=%])");

  /** A statement, perhaps in a variant, that begins with the label of an object. */
  private static final Pattern LABELLED =
      Pattern.compile(
          "(?:^|[\\n\\r;{|}]|\\*/)[ \\t]*(?:(?:[\\w.$@?]++|\"[^\"\\n]*+\")[ \\t]*+:[ \\t]*+)*+\"?"
              + "%c(?:\\d|\\[\\w++])");

  /** Of {@code {a|b}}, clang has the assembler of a GPU read the first. */
  private static final Pattern VARIANTS = Pattern.compile("\\{([^{|}]*+)[^{}]*+}");

  /** What a label may be that an operand puts before the rest of a directive's name. */
  private static final Pattern BEGINNING = Pattern.compile("\\x01?\\.([a-z]*)");

  /**
   * The directives of which none may come from a label: those that read, and what makes their
   * names.
   */
  private static final List<String> MAKING =
      List.of("incbin", "include", "macro", "irpc", "altmacro", "section", "pushsection");

  private AssemblerText() {}

  /** Returns whether a word calls for assembler code, or may do so. */
  static boolean isTakenBy(String word) {
    return word.toLowerCase(Locale.ROOT).contains("asm");
  }

  /**
   * Returns whether a text between the parentheses of {@code asm} may be a label with which inline
   * assembler begins the name of a directive: {@code %c0} is the whole label there.
   */
  static boolean beginsReading(String text) {
    Matcher label = BEGINNING.matcher(text.toLowerCase(Locale.ROOT));
    return label.matches() && MAKING.stream().anyMatch(name -> name.startsWith(label.group(1)));
  }

  /** Returns whether inline assembler may make the name of a directive from an operand's name. */
  static boolean makesDirective(String text) {
    return text.indexOf('%') >= 0
        && (MADE.matcher(text).find()
            || LABELLED.matcher(text).find()
            || MADE.matcher(withoutVariants(text)).find());
  }

  private static String withoutVariants(String text) {
    return text.indexOf('{') < 0 ? text : VARIANTS.matcher(text).replaceAll("$1");
  }

  /** Returns whether the text, its escapes already resolved, reads a file when assembled. */
  static boolean readsFile(String text) {
    String first = withoutVariants(text);
    return readsPlainly(text) || (!first.equals(text) && readsPlainly(first));
  }

  private static boolean readsPlainly(String text) {
    for (int dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', dot + 1)) {
      if (!isPartOfName(text, dot - 1)) {
        for (String name : READING) {
          int end = dot + 1 + name.length();
          if (text.regionMatches(true, dot + 1, name, 0, name.length())
              && !isPartOfName(text, end)
              && mayNameAFile(text, end)) {
            return true;
          }
        }
        boolean section =
            text.startsWith("section", dot + 1) || text.startsWith("pushsection", dot + 1);
        if (section && hasLibraries(text, dot)) {
          return true;
        }
      }
    }
    return text.indexOf('\\') >= 0 && mayMakeReading(text.toLowerCase(Locale.ROOT));
  }

  /** An initialised member looks the same and names no file. */
  private static boolean mayNameAFile(String text, int end) {
    int next = end;
    while (next < text.length() && Characters.isBlank(text.charAt(next))) {
      next++;
    }
    return next == text.length() || "={".indexOf(text.charAt(next)) < 0;
  }

  /**
   * Returns whether an assembler macro may paste such a name together. A name that is passed whole
   * is found where it stands.
   */
  static boolean mayMakeReading(String text) {
    if (text.contains(".altmacro")) {
      return true;
    }
    if (!text.contains(".macro") && !text.contains(".irp")) {
      return false;
    }
    Matcher words = SUBSTITUTED.matcher(text);
    while (words.find()) {
      String pattern = words.group().replaceAll("\\\\([\\w.$]+|@)", "*").replace("\\()", "");
      String word = pattern.replace(".", "\\.").replace("$", "\\$").replaceAll("\\*+", ".*");
      for (String name : READING) {
        if (!pattern.equals("*") && ("." + name).matches(word)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The type may also be a number; no code needs that, so each number counts. */
  private static boolean hasLibraries(String text, int section) {
    int end = text.indexOf('\n', section);
    String line = text.substring(section, end < 0 ? text.length() : end);
    for (int at = line.indexOf('@'); at >= 0; at = line.indexOf('@', at + 1)) {
      String type = line.substring(at + 1).stripLeading();
      if (type.startsWith(LIBRARIES) || (!type.isEmpty() && Character.isDigit(type.charAt(0)))) {
        return true;
      }
    }
    return line.contains(LIBRARIES);
  }

  private static boolean isPartOfName(String text, int at) {
    return at >= 0
        && at < text.length()
        && text.charAt(at) < 0x80
        && (Characters.isWord(text.charAt(at)) || text.charAt(at) == '.');
  }
}
