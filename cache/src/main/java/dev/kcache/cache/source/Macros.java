// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The macros that the options and the files of a closure define, to tell which files a computed
 * include may name. Conditionals are not evaluated: a macro may have any of its definitions, or
 * none. Not safe for use by several threads.
 */
final class Macros {
  /** The most files that one include may name, and the longest chain of macros that is followed. */
  private static final int LIMIT = 1000;

  /** GNU dialects predefine these names, which unlike others are not reserved. */
  private static final Set<String> PREDEFINED = Set.of("linux", "unix");

  private static final Set<String> PRAGMAS = Set.of("_Pragma", "__pragma");

  /** What macros are called; functions take strings as well. */
  private static final Pattern MACRO = Pattern.compile("[A-Z_][A-Z0-9_]+");

  private static final Pattern OPTION = Pattern.compile("-D(\\w+)(\\(.*?\\))?(=(.*))?");
  private static final Pattern CALL = Pattern.compile("([A-Za-z_]\\w*)(?:\\(([\\w./+, -]+)\\))?");
  private static final Pattern PARAMETERS = Pattern.compile("\\(([\\w, \\t]+)\\)(.*)");
  private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");
  private static final Pattern PATH = Pattern.compile("[\\w./+-]*");

  /** What may stand between quotes; a backslash or a control character would need more rules. */
  private static final Pattern QUOTED =
      Pattern.compile("\"[^\"\\\\/\\x00-\\x1f\\x7f-\\xff][^\"\\\\\\x00-\\x1f\\x7f-\\xff]*\"");

  /** The text behind each macro's name in its definitions; with parameters, it begins with "(". */
  private final Map<String, Set<String>> definitions = new HashMap<>();

  Macros(List<String> arguments) {
    for (String argument : arguments) {
      Matcher definition = OPTION.matcher(argument);
      if (definition.matches()) {
        String parameters = definition.group(2) == null ? "" : definition.group(2);
        String value = definition.group(3) == null ? "1" : definition.group(4);
        define(definition.group(1), parameters + " " + value);
      }
    }
  }

  private void define(String name, String definition) {
    definitions.computeIfAbsent(name, unused -> new LinkedHashSet<>()).add(definition);
  }

  void read(byte[] text) {
    Lexer lexer = new Lexer(text);
    boolean lineStart = true;
    for (Token token = lexer.next(); token.kind() != Token.Kind.END; token = lexer.next()) {
      if (lineStart && token.isPunctuator("#")) {
        token = lexer.next();
        if (token.isIdentifier("define")) {
          token = lexer.next();
          define(token.text(), lexer.restOfLine());
        }
      }
      lineStart = token.kind() == Token.Kind.NEWLINE;
    }
  }

  /** Returns the names that an operand may stand for, or null if these rules cannot tell. */
  @Nullable Set<String> namesOf(String operand) {
    try {
      Set<String> names = new LinkedHashSet<>();
      addNames(operand, Set.of(), Map.of(), names);
      return names;
    } catch (Undetermined e) {
      return null;
    }
  }

  /** Returns whether a macro, or any if the name is empty, may make a pragma of its argument. */
  boolean mayMakePragma(String name) {
    if (name.isEmpty()) {
      return definitions.keySet().stream().anyMatch(any -> mayMakePragma(any, new HashSet<>()));
    }
    return mayMakePragma(name, new HashSet<>());
  }

  /** A name that is defined nowhere here may be a macro of the toolchain, if it looks like one. */
  private boolean mayMakePragma(String name, Set<String> seen) {
    if (!seen.add(name) || seen.size() > LIMIT) {
      return seen.size() > LIMIT;
    }
    Set<String> found = definitions.get(name);
    if (found == null) {
      return MACRO.matcher(name).matches();
    }
    for (String definition : found) {
      Lexer lexer = new Lexer(definition.getBytes(ISO_8859_1));
      Token last;
      Token token = Token.NONE;
      do {
        last = token;
        token = lexer.next();
        boolean pasted = token.isPunctuator("#") && last.isPunctuator("#");
        // The last word may be called with what follows the macro.
        boolean called = token.isPunctuator("(") || token.kind() == Token.Kind.END;
        boolean expanded = called || definitions.containsKey(last.text());
        if (pasted
            || PRAGMAS.contains(last.text())
            || (expanded
                && last.kind() == Token.Kind.IDENTIFIER
                && mayMakePragma(last.text(), seen))) {
          return true;
        }
      } while (token.kind() != Token.Kind.END);
    }
    return false;
  }

