// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.cache.source.ScannedFile.Computed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The macros that stand for {@code __has_include} or its kind, such as {@code #define HAS(x)
 * __has_include(x)}: the conditions that expand them say which files they ask for.
 */
final class ProbingMacros {
  private final Set<String> names;

  private ProbingMacros(Set<String> names) {
    this.names = names;
  }

  /** Returns the probing macros of some files, those defined by others of them included. */
  static ProbingMacros in(Collection<byte[]> files, Set<String> probing) {
    ProbingMacros macros = new ProbingMacros(new HashSet<>(probing));
    int before;
    do {
      before = macros.names.size();
      for (byte[] file : files) {
        List<Computed> unused = macros.questions(file);
      }
    } while (macros.names.size() > before);
    return macros;
  }

  /** Returns what a file asks through them, and adds the macros that it defines through them. */
  List<Computed> questions(byte[] file) {
    List<Computed> questions = new ArrayList<>();
    Lexer lexer = new Lexer(file);
    boolean lineStart = true;
    for (Token token = lexer.next(); token.kind() != Token.Kind.END; token = lexer.next()) {
      if (lineStart && token.isPunctuator("#")) {
        Token directive = lexer.next();
        token = directive;
        if (directive.isIdentifier("define")) {
          Token defined = lexer.next();
          questions.addAll(defined.endsLine() ? List.of() : asked(lexer, defined.text()));
          token = Token.NONE;
        } else if (FileScanner.CONDITIONS.contains(directive.text())) {
          questions.addAll(asked(lexer, ""));
          token = Token.NONE;
        }
      }
      lineStart = token.kind() == Token.Kind.NEWLINE;
    }
    return questions;
  }

  /** Takes the rest of a line, a definition if {@code defined} is not empty. */
  private List<Computed> asked(Lexer lexer, String defined) {
    List<Computed> questions = new ArrayList<>();
    Token before = Token.NONE;
    Token last = before;
    for (Token token = lexer.next(); !token.endsLine(); token = lexer.next()) {
      boolean wanted =
          last.isIdentifier("defined")
              || (last.isPunctuator("(") && before.isIdentifier("defined"));
      if (token.kind() == Token.Kind.IDENTIFIER && names.contains(token.text()) && !wanted) {
        Computed question = Computed.question(token, lexer.arguments());
        if (question.isLiteral() || defined.isEmpty()) {
          questions.add(question);
        } else {
          names.add(defined);
        }
      }
      before = last;
      last = token;
    }
    return questions;
  }
}
