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

  /** Returns whole lines that include {@code file}, and might include {@code other}. */
  String include(String file, String other) {
    // Two slashes begin a comment in a macro.
    String operand = file.replace("//", "/");
    allow(operand);
    allow(other);
    String macro = "H" + macros++;
    String defined = "#define " + macro + " " + operand + "\n";
    String include = pick("#include ", "# /**/ include ", "#import ");
    if (random.nextInt(40) == 0) {
      refusals.add(UNKNOWN);
      return "#define " + macro + "(x) #x\n" + include + macro + "(" + path(operand) + ")";
    }
    return switch (random.nextInt(6)) {
      case 0 -> defined + include + macro + " // c\n";
      case 1 ->
          "#ifdef UNSET\n#define %s %s\n#else\n%s#endif\n%s"
              .formatted(macro, other, defined, include + macro);
      case 2 -> defined + "#define I" + macro + " " + macro + "\n" + include + "I" + macro;
      case 3 -> byPart(macro, operand, include);
      case 4 ->
          operand.startsWith("<")
              ? "#define %s(path) <path>\n%s(%s)".formatted(macro, include + macro, path(operand))
              : defined + include + macro;
      default ->
          "#ifdef %s\n#if __INCLUDE_LEVEL__ < 3\n#include %1$s\n#endif\n#endif".formatted(NAMED);
    };
  }

  /** The last name without its suffix is a macro. */
  private static String byPart(String macro, String operand, String include) {
    int begin = Math.max(0, operand.lastIndexOf('/')) + 1;
    int dot = operand.lastIndexOf('.');
    if (!operand.startsWith("<") || dot <= begin) {
      return "";
    }
    String whole = operand.substring(0, begin) + "D" + macro + operand.substring(dot);
    return "#define D%s %s\n#define %1$s %s\n%s"
        .formatted(macro, operand.substring(begin, dot), whole, include + macro);
  }

  private static String path(String operand) {
    return operand.substring(1, operand.length() - 1);
  }

  /** Odd names in macros may be refused. */
  private void allow(String operand) {
    if (!operand.matches("\"[ -~&&[^\"\\\\]]+\"|<[\\w./+]+>") || operand.contains("//")) {
      refusals.add(UNKNOWN);
    }
  }

  /** Returns whole lines that take a file in as data, if the compiler can and the file is there. */
  String embedIfThere(String file) {
    String operand = file.replace("//", "/");
    return "#if defined(__STDC_EMBED_FOUND__) && defined(__has_embed)\n#if __has_embed("
        + operand
        + pick("", parameters())
        + ")"
        + pick("", " == 1", " == 2")
        + "\n"
        + (random.nextInt(6) == 0 ? "V(11)" : embed(operand))
        + "\n#endif\n#endif";
  }

  /** Returns whole lines that take a file in as data, if the compiler can. */
  String embed(String file) {
    String operand = file.replace("//", "/");
    String name = operand;
    String defined = "";
    if (random.nextInt(4) == 0) {
      allow(operand);
      name = "E" + macros++;
      defined = "#define " + name + " " + operand + "\n";
    }
    return "#ifdef __STDC_EMBED_FOUND__\n"
        + defined
        + "__attribute__((device, used)) unsigned char P(e, __COUNTER__)[] = { 1,\n"
        + pick("#embed ", "# /**/ embed ", "%:em\\\nbed ")
        + name
        + parameters()
        + "\n};\n#endif";
  }

  private String parameters() {
    return pick(
        "",
        " limit(3)",
        " prefix(7, ) suffix(, 8) limit(0x2)",
        " limit(0) if_empty(5)",
        " if_empty(6)");
  }

  private String pick(String... choices) {
    return List.of(choices).get(random.nextInt(choices.length));
  }
}
