// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import java.util.List;
import java.util.Random;
import java.util.Set;

/** Texts that read a file otherwise than by a plain include: by a macro, or as data. */
final class IndirectTexts {
  /** What options define as the name of a file, if they do. */
  static final String NAMED = "NAMED";

  private static final String UNKNOWN = "cannot be told before the compile";

  private final Random random;
  private final Set<String> refusals;
  private int macros;

  /**
   * Creates a source of texts.
   *
   * @param refusals where words of the messages go by which they may be refused
   */
  IndirectTexts(Random random, Set<String> refusals) {
    this.random = random;
    this.refusals = refusals;
  }

  /** Returns whole lines that include {@code operand}, which is there, or perhaps {@code other}. */
  String include(String operand, String other) {
    String macro = "H" + macros++;
    allow(operand);
    allow(other);
    String defined = "#define " + macro + " " + operand + "\n";
    String include = pick("#include ", "# /**/ include ", "#import ") + macro;
    if (random.nextInt(40) == 0) {
      return byString(macro, operand, include);
    }
    return switch (random.nextInt(6)) {
      case 0 -> defined + include + " // c\n";
      case 1 -> "#ifdef UNSET\n#define " + macro + " " + other + "\n#else\n" + defined + "#endif\n" + include;
      case 2 -> "#define " + macro + " I" + macro + "\n#define I" + macro + " " + operand + "\n" + include;
      case 3 -> byPart(macro, operand, include);
      case 4 -> byParameter(macro, operand, include);
      default -> "#ifdef " + NAMED + "\n#if __INCLUDE_LEVEL__ < 3\n#include " + NAMED + "\n#endif\n#endif";
    };
  }

  /** Odd names in macros may be refused. */
  private void allow(String operand) {
    if (!operand.matches("\"[ -~&&[^\"\\\\]]+\"|<[\\w./+]+>")) {
      refusals.add(UNKNOWN);
    }
  }

  private String byPart(String macro, String operand, String include) {
    int dot = operand.lastIndexOf('.');
    int slash = operand.lastIndexOf('/');
    if (!operand.startsWith("<") || dot <= slash + 1) {
      return "";
    }
    String part = "D" + macro;
    String path = operand.substring(0, slash + 1) + part + operand.substring(dot);
    return "#define %s%s %s\n#define %s %s\n%s"
        .formatted(
            part, "", operand.substring(Math.max(1, slash + 1), dot), macro, slash < 0 ? "<" + path : path, include);
  }

  private String byParameter(String macro, String operand, String include) {
    if (!operand.startsWith("<")) {
      return "";
    }
    String path = operand.substring(1, operand.length() - 1);
    return "#define %s(path) <path>\n%s(%s)".formatted(macro, include, path);
  }

  private String byString(String macro, String operand, String include) {
    refusals.add(UNKNOWN);
    String path = operand.substring(1, operand.length() - 1);
    return "#define S%s(x) #x\n%s".formatted(macro, include.replace(macro, "S" + macro + "(" + path + ")"));
  }

  /** Returns whole lines that take {@code operand} in as data, if the compiler can. */
  String embed(String operand) {
    String macro = "E" + macros++;
    String parameters = pick("", " limit(3)", " prefix(7, ) suffix(, 8) limit(0x2)", " limit(0) if_empty(5)", " if_empty(6)");
    String name = operand;
    String defined = "";
    if (random.nextInt(4) == 0) {
      defined = "#define " + macro + " " + operand + "\n";
      name = macro;
      allow(operand);
    }
    return "#ifdef __STDC_EMBED_FOUND__\n#if __has_embed("
        + operand
        + pick("", parameters)
        + ") "
        + pick("", "== 1", "== 2")
        + "\n"
        + defined
        + "__attribute__((device, used)) unsigned char P(e, __COUNTER__)[] = { 1,\n"
        + pick("#embed ", "# /**/ embed ", "%:em\\\nbed ")
        + name
        + parameters
        + "\n};\n#endif\n#endif";
  }

  private String pick(String... choices) {
    return List.of(choices).get(random.nextInt(choices.length));
  }
}
