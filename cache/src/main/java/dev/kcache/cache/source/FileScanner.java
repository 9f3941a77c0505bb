// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.source.ScannedFile.Computed;
import dev.kcache.cache.source.ScannedFile.Problem;
import dev.kcache.cache.source.ScannedFile.Reference;
import dev.kcache.cache.source.ScannedFile.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Scans one file for what it may read and for what cannot be keyed. Conditionals are not evaluated,
 * so the result is a superset of what a compile reads. Not safe for use by several threads.
 */
final class FileScanner {
  private static final Set<String> INCLUDES =
      Set.of("include", "include_next", "import", "__include_macros", "embed");
  private static final Set<String> PROBES =
      Set.of("__has_include", "__has_include_next", "__has_embed");
  private static final Set<String> NAMING =
      Set.of("ifdef", "ifndef", "elifdef", "elifndef", "define", "undef");
  private static final Set<String> MESSAGES = Set.of("error", "warning");
  private static final Set<String> TIMES = Set.of("__DATE__", "__TIME__", "__TIMESTAMP__");

  /** A string that is built from more literals than this is not assembler code. */
  private static final int STRING_LIMIT = 1 << 20;

  private final Lexer lexer;
  private final List<Reference> references = new ArrayList<>();
  private final List<Computed> computed = new ArrayList<>();
  private final List<Time> times = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final StringBuilder string = new StringBuilder();
  private boolean hasKernel;

  /** Whose definition the line is, or empty. */
  private String defined = "";

  private Token before = new Token(Token.Kind.NEWLINE, "", 0);
  private Token last = before;

  private FileScanner(byte[] text) {
    lexer = new Lexer(text);
  }

  static ScannedFile scan(byte[] text) {
    FileScanner scanner = new FileScanner(text);
    scanner.refuseTrigraphs(text);
    scanner.lines();
    scanner.refuseDoubts();
    return new ScannedFile(
        scanner.references, scanner.computed, scanner.times, scanner.problems, scanner.hasKernel);
  }

  /** Whether they mean anything depends on {@code -std}; they can hide a directive or a splice. */
  private void refuseTrigraphs(byte[] text) {
    String characters = new String(text, ISO_8859_1);
    for (String trigraph : List.of("??=", "??/")) {
      int at = characters.indexOf(trigraph);
      if (at >= 0) {
        int line = 1 + (int) characters.substring(0, at).chars().filter(c -> c == '\n').count();
        problem(
            line,
            "the trigraph "
                + trigraph
                + " means different things to different compilers; write "
                + (trigraph.endsWith("=") ? "#" : "a backslash"));
      }
    }
  }

  private void refuseDoubts() {
    String doubt = lexer.doubt();
    if (doubt != null) {
      problem(lexer.doubtfulLine(), doubt);
    }
  }

  private void lines() {
    boolean lineStart = true;
    for (Token token = lexer.next(); token.kind() != Token.Kind.END; token = lexer.next()) {
      if (token.kind() == Token.Kind.NEWLINE) {
        lineStart = true;
        defined = "";
      } else if (lineStart && token.isPunctuator("#")) {
        lineStart = directive();
      } else {
        lineStart = false;
        code(token);
      }
    }
  }

  /** Takes a directive as far as its meaning goes; returns whether its line has ended. */
  private boolean directive() {
    Token name = lexer.next();
    if (name.endsLine()) {
      return true;
    }
    if (name.kind() != Token.Kind.IDENTIFIER) {
      code(name);
      return false;
    }
    see(name);
    if (INCLUDES.contains(name.text())) {
      return include(name);
    }
    if (MESSAGES.contains(name.text())) {
      checkMessage(name);
    }
    if (NAMING.contains(name.text())) {
      Token named = lexer.next();
      see(named);
      defined = name.isIdentifier("define") ? named.text() : "";
      return named.endsLine();
    }
    return name.isIdentifier("pragma") && pragma();
  }

  private boolean include(Token directive) {
    String operand = lexer.headerName();
    if (operand != null) {
      refer(directive, operand);
      return false;
    }
    String rest = lexer.restOfLine();
    Token token = lexer.next();
    if (!token.endsLine()) {
      String file = directive.isIdentifier("embed") ? withoutParameters(rest) : rest;
      computed.add(new Computed(directive.text(), file, directive.line()));
      code(token);
    }
    return token.endsLine();
  }

  /** Of {@code DATA limit(4)} the file is in the first word; no call of a macro is cut apart. */
  private static String withoutParameters(String operand) {
    int end = 0;
    while (end < operand.length() && !Characters.isBlank(operand.charAt(end))) {
      end++;
    }
    String parameters = operand.substring(end).stripLeading();
    boolean named = !parameters.isEmpty() && Character.isLetter(parameters.charAt(0));
    return named ? operand.substring(0, end) : operand;
  }

  private boolean pragma() {
    Token first = lexer.next();
    if (first.isIdentifier("include_alias")) {
      problem(first.line(), "#pragma include_alias hides what is included; name the file itself");
    }
    if (first.isIdentifier("mark")) {
      checkMessage(first);
    }
    if (first.isIdentifier("GCC") || first.isIdentifier("clang")) {
      Token second = lexer.next();
      if (second.isIdentifier("dependency")) {
        problem(second.line(), "#pragma GCC dependency depends on file times; remove it");
      }
      if (second.isIdentifier("diagnostic")) {
        checkSilence(first.line(), DateTimeWarning.isSilencedBy(lexer));
        return true;
      }
      return second.endsLine();
    }
    return first.endsLine();
  }

