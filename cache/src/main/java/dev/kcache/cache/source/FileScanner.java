// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.cache.source.ScannedFile.Computed;
import dev.kcache.cache.source.ScannedFile.Problem;
import dev.kcache.cache.source.ScannedFile.Problem.Kind;
import dev.kcache.cache.source.ScannedFile.Reference;
import dev.kcache.cache.source.ScannedFile.Silencing;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Scans one file for what it may read and for what cannot be keyed. Of conditionals only {@code #if
 * 0} and its kind are evaluated, so the result is a superset of what a compile reads. Not safe for
 * use by several threads.
 */
final class FileScanner {
  static final Set<String> INCLUDES =
      Set.of("include", "include_next", "import", "__include_macros", "embed");
  static final Set<String> PROBES = Set.of("__has_include", "__has_include_next", "__has_embed");
  private static final Set<String> UNSCANNED = Set.of("embed", "__has_embed", "dependency");
  private static final Set<String> NAMING =
      Set.of("ifdef", "ifndef", "elifdef", "elifndef", "define", "undef");
  private static final Set<String> MESSAGES = Set.of("error", "warning");
  static final Set<String> CONDITIONS = Set.of("if", "elif");

  private static final Pattern PLAIN_NAME = Pattern.compile("[\\w.+-][\\w./+-]*");

  /** A string that is built from more literals than this is not assembler code. */
  private static final int STRING_LIMIT = 1 << 20;

  private static final String MADE =
      "assembler code that makes the name of a directive from an operand, and so may read a file,"
          + " cannot be keyed; write the directive out";

  private final Lexer lexer;
  private final List<Reference> references = new ArrayList<>();
  private final List<Computed> computed = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final Set<String> probing = new HashSet<>();
  private final List<Silencing> silencings = new ArrayList<>();
  private final Conditionals conditionals = new Conditionals();
  private StringBuilder string = new StringBuilder();
  private boolean hasKernel;
  private boolean assembles;

  /** Whether the string stands where {@code asm} has assembler code, or the label of an object. */
  private boolean mayBeLabel;

  /** The macro whose definition the line is, or empty. */
  private String defined = "";

  private boolean hasParameters;

  private boolean condition;

  private Token earlier = Token.NONE;
  private Token before = Token.NONE;
  private Token last = Token.NONE;

  private FileScanner(byte[] text) {
    lexer = new Lexer(text);
  }

  static ScannedFile scan(byte[] text) {
    FileScanner scanner = new FileScanner(text);
    Trigraphs.problemOf(text).ifPresent(scanner.problems::add);
    scanner.lines();
    if (scanner.lexer.doubt() != null) {
      scanner.problems.add(scanner.lexer.doubt());
    }
    return new ScannedFile(
        scanner.references,
        scanner.computed,
        scanner.problems,
        scanner.silencings,
        scanner.hasKernel,
        scanner.assembles,
        scanner.probing);
  }

  private void lines() {
    boolean lineStart = true;
    for (Token token = lexer.next(); token.kind() != Token.Kind.END; token = lexer.next()) {
      if (token.kind() == Token.Kind.NEWLINE) {
        lineStart = true;
      } else if (lineStart && token.isPunctuator("#")) {
        directiveLine();
      } else {
        lineStart = false;
        code(token);
      }
    }
  }

  /** Code before a directive goes on behind it, as a string may. */
  private void directiveLine() {
    List<Token> outer = List.of(earlier, before, last);
    StringBuilder outerString = string;
    string = new StringBuilder();
    if (!directive()) {
      for (Token token = lexer.next(); !token.endsLine(); token = lexer.next()) {
        code(token);
      }
    }
    earlier = outer.get(0);
    before = outer.get(1);
    last = outer.get(2);
    string = outerString;
    defined = "";
    condition = false;
  }

  /** Takes what matters of a directive; returns whether its line has ended. */
  private boolean directive() {
    Token name = lexer.next();
    if (name.endsLine()) {
      return true;
    }
    if (name.kind() != Token.Kind.IDENTIFIER) {
      code(name);
      return false;
    }
    conditionals.see(name.text(), lexer);
    if (!conditionals.mayBeRead()) {
      skip(name);
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
      hasParameters = lexer.ahead(1).equals("(");
      return named.endsLine();
    }
    condition = CONDITIONS.contains(name.text());
    return name.isIdentifier("pragma") && pragma();
  }

