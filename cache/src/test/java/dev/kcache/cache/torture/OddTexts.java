// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Texts that make it hard to tell what a source includes, or that cannot be keyed. */
final class OddTexts {
  private static final String TIME = "makes every compile differ";
  private static final String COMPUTED = "cannot be told before the compile";
  private static final String ASSEMBLER = "assembler code that reads a file";
  private static final String SILENCED = "a pragma silences";

  /** Nothing in these is an include. */
  private static final List<Odd> NOISE =
      List.of(
          plain("// #include \"nowhere.h\"\n"),
          plain("// on \\\n#include \"nowhere.h\"\n"),
          plain("// on \\ \n#include \"nowhere.h\"\n"),
          plain("/*\n#include \"nowhere.h\"\n*/\n"),
          plain("S(R\"x(\n#include \"nowhere.h\"\n)\" )x\")\n"),
          plain("S(\"#include <nowhere.h>\")\n"),
          plain("S(\"\\\n#include <nowhere.h>\")\n"),
          plain("#if 0\nit's \"odd\n#endif\n"),
          plain("#define NO_INCLUDE #include \"nowhere.h\"\n#undef NO_INCLUDE\n"),
          plain("F(x.incbin)\n"),
          plain("#define NEVER __DATE__\n"),
          plain("V(sizeof(\"abc\" \"def\") + '\\'' + u8'\"')\n"),
          plain("#pragma unknown 'x\n"));

  /** The compiler sees the include at the place of {@code @}, which a careless reader does not. */
  private static final List<Odd> HIDING =
      List.of(
          plain("S(R\"x(\n/*\n)x\")\n@\n/**/"),
          plain("S(\"/*\")\n@\n/**/"),
          plain("V('\"')\n@\n// \"\n"),
          plain("#if 0\ndon't /*\n#endif\n@\n/**/"),
          plain("#pragma unknown don't /*\n@\n/**/"),
          plain("// not on \\ x\n@"),
          plain("/\\\n* c *\\\n/ @"),
          plain("#if 1 // /*\n@\n#endif"),
          plain("F(R\\\n\"y(\n/*\n)y\")\n@\n/**/"),
          plain("#define R(x)\nF(R (\"/*\"))\n@\n/**/\n#undef R"),
          plain("F(1e+R\"(\")\n@\n// )\"\n"),
          plain("F(1p+R\"(\n/*\n)\")\n@\n/**/"),
          plain("F(R\"\"(\n/*\n)\"\")\n@\n/**/"),
          plain("// on \\\n\r /*\n@\n/**/"),
          plain("F(1'\u00e9/*')\n@\n/**/"));

  /** As these, but what the compiler sees depends on more than the text. */
  private static final List<Odd> DOUBTFUL =
      List.of(
          new Odd("#warning it /* is\n@\n/**/", "may begin a comment"),
          new Odd("#pragma mark it /* is\n@\n/**/", "may begin a comment"),
          new Odd("F(\\u{e9}R\"(\")\n@\n// )\"\n", "may be a raw string"),
          new Odd("#if 0\nF(\u00d7R\"(\n/*\n)\")\n#endif\n@\n/**/", "may be a raw string"),
          new Odd("F(1'a/*')\n@\n/**/", "begins a character in C++11"),
          new Odd("#if 0\nR\"$(\"\n#endif\n@\n// )$\"\n", "raw string's delimiter"),
          new Odd(
              "#if 0\n#include <a/*b>\nR\"(\n*/\n#endif\n@\n// )\"\n", "may begin in the name"));

  private static final List<Odd> REFUSED =
      List.of(
          new Odd("S(__DATE__)\n", TIME),
          new Odd("S(__TIME__)\n", TIME),
          new Odd("S(__TIMESTAMP__)\n", TIME),
          plain("#define HEADER \"b.h\"\n#if __has_include(HEADER)\nV(3)\n#endif\n"),
          plain("#define HAS(x) __has_include(x)\n#if HAS(\"b.h\")\nV(3)\n#endif\n"),
          plain("#define NAME(x) #x\n#if __has_include(NAME(b.h))\nV(3)\n#endif\n"),
          plain("// so what??/\n"),
          plain("constexpr const char* help = \".incbin \\\"f\\\"\";\n"),
          new Odd(
              "#define NAME(x) #x \".h\"\n#if __has_include(NAME(b))\nV(3)\n#endif\n", COMPUTED),
          new Odd(
              "#if __has_include(\"/etc/hostname\")\nV(5)\n#endif\n", "differs between machines"),
          new Odd("#define BUILT __TIME__ \"!\"\nS(BUILT)\n", TIME),
          new Odd("S(P(__DA,TE__))\n", TIME),
          new Odd(
              "_Pragma(\"clang diagnostic ignored \\\"-Wdate-time\\\"\")\nS(P(__TI,ME__))\n",
              SILENCED),
          new Odd("#pragma GCC diagnostic warning \"-Weverything\"\n", SILENCED));

  private static final List<Odd> ASSEMBLERS =
      List.of(
          plain("asm volatile(\"s_nop 1\");\n"),
          plain("asm(\"; .incbinx\\n\");\n"),
          new Odd("asm(\".incbin \\\"/etc/hostname\\\"\\n.p2align 2\");\n", ASSEMBLER),
          new Odd("asm(\".inc\" \"bin \\\"/etc/hostname\\\"\\n.p2align 2\");\n", ASSEMBLER),
          new Odd(
              "asm(\".section .d,\\\"MS\\\",@llvm_dependent_libraries,1\\n"
                  + ".asciz \\\"x.o\\\"\\n"
                  + ".text\");\n",
              ASSEMBLER),
          new Odd("asm(\".irp d,include\\n.\\\\d \\\"/dev/null\\\"\\n.endr\\n\");\n", ASSEMBLER),
          new Odd("asm(\".incl\\165de \\\"/dev/null\\\"\\n\");\n", ASSEMBLER));

  private final Random random;

  OddTexts(Random random) {
    this.random = random;
  }

  /**
   * A text of whole lines.
   *
   * @param refusal words of the message by which it is refused, or empty if it is not
   */
  record Odd(String text, String refusal) {
    /** Returns the line by which it can be found again; only of what is refused. */
    String longestLine() {
      return text.lines()
          .filter(line -> !line.equals("#if 0") && !line.equals("#endif"))
          .max(Comparator.comparingInt(String::length))
          .orElseThrow();
    }
  }

  private static Odd plain(String text) {
    return new Odd(text, "");
  }

  Odd noise() {
    return pick(NOISE);
  }

  Odd hiding() {
    return random.nextInt(8) == 0 ? pick(DOUBTFUL) : pick(HIDING);
  }

  /** Something that cannot be keyed, if {@code dice} is 0. */
  Odd refused(int dice) {
    return dice == 0 ? pick(REFUSED) : noise();
  }

  Odd assembler() {
    return random.nextInt(8) == 0 ? pick(ASSEMBLERS) : plain("");
  }

  private Odd pick(List<Odd> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
