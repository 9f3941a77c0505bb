// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.cache.source.ScannedFile.Problem;
import dev.kcache.cache.source.ScannedRust.Base;
import dev.kcache.cache.source.ScannedRust.Doubt;
import dev.kcache.cache.source.ScannedRust.Kind;
import dev.kcache.cache.source.ScannedRust.Reference;
import java.text.Normalizer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Scans one file of Rust for what it may read. Conditions count as met, and tokens that a macro is
 * given as if they stood where it stands, so the result is a superset of what rustc reads. Not safe
 * for use by several threads.
 */
final class RustFileScanner {
  private static final int NONE = -1;

  /** No longer path can be opened (PATH_MAX of Linux). */
  private static final int PATH_LIMIT = 4096;

  /** Bounds what conditional paths of nested modules multiply to. */
  private static final int BASE_LIMIT = 64;

  private static final Set<String> DEFINITIONS = Set.of("macro", "macro_rules");
  private static final String KERNEL = "gpu-kernel";

  private final RustLexer lexer;
  private final List<Reference> references = new ArrayList<>();
  private final Set<Base> bases = new LinkedHashSet<>();
  private final Set<String> words = new LinkedHashSet<>();
  private final Set<String> literals = new LinkedHashSet<>();
  private final Set<String> pathLiterals = new LinkedHashSet<>();
  private final Set<Doubt> doubts = EnumSet.noneOf(Doubt.class);
  private final List<Problem> problems = new ArrayList<>();
  private final Deque<Scope> scopes = new ArrayDeque<>();

  /** The paths that attributes of the next item have. */
  private final List<Path> paths = new ArrayList<>();

  private int depth;

  /** The depth inside the brackets of the attribute, or {@link #NONE}. */
  private int attribute = NONE;

  private boolean inner;

  /** The depth outside the definition of the macro, or {@link #NONE}. */
  private int macro = NONE;

  private boolean hasKernel;
  private Token earliest = Token.NONE;
  private Token earlier = Token.NONE;
  private Token before = Token.NONE;
  private Token last = Token.NONE;

  private RustFileScanner(byte[] text) {
    lexer = new RustLexer(text);
    scopes.push(new Scope(NONE, Set.of(Base.MODULES), Set.of(Base.FILE)));
    bases.add(Base.MODULES);
  }

  static ScannedRust scan(byte[] text) {
    RustFileScanner scanner = new RustFileScanner(text);
    Token token;
    do {
      token = scanner.lexer.next();
      scanner.see(token);
    } while (token.kind() != Token.Kind.END);
    return new ScannedRust(
        scanner.references,
        scanner.bases,
        scanner.words,
        scanner.literals,
        scanner.pathLiterals,
        scanner.doubts,
        scanner.problems,
        scanner.hasKernel);
  }

  private void see(Token token) {
    switch (token.kind()) {
      case IDENTIFIER -> word(token);
      case STRING -> string(token);
      case PUNCTUATOR -> punctuator(token);
      default -> {}
    }
    seeModule(token);
    earliest = earlier;
    earlier = before;
    before = last;
    last = token;
  }

  private void word(Token token) {
    String name = name(token);
    words.add(name);
    if (macro == NONE && DEFINITIONS.contains(token.text())) {
      macro = depth;
    }
    if (RustInclude.NAMES.contains(name)) {
      include(token, RustInclude.after(lexer), name.equals("include") ? Kind.CODE : Kind.DATA);
    } else if (name.equals("concat")) {
      String joined = RustInclude.joined(lexer);
      if (joined != null) {
        literal(joined);
      }
    }
  }

  private void include(Token token, RustInclude operand, Kind kind) {
    if (operand.name() != null) {
      refer(kind, Base.FILE, operand.name(), token.line(), true);
    } else if (operand.computed()) {
      problems.add(
          new Problem(
              token.line(),
              token.text()
                  + "! takes the name of its file from a macro, so the file is not known before the"
                  + " compile; write the name out, or declare the file with withHeader (--header)",
              Problem.Kind.CURABLE));
    } else {
      doubts.add(Doubt.INCLUDE);
    }
  }

  private void string(Token token) {
    hasKernel |= token.text().equals(KERNEL);
    literal(token.text());
    if (attribute != NONE && last.isPunctuator("=") && before.isIdentifier("path")) {
      paths.add(new Path(token.text(), earlier.isPunctuator("[") && isAttribute(earliest)));
      pathLiterals.add(token.text());
      if (inner) {
        relocate(token);
      }
    }
  }

  private static boolean isAttribute(Token beforeBracket) {
    return beforeBracket.isPunctuator("#") || beforeBracket.isPunctuator("!");
  }

  private void literal(String text) {
    if (!text.isEmpty() && text.length() < PATH_LIMIT && !SourcePath.hasControl(text)) {
      literals.add(text);
    }
  }

  /** The path in an inline module's own attribute is that of its directory. */
  private void relocate(Token path) {
    paths.clear();
    Scope scope = scopes.getFirst();
    if (scope.depth + 2 != attribute) {
      return;
    }
    Scope outer = scopes.stream().skip(1).findFirst().orElse(scope);
    Set<Base> more = within(outer.paths, path.text());
    replaceScope(scope, union(scope.modules, more), union(scope.paths, more));
  }

