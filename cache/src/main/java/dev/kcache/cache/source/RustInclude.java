// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an {@code include!} or its like names.
 *
 * @param name the file's name, or null if a macro tells it
 * @param computed whether the name is put together, so that it need not be a literal anywhere
 */
record RustInclude(@Nullable String name, boolean computed) {
  static final Set<String> NAMES = Set.of("include", "include_str", "include_bytes");

  private static final Set<String> COMPUTING =
      Set.of("concat", "stringify", "env", "option_env", "include", "include_str");

  /** A name is put together from fewer tokens than this, or not known. */
  private static final int AHEAD = 64;

  /** Reads on after the macro's name, taking nothing. */
  static RustInclude after(RustLexer lexer) {
    Iterator<Token> ahead = lexer.ahead(AHEAD);
    if (!opens(ahead)) {
      return new RustInclude(null, false);
    }
    Token first = ahead.next();
    if (first.kind() == Token.Kind.STRING) {
      return new RustInclude(closes(ahead) ? first.text() : null, false);
    }
    while (first.isPunctuator(":") || first.isIdentifier("core") || first.isIdentifier("std")) {
      first = ahead.next();
    }
    if (first.isIdentifier("concat")) {
      String joined = join(ahead);
      return new RustInclude(joined != null && closes(ahead) ? joined : null, true);
    }
    return new RustInclude(null, isComputed(first, ahead));
  }

  /** Returns what a {@code concat!} gives, after its name; null if that is not known. */
  static @Nullable String joined(RustLexer lexer) {
    return join(lexer.ahead(AHEAD));
  }

  private static boolean isComputed(Token first, Iterator<Token> ahead) {
    int depth = 1;
    for (Token token = first; depth > 0 && ahead.hasNext(); token = ahead.next()) {
      if (token.kind() == Token.Kind.IDENTIFIER && COMPUTING.contains(token.text())) {
        return true;
      }
      depth += isOpening(token) ? 1 : isClosing(token) ? -1 : 0;
    }
    return depth > 0;
  }

  private static @Nullable String join(Iterator<Token> ahead) {
    if (!opens(ahead)) {
      return null;
    }
    StringBuilder joined = new StringBuilder();
    while (ahead.hasNext()) {
      Token part = ahead.next();
      if (isClosing(part)) {
        return joined.toString();
      }
      if (!isLiteral(part) || !ahead.hasNext()) {
        return null;
      }
      joined.append(part.text());
      Token next = ahead.next();
      if (isClosing(next)) {
        return joined.toString();
      }
      if (!next.isPunctuator(",")) {
        return null;
      }
    }
    return null;
  }

  private static boolean isLiteral(Token token) {
    return switch (token.kind()) {
      case STRING, CHARACTER -> true;
      case NUMBER -> token.text().matches("0|[1-9][0-9]{0,17}");
      case IDENTIFIER -> token.text().equals("true") || token.text().equals("false");
      default -> false;
    };
  }

  private static boolean opens(Iterator<Token> ahead) {
    return ahead.next().isPunctuator("!") && isOpening(ahead.next());
  }

  /** A comma may stand at the end. */
  private static boolean closes(Iterator<Token> ahead) {
    Token next = ahead.hasNext() ? ahead.next() : Token.NONE;
    return isClosing(next)
        || (next.isPunctuator(",") && ahead.hasNext() && isClosing(ahead.next()));
  }

  private static boolean isOpening(Token token) {
    return token.isPunctuator("(") || token.isPunctuator("[") || token.isPunctuator("{");
  }

  private static boolean isClosing(Token token) {
    return token.isPunctuator(")") || token.isPunctuator("]") || token.isPunctuator("}");
  }
}