  /** GCC reads the name even in a skipped line, clang does not. */
  private void skip(Token directive) {
    String operand = INCLUDES.contains(directive.text()) ? lexer.headerName() : null;
    if (operand != null && !operand.isEmpty()) {
      checkName(directive, new HeaderName(operand));
    }
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
      computed.add(Computed.include(directive, rest));
      code(token);
    }
    return token.endsLine();
  }

  private boolean pragma() {
    Token first = lexer.next();
    if (first.isIdentifier("mark")) {
      checkMessage(first);
    }
    if (first.isIdentifier("GCC") || first.isIdentifier("clang")) {
      Token second = lexer.next();
      if (second.isIdentifier("dependency")) {
        return dependency(second);
      }
      if (second.isIdentifier("diagnostic")) {
        checkSilence(first.line(), DateTimeWarning.isSilencedBy(lexer));
        return true;
      }
      return second.endsLine();
    }
    return first.endsLine();
  }

  /** Compilers look for the file to warn if it is newer; they do not read it. */
  private boolean dependency(Token directive) {
    String operand = lexer.headerName();
    if (operand != null) {
      refer(directive, operand);
    }
    return false;
  }

  /** The text is plain where it is compiled; in a skipped group it may hold a comment. */
  private void checkMessage(Token directive) {
    if (UnfinishedLine.opens(lexer.restOfLine())) {
      problem(
          directive.line(),
          "the text of #"
              + directive.text()
              + " may begin a comment or a raw string; end it on the same line, or leave it out");
    }
  }

  private void code(Token token) {
    if (!conditionals.mayBeRead()) {
      return;
    }
    switch (token.kind()) {
      case IDENTIFIER -> identifier(token);
      case STRING -> string(token);
      case PUNCTUATOR -> punctuator(token);
      default -> {}
    }
    see(token);
  }

  private void punctuator(Token token) {
    if (condition && token.isPunctuator("(") && lexer.ahead(8).stripLeading().startsWith("<")) {
      String operand = lexer.headerName();
      argument(last, operand == null ? "" : operand);
    }
    if (mayBeLabel && token.isPunctuator(")") && AssemblerText.beginsReading(string.toString())) {
      problems.add(new Problem(last.line(), MADE, Problem.Kind.ASSEMBLER));
    }
    mayBeLabel = false;
  }

  /** In a condition, a macro of the toolchain may look for the file that its argument names. */
  private void argument(Token macro, String operand) {
    if (condition
        && macro.kind() == Token.Kind.IDENTIFIER
        && !macro.isIdentifier("defined")
        && !operand.isEmpty()
        && PLAIN_NAME.matcher(operand.substring(1)).matches()) {
      refer(macro, operand);
    }
  }

  private void identifier(Token token) {
    String text = token.text();
    assembles |= AssemblerText.isTakenBy(text);
    if (text.equals("__global__") || (text.equals("global") && isInAList())) {
      hasKernel = true;
    } else if (PROBES.contains(text) && !isAskedFor()) {
      probe(token);
    } else if (last.isPunctuator(".")
        && !isOperand(before)
        && AssemblerText.readsFile("." + text)
        && AssemblerText.readsFile("." + text + lexer.ahead(8))) {
      assembler(token.line());
    } else if (last.isPunctuator("-") && DateTimeWarning.isNamedBy(text, lexer)) {
      silencing(token, before, earlier);
    }
  }

  /** Returns whether it may be an attribute of {@code __attribute__((...))}. */
  private boolean isInAList() {
    return last.isPunctuator("(") || last.isPunctuator(",");
  }

  /** Returns whether the identifier stands in {@code defined X} or {@code defined(X)}. */
  private boolean isAskedFor() {
    return last.isIdentifier("defined")
        || (last.isPunctuator("(") && before.isIdentifier("defined"));
  }

  private static boolean isOperand(Token token) {
    return token.kind() == Token.Kind.IDENTIFIER
        || token.isPunctuator(")")
        || token.isPunctuator("]");
  }

  /** In a macro, the use of it says what it looks for. */
  private void probe(Token token) {
    String arguments = lexer.arguments();
    String operand = lexer.takeParenthesis() ? lexer.headerName() : null;
    if (operand != null) {
      refer(token, operand);
    }
    boolean open = operand == null || (operand.startsWith("<") && hasParameters);
    if (!defined.isEmpty() && open) {
      probing.add(defined);
    } else if (condition && operand == null) {
      computed.add(Computed.question(token, arguments));
    }
  }

  private void string(Token token) {
    if (last.kind() != Token.Kind.STRING || string.length() > STRING_LIMIT) {
      string.setLength(0);
      mayBeLabel = last.isPunctuator("(") && AssemblerText.isTakenBy(before.text());
    }
    string.append(token.text());
    if (AssemblerText.readsFile(string.toString())) {
      assembler(token.line());
      string.setLength(0);
    } else if (AssemblerText.makesDirective(string.toString())) {
      problems.add(new Problem(token.line(), MADE, Problem.Kind.ASSEMBLER));
      string.setLength(0);
    }
    if (last.isPunctuator("(")) {
      argument(before, '"' + token.text());
    }
    checkSilence(token.line(), DateTimeWarning.isSilencedBy(string.toString()));
    if (DateTimeWarning.isNamedBy(string.toString())) {
      silencing(token, last, before);
    }
  }

  /** The warning's name is an argument, perhaps of a macro that makes a pragma from it. */
  private void silencing(Token name, Token opening, Token macro) {
    silencings.add(new Silencing(opening.isPunctuator("(") ? macro.text() : "", name.line()));
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
    HeaderName header = new HeaderName(operand);
    checkName(directive, header);
    String name = header.name();
    boolean absolute = name.startsWith("/");
    Optional<String> problem = header.problem();
    if (problem.isPresent()) {
      problem(directive.line(), problem.get());
    } else if (absolute && PROBES.contains(directive.text())) {
      problem(
          directive.line(),
          "whether '"
              + name
              + "' is there differs between machines; name it without its directory, and declare"
              + " that with withIncludeDirectory (-I)");
    } else if (!name.isEmpty() && !absolute) {
      boolean next = directive.text().endsWith("_next");
      boolean text = !UNSCANNED.contains(directive.text());
      references.add(new Reference(name, header.isQuoted(), next, text, directive.line()));
    }
  }

  /** In a skipped group a comment or a string may begin in it. */
  private void checkName(Token directive, HeaderName header) {
    if (header.isOdd() && header.mayOpen(lexer.restOfLine())) {
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
            Kind.CURABLE));
  }

  private void assembler(int line) {
    problems.add(
        new Problem(
            line,
            "assembler code that reads a file (.incbin, .include) cannot be keyed; "
                + "put the data into a header or use #embed",
            Kind.ASSEMBLER));
  }

  private void problem(int line, String message) {
    problems.add(new Problem(line, message, Kind.FINAL));
  }

  private void see(Token token) {
    earlier = before;
    before = last;
    last = token;
  }
}
