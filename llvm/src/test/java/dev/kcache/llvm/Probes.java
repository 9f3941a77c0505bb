// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.llvm.HipccDeclarations.Declaration;
import dev.kcache.llvm.HipccDeclarations.Macro;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A source with a few lines for each thing that HIP's headers declare: they compile where that is
 * there, has the type that HIP gives it, and lies in memory as HIP's does.
 *
 * @param before what the source begins with
 * @param all in the order of their lines
 */
record Probes(String before, List<Probe> all) {
  /** Names of the compiler's and of the device library's, which a source declares itself. */
  private static final Pattern FOREIGN =
      Pattern.compile("__(builtin|ocml|ockl|oclc|llvm|amdgcn)_.*");

  private static final Pattern FUNCTION =
      Pattern.compile("(.*?) ?\\((.*)\\)([a-z ]*)(?:__attribute__.*)?");

  private static final Pattern NUMBER =
      Pattern.compile("[-(]*[0-9.][0-9a-fA-FxXuUlL.]*([eE][-+][0-9]+)?[fF]?\\)*");

  /** What includes a header once only. */
  private static final Pattern GUARD = Pattern.compile(".*_(H|INCLUDED|BUILTINS)_*");

  /**
   * Returns the probes of declarations.
   *
   * @param headers what the source includes
   * @param layouts the size and the alignment of types by their names, with a space between them
   */
  static Probes of(
      List<String> headers,
      List<Declaration> declarations,
      Map<String, String> layouts,
      List<Macro> macros) {
    Map<String, Probe> probes = new LinkedHashMap<>();
    for (Declaration declaration : declarations) {
      String code = code(declaration, layouts);
      if (!code.isEmpty() && !FOREIGN.matcher(declaration.name()).matches()) {
        String name = name(declaration);
        probes.putIfAbsent(name, new Probe(name, declaration.file(), code));
      }
    }
    for (Macro macro : macros) {
      if (!(macro.value().matches("1?") && GUARD.matcher(macro.name()).matches())) {
        String name = "macro " + macro.name();
        probes.put(name, new Probe(name, macro.file(), code(macro)));
      }
    }
    List<Probe> all = new ArrayList<>(probes.values());
    return new Probes(HipccDeclarations.included(headers), List.copyOf(all));
  }

  static boolean isPlainType(Declaration declaration) {
    return declaration.kind().matches("TypedefDecl|TypeAliasDecl|CXXRecordDecl");
  }

  /** Returns the source. Each probe is a function, so that no name is in the way of another. */
  String text() {
    return IntStream.range(0, all.size())
        .mapToObj(k -> all.get(k).code().replace("@", "p" + k))
        .collect(Collectors.joining("\n", before, "\n"));
  }

  /** Returns the probe of a line, counted from 1. */
  Probe at(int line) {
    long next = before.lines().count() + 1;
    for (Probe probe : all) {
      long first = next;
      next += probe.code().lines().count();
      if (line >= first && line < next) {
        return probe;
      }
    }
    throw new IllegalStateException("an error that is no probe's, in line " + line);
  }

  private static String name(Declaration declaration) {
    String kind =
        switch (declaration.kind()) {
          case "FunctionDecl" -> "function";
          case "FunctionTemplateDecl", "ClassTemplateDecl", "TypeAliasTemplateDecl" -> "template";
          case "VarDecl" -> "object";
          case "EnumConstantDecl" -> "constant";
          case "CXXConstructorDecl", "CXXConversionDecl", "CXXMethodDecl", "FieldDecl" -> "member";
          default -> "type";
        };
    String type = isPlainType(declaration) ? "" : " " + declaration.type();
    return (kind + " " + declaration.scope() + declaration.name() + type).strip();
  }