  private void punctuator(Token token) {
    switch (token.text()) {
      case "(", "[", "{" -> open(token);
      case ")", "]", "}" -> close(token);
      case ";" -> end();
      case "$" -> {
        if (attribute != NONE && last.isPunctuator("=") && before.isIdentifier("path")) {
          doubts.add(Doubt.PATH);
        }
      }
      default -> {}
    }
  }

  private void open(Token token) {
    boolean brace = token.isPunctuator("{");
    if (brace && isNamedModule()) {
      inline(name(last), token.line());
    }
    depth++;
    boolean ofItem = last.isPunctuator("#");
    boolean ofScope = last.isPunctuator("!") && before.isPunctuator("#");
    if (attribute == NONE && token.isPunctuator("[") && (ofItem || ofScope)) {
      attribute = depth;
      inner = ofScope;
    } else if (brace && attribute == NONE) {
      paths.clear();
    }
  }

  private void close(Token token) {
    if (depth == attribute) {
      attribute = NONE;
    } else if (attribute == NONE && token.isPunctuator("}")) {
      paths.clear();
    }
    depth = Math.max(0, depth - 1);
    while (scopes.getFirst().depth >= depth && scopes.size() > 1) {
      scopes.pop();
    }
    endMacro(token.isPunctuator("}"));
  }

  private void end() {
    if (attribute != NONE) {
      return;
    }
    if (isNamedModule()) {
      external(name(last), last.line());
    }
    paths.clear();
    endMacro(true);
  }

  private void endMacro(boolean here) {
    if (depth < macro || (depth == macro && here)) {
      macro = NONE;
    }
  }

  private boolean isNamedModule() {
    return last.kind() == Token.Kind.IDENTIFIER && before.isIdentifier("mod");
  }

  private void inline(String name, int line) {
    Scope scope = scopes.getFirst();
    Set<Base> modules = Set.of();
    Set<Base> searched = Set.of();
    for (Path path : paths) {
      checkRelative(path, line);
      Set<Base> more = within(scope.paths, path.name);
      modules = union(modules, more);
      searched = union(searched, more);
    }
    if (paths.stream().noneMatch(Path::direct)) {
      modules = union(modules, within(scope.modules, name));
      // In a block, such as a function's, the directory is that of the file.
      searched = union(union(searched, modules), within(scope.paths, name));
    }
    scopes.push(new Scope(depth, modules, searched));
    bases.addAll(modules);
    bases.addAll(searched);
  }

  private void replaceScope(Scope scope, Set<Base> modules, Set<Base> searched) {
    scopes.pop();
    scopes.push(new Scope(scope.depth, modules, searched));
    bases.addAll(modules);
  }

  private void external(String name, int line) {
    Scope scope = scopes.getFirst();
    for (Path path : paths) {
      checkRelative(path, line);
      scope.paths.forEach(base -> refer(Kind.PATH, base, path.name, line, path.direct));
    }
    if (paths.stream().noneMatch(Path::direct)) {
      scope.modules.forEach(base -> refer(Kind.MODULE, base, name, line, true));
    }
  }

  /** What follows {@code mod} may be made by a macro, or be for one. */
  private void seeModule(Token token) {
    if (last.isIdentifier("mod") && token.kind() != Token.Kind.IDENTIFIER) {
      doubts.add(Doubt.MODULE);
    } else if (isNamedModule() && !token.isPunctuator(";") && !token.isPunctuator("{")) {
      references.add(new Reference(Kind.MODULE, Base.MODULES, name(last), true, last.line()));
    }
  }

  private void refer(Kind kind, Base base, String name, int line, boolean sure) {
    if (name.startsWith("/")) {
      if (sure) {
        absolute(name, line);
      }
    } else if (!SourcePath.hasControl(name) && name.length() < PATH_LIMIT) {
      references.add(new Reference(kind, base, name, macro != NONE, line));
    }
  }

  private void checkRelative(Path path, int line) {
    if (path.direct && path.name.startsWith("/")) {
      absolute(path.name, line);
    }
  }

  private void absolute(String name, int line) {
    problems.add(
        new Problem(
            line,
            "'"
                + name.replaceAll("\\p{Cntrl}", "?")
                + "' is an absolute path; name it relative to the source",
            Problem.Kind.FINAL));
  }

  private static Set<Base> within(Set<Base> bases, String name) {
    Set<Base> within = new LinkedHashSet<>();
    for (Base base : bases) {
      boolean usable = !name.startsWith("/") && !SourcePath.hasControl(name);
      if (usable && base.prefix().length() + name.length() < PATH_LIMIT) {
        within.add(base.resolve(name));
      }
    }
    return within;
  }

  private static Set<Base> union(Set<Base> some, Set<Base> others) {
    Set<Base> all = new LinkedHashSet<>(some);
    others.stream().limit(BASE_LIMIT - Math.min(BASE_LIMIT, some.size())).forEach(all::add);
    return all;
  }

  /** Rust compares identifiers in normal form, and so names files. */
  private static String name(Token identifier) {
    String text = identifier.text();
    return Normalizer.normalize(
        text.startsWith("r#") ? text.substring(2) : text, Normalizer.Form.NFC);
  }

  /** A path in an attribute; if not {@code direct}, a condition stands before it. */
  private record Path(String name, boolean direct) {}

  /**
   * An inline module.
   *
   * @param depth outside its braces
   * @param modules the directories of its modules
   * @param paths the directories where its modules' paths begin
   */
  private record Scope(int depth, Set<Base> modules, Set<Base> paths) {}
}
