// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lines of a file that no compile reads, by the literal conditions {@code #if 0} and
 * {@code #if 1} alone. Any other condition may be true or false. Not safe for use by several
 * threads.
 */
final class Conditionals {
  private static final Pattern FALSE = literal('0');
  private static final Pattern TRUE = literal('1');

  /** Longer than a literal with a comment behind it. */
  private static final int LONGEST = 200;

  private final Deque<Group> groups = new ArrayDeque<>();

  private int skipped;

  private enum Group {
    /** May be read, as may a later one. */
    POSSIBLE,
    /** May be read; no later one is if this or an earlier one was. */
    LAST,
    SKIPPED,
    /** Not read, nor is any later one. */
    OVER;

    boolean isSkipped() {
      return this == SKIPPED || this == OVER;
    }
  }

  private static Pattern literal(char digit) {
    return Pattern.compile("[ \\t]*" + digit + "[ \\t]*(//.*|/\\*[^*]*\\*/[ \\t]*)?");
  }

  /** Records a directive whose name the lexer has just taken; takes nothing itself. */
  void see(String directive, Lexer lexer) {
    switch (directive) {
      case "if" -> open(groupOf(lexer));
      case "ifdef", "ifndef" -> open(Group.POSSIBLE);
      case "elif" -> next(groupOf(lexer));
      case "elifdef", "elifndef", "else" -> next(Group.POSSIBLE);
      case "endif" -> close();
      default -> {}
    }
  }

  boolean mayBeRead() {
    return skipped == 0;
  }

  private static Group groupOf(Lexer lexer) {
    String condition = lexer.ahead(LONGEST);
    if (condition.length() == LONGEST) {
      return Group.POSSIBLE;
    }
    if (FALSE.matcher(condition).matches()) {
      return Group.SKIPPED;
    }
    return TRUE.matcher(condition).matches() ? Group.LAST : Group.POSSIBLE;
  }

  private void open(Group group) {
    groups.push(group);
    skipped += group.isSkipped() ? 1 : 0;
  }

  private void next(Group group) {
    Group before = close();
    if (before != null) {
      open(before == Group.LAST || before == Group.OVER ? Group.OVER : group);
    }
  }

  private @Nullable Group close() {
    Group group = groups.poll();
    skipped -= group != null && group.isSkipped() ? 1 : 0;
    return group;
  }
}