  private static String code(Declaration declaration, Map<String, String> layouts) {
    String name = declaration.qualified();
    String owner = declaration.scope().replaceAll("::$", "");
    return switch (declaration.kind()) {
      case "FunctionDecl" -> function(declaration, null);
      case "CXXMethodDecl" -> function(declaration, owner);
      case "CXXConstructorDecl" -> constructor(declaration, owner);
      case "CXXConversionDecl" ->
          "__device__ void @(%s c) { static_cast<%s>(c); }"
              .formatted(
                  owner(declaration.type(), owner), declaration.type().replaceAll(" \\(\\).*", ""));
      case "FieldDecl" ->
          "__device__ void @(%s c) { (void)c.%s; }".formatted(owner, declaration.name());
      case "VarDecl", "EnumConstantDecl" -> "__device__ void @() { (void)%s; }".formatted(name);
      case "FunctionTemplateDecl" ->
          owner.matches("|std|cooperative_groups")
              ? "__device__ void @() { using %s; }".formatted(name)
              : "";
      case "ClassTemplateDecl", "TypeAliasTemplateDecl" ->
          "__device__ void @() { using %s; }".formatted(name);
      case "TypedefDecl", "TypeAliasDecl", "CXXRecordDecl", "EnumDecl" ->
          type(name, layouts.get(name));
      default -> "";
    };
  }

  private static String code(Macro macro) {
    String sameValue =
        NUMBER.matcher(macro.value()).matches() && !macro.name().startsWith("HIP_VERSION")
            ? "static_assert((%s) == (%s));".formatted(macro.name(), macro.value())
            : "";
    return sameValue.isEmpty()
        ? "#ifndef %1$s\n#error %1$s\n#endif".formatted(macro.name())
        : sameValue;
  }

  private static String type(String name, String layout) {
    String[] numbers = layout == null ? new String[0] : layout.split(" ");
    return numbers.length < 2
        ? "using @ = %s;".formatted(name)
        : "static_assert(sizeof(%1$s) == %2$s && alignof(%1$s) == %3$s);"
            .formatted(name, numbers[0], numbers[1]);
  }

  private static String owner(String type, String owner) {
    return type.endsWith("volatile") ? "volatile " + owner + "&" : owner + "&";
  }

  private static String constructor(Declaration declaration, String owner) {
    List<String> parameters = parameters(declaration.type());
    return "__device__ void @(%s) { %s c(%s); }"
        .formatted(declared(parameters), owner, String.join(", ", arguments(parameters)))
        .replace(" c()", " c{}");
  }

  private static String function(Declaration declaration, String owner) {
    Matcher function = FUNCTION.matcher(declaration.type());
    if (!function.matches() || declaration.type().contains("...")) {
      return "";
    }
    List<String> parameters = parameters(declaration.type());
    List<String> arguments = new ArrayList<>(arguments(parameters));
    String declared = declared(parameters);
    if (owner != null) {
      arguments.add(0, "c");
      declared =
          owner(declaration.type(), owner) + " c" + (declared.isEmpty() ? "" : ", " + declared);
    }
    return "__device__ void @(%s) { static_assert(__is_same(decltype(%s), %s)); }"
        .formatted(
            declared, call(declaration, owner != null, arguments), neutral(function.group(1)));
  }

  private static String call(Declaration declaration, boolean member, List<String> arguments) {
    String name = declaration.name();
    if (name.matches("operator[^\\w\\s(\\[]+")) {
      String operator = name.substring("operator".length());
      if (operator.matches("\\+\\+|--") && arguments.size() == 2) {
        return arguments.get(0) + operator;
      }
      return arguments.size() == 1
          ? operator + arguments.get(0)
          : arguments.get(0) + " " + operator + " " + arguments.get(1);
    }
    String rest = String.join(", ", arguments.subList(member ? 1 : 0, arguments.size()));
    return (member ? "c." + name : declaration.qualified().replaceAll("^::", ""))
        + "("
        + rest
        + ")";
  }

  private static String declared(List<String> parameters) {
    return IntStream.range(0, parameters.size())
        .mapToObj(k -> neutral(parameters.get(k)) + " a" + k)
        .collect(Collectors.joining(", "));
  }

  private static List<String> arguments(List<String> parameters) {
    return IntStream.range(0, parameters.size())
        .mapToObj(
            k ->
                parameters.get(k).endsWith("&&")
                    ? "static_cast<%s>(a%d)".formatted(parameters.get(k), k)
                    : "a" + k)
        .toList();
  }

  private static List<String> parameters(String type) {
    Matcher function = FUNCTION.matcher(type);
    if (!function.matches() || function.group(2).isEmpty()) {
      return List.of();
    }
    // No parameter is a function, and no template that is one has two arguments.
    return List.of(function.group(2).split(", "));
  }

  /** HIP has its own names for the integers of the C library. */
  private static String neutral(String type) {
    return type.replaceAll("__hip_(u?int\\d+_t|size_t)", "$1");
  }
}