  /** It is plain text where it is compiled, and code that may hold a comment where it is not. */
  private void checkMessage(Token directive) {
    if (LineEnd.opens(lexer.restOfLine())) {
      problem(
          directive.line(),
          "the text of #"
              + directive.text()
              + " may begin a comment or a raw string; end it on the same line, or leave it out");
    }
  }

  private void code(Token token) {
    switch (token.kind()) {
      case IDENTIFIER -> identifier(token);
      case STRING -> string(token);
      default -> {}
    }
    see(token);
  }

  private void identifier(Token token) {
    String text = token.text();
    if (text.startsWith("__") && takesReserved(token)) {
      return;
    }
    if (text.equals("global") && isInAList()) {
      hasKernel = true;
    } else if (last.isPunctuator(".")
        && !isOperand(before)
        && AssemblerText.readsFile("." + text)) {
      assembler(token.line());
    } else if (last.isPunctuator("-") && DateTimeWarning.mayBeginWith(text)) {
      checkSilence(token.line(), DateTimeWarning.isNamedBy(text + lexer.restOfLine()));
    }
  }

  /** Takes a name of the language's own, if it means something here; returns whether it does. */
  private boolean takesReserved(Token token) {
    String text = token.text();
    if (text.equals("__global__")) {
      hasKernel = true;
      return true;
    }
    if (TIMES.contains(text) && !isAskedFor()) {
      times.add(new Time(text, defined, token.line()));
      return true;
    }
    if (PROBES.contains(text) && !isAskedFor()) {
      probe(token);
      return true;
    }
    return false;
  }

  /** Whether the identifier may be one of the attributes of {@code __attribute__((...))}. */
  private boolean isInAList() {
    return last.isPunctuator("(") || last.isPunctuator(",");
  }

  /** Whether the identifier stands in {@code defined X} or {@code defined(X)}. */
  private boolean isAskedFor() {
    return last.isIdentifier("defined")
        || (last.isPunctuator("(") && before.isIdentifier("defined"));
  }

  private static boolean isOperand(Token token) {
    return token.kind() == Token.Kind.IDENTIFIER
        || token.isPunctuator(")")
        || token.isPunctuator("]");
  }

  private void probe(Token token) {
    String operand = lexer.takeParenthesis() ? lexer.headerName() : null;
    if (operand == null) {
      unknown(token);
    } else {
      refer(token, operand);
    }
  }

  private void string(Token token) {
    if (last.kind() != Token.Kind.STRING || string.length() > STRING_LIMIT) {
      string.setLength(0);
    }
    string.append(token.text());
    if (AssemblerText.readsFile(string.toString())) {
      assembler(token.line());
      string.setLength(0);
    }
    boolean argument = last.isPunctuator("(") && DateTimeWarning.isLikeAMacro(before.text());
    checkSilence(token.line(), DateTimeWarning.isSilencedBy(token.text(), argument));
  }

  private void checkSilence(int line, boolean silences) {
    if (silences) {
      problem(line, DateTimeWarning.SILENCED);
    }
  }

  private void refer(Token directive, String operand) {
    if (operand.isEmpty()) {
      unknown(directive);
      return;
    }
    if (isOdd(operand)) {
      checkName(directive, operand);
    }
    String name = new String(operand.substring(1).getBytes(ISO_8859_1), UTF_8);
    if (name.indexOf('\ufffd') >= 0) {
      problem(directive.line(), "a file name is not UTF-8, or holds U+FFFD; rename the file");
    } else if (name.startsWith("/")) {
      problem(
          directive.line(),
          "'"
              + name
              + "' is an absolute path, which differs between machines; include it by a relative"
              + " name and declare its directory with includeDirectory (-I)");
    } else if (name.endsWith("\\") && operand.charAt(0) == '"') {
      problem(
          directive.line(),
          "whether a quote behind a backslash ends a file name depends on the compiler; rename the"
              + " file");
    } else if (SourceText.hasControl(name)) {
      problem(directive.line(), "a file name holds a control character; rename the file");
    } else if (!name.isEmpty()) {
      boolean quoted = operand.charAt(0) == '"';
      boolean next = directive.text().endsWith("_next");
      boolean text = !directive.text().endsWith("embed");
      references.add(new Reference(name, quoted, next, text, directive.line()));
    }
  }

  private static boolean isOdd(String operand) {
    return operand.indexOf("'") >= 0
        || operand.indexOf('"', 1) >= 0
        || operand.contains("//")
        || operand.contains("/*");
  }

  /** It is a name where it is compiled; where it is not, a comment or a string may begin in it. */
  private void checkName(Token directive, String operand) {
    String rest = lexer.restOfLine();
    String line = operand + (operand.charAt(0) == '<' ? '>' : '"') + rest;
    if (operand.contains("R\"") || LineEnd.opensComment(rest) != LineEnd.opensComment(line)) {
      problem(
          directive.line(),
          "a comment or a string may begin in the name of this file; rename the file, or move the"
              + " comment to another line");
    }
  }

  private void unknown(Token token) {
    boolean directive = INCLUDES.contains(token.text());
    problems.add(
        new Problem(
            token.line(),
            (directive ? "#" : "")
                + token.text()
                + " takes its operand from a macro, so the file is not known before the compile;"
                + " write the name out, or declare the file with withHeader (--header)",
            true));
  }

  private void assembler(int line) {
    problem(
        line,
        "assembler code that reads a file (.incbin, .include) cannot be keyed; "
            + "put the data into a header or use #embed");
  }

  private void problem(int line, String message) {
    problems.add(new Problem(line, message, false));
  }

  private void see(Token token) {
    before = last;
    last = token;
  }
}
