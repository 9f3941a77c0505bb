// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directives of one assembly file that read other files.
 *
 * <p>A comment is skipped only where every assembler sees it. Those of LLVM differ in where a
 * string ends, some directives take the rest of their line as it stands, and what a macro is given
 * may begin a string or a comment. Behind anything of that kind, each directive counts wherever it
 * stands. One that does not begin its statement is refused, since it may be what a macro is given.
 */
final class AssemblyText {
  /** The assembler ignores the case of directives. */
  private static final Pattern DIRECTIVE =
      Pattern.compile("(?i)(?<![\\w.$])\\.(include|incbin)(?![\\w.$@?])[ \\t]*");

  private static final Pattern NAME = Pattern.compile("\"([^\"\\\\\\r\\n]+)\"");

  /** What may stand before a statement: blanks, comments and labels. */
  private static final Pattern BEFORE =
      Pattern.compile("[ \\t]++|/\\*.*?\\*/|(?:[\\w.$@?]++|\"[^\"\\\\]*+\")[ \\t]*+:");

  /** A character between quotes, maybe escaped. */
  private static final Pattern CHARACTER = Pattern.compile("'(?:[^'\\\\]|\\\\.)'");

  private final String display;

  private final boolean substitutes;
  private final List<Directive> directives = new ArrayList<>();
  private boolean sure = true;
  private boolean inBlock;

  /**
   * A directive.
   *
   * @param isText whether the assembler reads the file as a part of the source
   * @param name the file's name as it is written
   */
  record Directive(boolean isText, String name, int line) {}

  private AssemblyText(String display, boolean substitutes) {
    this.display = display;
    this.substitutes = substitutes;
  }

  /**
   * Returns the directives in their order.
   *
   * @param text the bytes of the file as characters
   * @throws SourceProblem if the name of a file is uncertain
   */
  static List<Directive> directives(String text, String display) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (AssemblerText.mayMakeReading(lower)) {
      throw new SourceProblem(
          display, 0, "a macro may put the name .include or .incbin together; write it out");
    }
    AssemblyText file =
        new AssemblyText(display, lower.contains(".macro") || lower.contains(".irp"));
    String[] lines = text.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      // A carriage return ends a statement too.
      for (String line : lines[i].split("\r", -1)) {
        file.scan(line, i + 1);
      }
    }
    return file.directives;
  }

  private void scan(String line, int number) {
    int from = endOfBlock(line);
    if (from < 0) {
      return;
    }
    int end = endOfCode(line, from);
    Matcher directive = DIRECTIVE.matcher(line).region(from, end).useTransparentBounds(true);
    while (directive.find()) {
      add(line, from, directive, number);
    }
  }

  /** Returns where the line goes on behind a comment that began on another, or -1. */
  private int endOfBlock(String line) {
    if (!inBlock) {
      return 0;
    }
    int end = line.indexOf("*/");
    inBlock = end < 0;
    return inBlock ? -1 : end + 2;
  }

  /** Returns where the comment begins that ends a line, if it is one for sure. */
  private int endOfCode(String line, int from) {
    if (substitutes && line.indexOf('\\') >= 0) {
      sure = false;
    }
    boolean atStart = true;
    int at = from;
    while (sure && at < line.length()) {
      char c = line.charAt(at);
      if (c == ';' || line.startsWith("//", at) || (c == '#' && atStart)) {
        return at;
      }
      if (line.startsWith("/*", at)) {
        int end = line.indexOf("*/", at + 2);
        if (end < 0) {
          inBlock = atStart;
          sure = atStart;
          return atStart ? at : line.length();
        }
        at = end + 2;
      } else if (c == '"' || c == '\'') {
        atStart = false;
        at = c == '"' ? endOfString(line, at) : endOfCharacter(line, at);
      } else {
        sure = c != '#';
        atStart &= c == ' ' || c == '\t';
        at++;
      }
    }
    return line.length();
  }

  private int endOfString(String line, int begin) {
    for (int at = begin + 1; at < line.length(); at++) {
      if (line.charAt(at) == '"') {
        return at + 1;
      }
      if (line.charAt(at) == '\\') {
        at++;
      }
    }
    sure = false;
    return line.length();
  }

  private int endOfCharacter(String line, int begin) {
    Matcher character = CHARACTER.matcher(line).region(begin, line.length());
    sure = character.lookingAt();
    return sure ? character.end() : line.length();
  }

  private static boolean beginsStatement(String line, int from, int at) {
    Matcher before = BEFORE.matcher(line).region(from, at);
    while (before.lookingAt()) {
      before.region(before.end(), at);
    }
    return before.regionStart() == at;
  }

  private void add(String line, int from, Matcher directive, int number) {
    String word = "." + directive.group(1);
    if (!beginsStatement(line, from, directive.start())) {
      throw new SourceProblem(
          display,
          number,
          word
              + " must begin its statement, since a macro could read any file by it elsewhere; if it"
              + " is in a comment or a string, leave out the dot");
    }
    Matcher name = NAME.matcher(line).region(directive.end(), line.length());
    if (!name.lookingAt()) {
      throw new SourceProblem(
          display, number, word + " needs the name of a file in quotes, without a backslash");
    }
    HeaderName written = new HeaderName('"' + name.group(1));
    written
        .problem()
        .ifPresent(
            problem -> {
              throw new SourceProblem(display, number, problem);
            });
    directives.add(
        new Directive(directive.group(1).equalsIgnoreCase("include"), written.name(), number));
  }
}