  private void addNames(
      String text, Set<String> hidden, Map<String, List<String>> arguments, Set<String> names)
      throws Undetermined {
    String word = word(text);
    Matcher call = CALL.matcher(word);
    if (QUOTED.matcher(word).matches()) {
      names.add(word);
    } else if (word.startsWith("<") && word.endsWith(">")) {
      for (String path : paths(word.substring(1, word.length() - 1), hidden, arguments)) {
        checkPath(path);
        names.add("<" + path + ">");
      }
    } else if (word.startsWith("#") && arguments.containsKey(word.substring(1))) {
      for (String path : arguments.getOrDefault(word.substring(1), List.of())) {
        checkPath(path);
        names.add('"' + path + '"');
      }
    } else if (call.matches() && !arguments.containsKey(call.group(1))) {
      for (String definition : definitionsOf(call.group(1), hidden)) {
        expand(call, definition, hidden, arguments, names);
      }
    } else {
      throw new Undetermined();
    }
    if (names.size() > LIMIT) {
      throw new Undetermined();
    }
  }

  private static void checkPath(String path) throws Undetermined {
    if (path.isEmpty() || path.startsWith("/") || path.endsWith("-")) {
      throw new Undetermined();
    }
  }

  private void expand(
      Matcher call,
      String definition,
      Set<String> hidden,
      Map<String, List<String>> arguments,
      Set<String> names)
      throws Undetermined {
    Set<String> more = new HashSet<>(hidden);
    more.add(call.group(1));
    Matcher function = PARAMETERS.matcher(definition);
    if (call.group(2) == null) {
      if (!definition.startsWith("(")) {
        addNames(definition, more, Map.of(), names);
      }
    } else if (function.matches()) {
      String[] parameters = COMMA.split(function.group(1).strip(), -1);
      String[] given = COMMA.split(call.group(2).strip(), -1);
      if (parameters.length != given.length) {
        throw new Undetermined();
      }
      Map<String, List<String>> passed = new HashMap<>();
      for (int i = 0; i < given.length; i++) {
        passed.put(parameters[i], paths(given[i], hidden, arguments));
      }
      addNames(function.group(2), more, passed, names);
    } else {
      throw new Undetermined();
    }
  }

  /** Returns all that a path may become when the macros in it are expanded. */
  private List<String> paths(String text, Set<String> hidden, Map<String, List<String>> arguments)
      throws Undetermined {
    if (!PATH.matcher(text).matches()) {
      throw new Undetermined();
    }
    List<String> paths = List.of("");
    Lexer lexer = new Lexer(text.getBytes(ISO_8859_1));
    for (Token token = lexer.next(); token.kind() != Token.Kind.END; token = lexer.next()) {
      List<String> longer = new ArrayList<>();
      for (String end : alternatives(token, hidden, arguments)) {
        for (String path : paths) {
          longer.add(path + end);
        }
      }
      paths = longer;
      if (paths.size() > LIMIT) {
        throw new Undetermined();
      }
    }
    return paths;
  }

  private List<String> alternatives(
      Token token, Set<String> hidden, Map<String, List<String>> arguments) throws Undetermined {
    String name = token.text();
    List<String> argument = arguments.get(name);
    if (argument != null) {
      return argument;
    }
    if (token.kind() != Token.Kind.IDENTIFIER) {
      if (name.length() > 1 && (name.indexOf('+') >= 0 || name.indexOf('-') >= 0)) {
        // Where such a number ends, and so whether a macro follows, depends on the dialect.
        throw new Undetermined();
      }
      return List.of(name);
    }
    List<String> all = new ArrayList<>(List.of(name));
    Set<String> more = new HashSet<>(hidden);
    more.add(name);
    for (String definition : definitionsOf(name, hidden)) {
      if (!definition.startsWith("(")) {
        all.addAll(paths(word(definition), more, Map.of()));
      }
    }
    return all;
  }

  /** A reserved name that is defined nowhere here may be the compiler's own. */
  private Set<String> definitionsOf(String name, Set<String> hidden) throws Undetermined {
    Set<String> found = definitions.get(name);
    if (found == null && (name.startsWith("_") || PREDEFINED.contains(name))) {
      throw new Undetermined();
    }
    return found == null || hidden.contains(name) ? Set.of() : found;
  }

  /** Returns a text without the comment at its end; it must not have several words. */
  private static String word(String text) throws Undetermined {
    String stripped = text.strip();
    Matcher call = CALL.matcher(stripped);
    int quoted = stripped.startsWith("\"") ? stripped.indexOf('"', 1) + 1 : 0;
    int end = call.lookingAt() ? call.end() : quoted;
    while (end < stripped.length()
        && !Characters.isBlank(stripped.charAt(end))
        && !stripped.startsWith("//", end)
        && !stripped.startsWith("/*", end)) {
      end++;
    }
    String rest = stripped.substring(end);
    boolean ends = new Lexer(rest.getBytes(ISO_8859_1)).next().kind() == Token.Kind.END;
    if (!ends || UnfinishedLine.opensComment(rest)) {
      throw new Undetermined();
    }
    return stripped.substring(0, end);
  }

  private static final class Undetermined extends Exception {
    private static final long serialVersionUID = 1;

    Undetermined() {
      super(null, null, false, false);
    }
  }
}
