// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.kcache.cache.source.ScannedFile.Computed;
import dev.kcache.cache.source.ScannedFile.Problem;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FileScannerTest {
  private static final String COMPUTED =
      " takes its operand from a macro, so the file is not known before the compile; write the name"
          + " out, or declare the file with withHeader (--header)";
  private static final String ASSEMBLER =
      "assembler code that reads a file (.incbin, .include) cannot be keyed; put the data into a"
          + " header or use #embed";

  private static final String SILENCED =
      "a pragma silences -Wdate-time, by which the compiler reports __DATE__, __TIME__ and"
          + " __TIMESTAMP__; name the warnings to silence instead of -Weverything, without"
          + " -Wdate-time";
  private static final String MESSAGE =
      "the text of #%s may begin a comment or a raw string; end it on the same line, or leave it"
          + " out";
  private static final String ODD_NAME =
      "a comment or a string may begin in the name of this file; rename the file, or move the"
          + " comment to another line";
  private static final String BACKSLASH =
      "whether a quote behind a backslash ends a file name depends on the compiler; rename the"
          + " file";
  private static final String ODD_PREFIX =
      "what may be a raw string stands right behind an odd character; put a blank between";
  private static final String SEPARATOR =
      "the quote in a number begins a character in C++11; move the comment or string behind it to"
          + " another line";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#include \"a.h\"",
        "  #  include\t\"a.h\" // comment",
        "# /* c */ include /* d\n e */ \"a.h\"",
        "%:include \"a.h\"",
        "#inc\\\nlude \"a.h\"",
        "#include \\  \n \"a.h\"",
        "#include \"a\\\r\n.h\"",
        "/* x */ #include \"a.h\"",
        "/* x\n*/#include \"a.h\"",
        "int x;\r\n#include \"a.h\"\r\n",
        "int x;\r#include \"a.h\"\r",
        "\ufeff#include \"a.h\"",
        "// not continued \\ x\n#include \"a.h\"",
        "#if X\ndon't\n#include \"a.h\"\n#endif",
        "const char* s = \"\\\"/*\";\n#include \"a.h\" /* */",
        "char c = '\"';\n#include \"a.h\"",
        "int n = 1'000;\n#include \"a.h\"",
        "auto s = R\"x(\n#include \"b.h\"\n)\" \n)x\";\n#include \"a.h\"",
        "auto s = u8R\"(\\)\";\n#include \"a.h\"",
        "#define R\nauto s = R \"(\";\n#include \"a.h\"",
        "auto s = R\"\"(\n/*\n)\"\";\n#include \"a.h\"",
        "#if 0\nR\"\"x y\"\n#endif\n#include \"a.h\"",
        "R\"a b\"\n#include \"a.h\"\n",
        "F(1p+R\"(\n/*\n)\")\n#include \"a.h\"",
        "F(0x1p+R\"(\")\n#include \"a.h\" // )\"",
        "F(1'\u00e9/*')\n#include \"a.h\"\n/**/",
        "int \\u{e9}\\N{DIGIT ONE}R, x;\n#include \"a.h\"",
        "// on \\\n\r /*\n#include \"a.h\"\n",
        "#error don't /* c\n#include \"a.h\"",
        "#error see \"/*\" /* c */ // /*\n#include \"a.h\"",
        "int n = 1'000'000; /* c */ // don't\n#include \"a.h\"",
        "#if 0\n#ifdef it's // /*\n#endif\n#endif\n#include \"a.h\" /* it's // */",
        "#import \"a.h\"",
        "#include_next \"a.h\"",
        "#if __has_include(\"a.h\")",
        "#elif defined(__has_include) && __has_include ( \"a.h\" )",
        "#if __has_include_next(\"a.h\")",
        "#define HAS (__has_include(\"a.h\"))",
        "#embed \"a.h\" limit(4)",
        "#pragma GCC dependency \"a.h\" it is newer",
        "#if __has_embed(\"a.h\" limit(4))",
        "#pragma clang\n#pragma clang diagnostic\n#include \"a.h\"",
        "#pragma clang diagnostic push\n#include \"a.h\"",
        "#pragma GCC diagnostic\n#pragma GCC diagnostic ignored\n#include \"a.h\"",
      })
  void reference_isFound(String text) {
    ScannedFile scanned = scan(text);

    assertThat(scanned.references())
        .extracting("name", "quoted")
        .containsExactly(tuple("a.h", true));
    assertThat(scanned.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// #include \"a.h\"",
        "// continued \\\n#include \"a.h\"",
        "// continued \\  \n#include \"a.h\"",
        "/*\n#include \"a.h\"\n*/",
        "int x; #include \"a.h\"",
        "auto s = R\"(\n#include \"a.h\"\n)\";",
        "auto s = R\\\n\"y(\n#include \"a.h\"\n)y\";",
        "const char* s = \"\\\n#include 'a.h'\";",
        "#define X #include \"a.h\"",
        "#error don't include \"a.h\"",
        "#ifdef __has_include\n#endif",
        "#if defined __has_include\n#endif",
        "#ifndef __has_include\n#define __has_include(x) 0\n#endif",
        "#line 7 \"a.h\"",
        "#\ninclude \"a.h\"",
        "#include\n\"a.h\"",
      })
  void reference_isNone(String text) {
    ScannedFile scanned = scan(text);

    assertThat(scanned.references()).isEmpty();
    assertThat(scanned.problems()).isEmpty();
  }

  @Test
  void reference_inAngleBrackets() {
    ScannedFile scanned = scan("#include <sub/../größe b.h>\n#include_next <x>\n#embed <d.bin>\n");

    assertThat(scanned.references())
        .containsExactly(
            new ScannedFile.Reference("sub/../größe b.h", false, false, true, 1),
            new ScannedFile.Reference("x", false, true, true, 2),
            new ScannedFile.Reference("d.bin", false, false, false, 3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "include|HEADER|HEADER",
        "include_next|HEADER /* c */|HEADER /* c */",
        "import|HEADER|HEADER",
        "embed|DATA|DATA",
        "embed|DATA (4)|DATA (4)",
        "embed|DATA prefix( 4)|DATA",
      })
  void computed_isTheRestOfTheLine(String directive, String operand, String word) {
    ScannedFile scanned = scan("\n\\\n\n# " + directive + " " + operand + "\nint x;\n");

    assertThat(scanned.computed()).containsExactly(new Computed(directive, word, 4));
    assertThat(scanned.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "#if __has_include(X)|__has_include|X",
        "#elif defined(X) && __has_include ( X(a, b) ) // )|__has_include|X(a, b)",
        "#if __has_embed(X limit(4))|__has_embed|X",
        "#if F(__has_include)(X)|__has_include|''",
      })
  void computed_isWhatAConditionAsksFor(String text, String asking, String operand) {
    ScannedFile scanned = scan("\n" + text + "\n#endif\n");

    assertThat(scanned.computed()).containsExactly(new Computed(asking, operand, 2));
    assertThat(scanned.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#define HAS(x) __has_include(x)",
        "#define HAS __has_include",
        "#define HAS(x) __has_include(<x>)",
        "#define HAS(x) (defined(Y) && __has_embed(x))"
      })
  void probing_isTheMacroThatAsks(String text) {
    assertThat(scan(text).probing()).containsExactly("HAS");
    assertThat(scan(text).problems()).isEmpty();
    assertThat(scan(text).computed()).isEmpty();
  }

  @Test
  void problem_isANameThatIsNotUtf8() {
    byte[] text = "int x;\n#include \"gr\u00f6\u00dfe.h\"\n".getBytes(ISO_8859_1);

    assertThat(FileScanner.scan(text).problems())
        .containsExactly(
            new Problem(
                2,
                "a file name is not UTF-8, or holds U+FFFD; rename the file",
                Problem.Kind.FINAL));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void problem_isReportedWithItsLine(String text, int line, String message) {
    assertThat(scan(text).problems())
        .extracting(Problem::line, Problem::message)
        .containsExactly(tuple(line, message));
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        Arguments.of("#include <HEADER\n", 1, "#include" + COMPUTED),
        Arguments.of("asm(\"x\\n\\t.incbin 'f'\");", 1, ASSEMBLER),
        Arguments.of("asm(\".INC\" // c\n \"BIN f\");", 2, ASSEMBLER),
        Arguments.of("asm(\".inc\"\n#if X\n\"bin 'f'\"\n#endif\n);\n", 3, ASSEMBLER),
        Arguments.of("asm(\"\\x2eincbin f\");", 1, ASSEMBLER),
        Arguments.of("asm(\"\\056include f\");", 1, ASSEMBLER),
        Arguments.of("asm(\"\\x0000000000002eincbin f\");", 1, ASSEMBLER),
        Arguments.of("asm(R\"(.include \"f\")\");", 1, ASSEMBLER),
        Arguments.of("asm(\".inc{lude|x} 'f'\" :);", 1, ASSEMBLER),
        Arguments.of("asm(\"{.|}in{c}bin 'f'\" :);", 1, ASSEMBLER),
        Arguments.of("asm(STR(.incbin f));", 1, ASSEMBLER),
        Arguments.of("asm(\".irp d,include\\n.\\\\d 'f'\\n.endr\");", 1, ASSEMBLER),
        Arguments.of("asm(\".IRPC d,l\\n.INC\\\\d\\\\()UDE 'f'\\n.endr\");", 1, ASSEMBLER),
        Arguments.of("asm(\".macro m a b\\n\\\\a\\\\b 'f'\\n.endm\");", 1, ASSEMBLER),
        Arguments.of("asm(\".altmacro\\n .macro m\\\\\");", 1, ASSEMBLER),
        Arguments.of("asm(\".section .d,\\\"MS\\\",@llvm_dependent_libraries,1\");", 1, ASSEMBLER),
        Arguments.of("asm(\".pushsection .d,\\\"MS\\\", @ 0x6fff4c04,1\");", 1, ASSEMBLER),
        Arguments.of(
            "#if __has_include(\"/usr/include/x.h\")",
            1,
            "whether '/usr/include/x.h' is there differs between machines; name it without its"
                + " directory, and declare that with withIncludeDirectory (-I)"),
        Arguments.of("#pragma clang diagnostic ignored \"-Wdate-time\"", 1, SILENCED),
        Arguments.of("\n# pragma GCC /**/ diagnostic warning \"-Wdate-\" \"time\"\n", 2, SILENCED),
        Arguments.of("#pragma clang diagnostic ignored R\"(-Weverything)\"", 1, SILENCED),
        Arguments.of("#pragma clang diagnostic ignored \"-Wdate\\x2dtime\"", 1, SILENCED),
        Arguments.of("_Pragma(\"clang diagnostic ignored \\\"-Wdate-time\\\"\")", 1, SILENCED),
        Arguments.of("#include \"a\\\"b.h\"", 1, BACKSLASH),
        Arguments.of(
            "#include <a\u0001.h>", 1, "a file name holds a control character; rename the file"),
        Arguments.of(
            "\n??=include \"a.h\"",
            2,
            "the trigraph ??= means another character in this standard; use -std=c++17 or newer, or"
                + " write #"),
        Arguments.of(
            "// why??/\nint x;",
            1,
            "the trigraph ??/ means another character in this standard; use -std=c++17 or newer, or"
                + " write a backslash"),
        Arguments.of(
            "\n/* c */ ??=define X",
            2,
            "the trigraph ??= means another character in this standard; use -std=c++17 or newer, or"
                + " write #"),
        Arguments.of(
            "auto s = \"??/\"\";",
            1,
            "the trigraph ??/ means another character in this standard; use -std=c++17 or newer, or"
                + " write a backslash"),
        Arguments.of("\n#warning it /* is\n", 2, MESSAGE.formatted("warning")),
        Arguments.of("#error it /* is */ \"/*\" /*/\n", 1, MESSAGE.formatted("error")),
        Arguments.of("#error it R\"(is\n", 1, MESSAGE.formatted("error")),
        Arguments.of("#pragma mark it /* is\n", 1, MESSAGE.formatted("mark")),
        Arguments.of("\n#include <a/*b>\n", 2, ODD_NAME),
        Arguments.of("#include <it's> // '/*\n", 1, ODD_NAME),
        Arguments.of("#if __has_include(<R\"(>)\n", 1, ODD_NAME),
        Arguments.of("#include \"a\\\" /* \"\n*/", 1, BACKSLASH),
        Arguments.of("int x;\nF(\\u{e9}R\"(\")", 2, ODD_PREFIX),
        Arguments.of("F(\u00d7R\"(\")", 1, ODD_PREFIX),
        Arguments.of("F(1\u00d7R\"(\")", 1, ODD_PREFIX),
        Arguments.of(
            "\nR\"@(x)@\"",
            2,
            "not every compiler takes this raw string's delimiter; make it of letters"),
        Arguments.of("\nF(1'a/*')\n", 2, SEPARATOR),
        Arguments.of("int n = 1'000 /* c\n */;\n", 1, SEPARATOR),
        Arguments.of("#if 0\n#include <a/*b>\n#endif\n", 2, ODD_NAME));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// __DATE__ .incbin",
        "const char* s = __DATE__;",
        "#pragma clang diagnostic error \"-Wdate-time\"",
        "#pragma clang diagnostic ignored \"-Wall\"\n#pragma clang diagnostic pop",
        "#pragma clang diagnostic\n#pragma GCC diagnostic ignored\n",
        "#pragma clang system_header\n#pragma GCC diagnostic push",
        "// #pragma clang diagnostic ignored \"-Wdate-time\"",
        "options.push_back(\"-Weverything\");",
        "int x = n -Weverything_else;",
        "#include \"/usr/include/x.h\"",
        "#pragma include_alias(\"a.h\", \"b.h\")",
        "F(__has_include)",
        "const char* s = \"file.include\";",
        "asm(\".section .note,\\\"a\\\",@note\\n.string \\\"x@1\\\"\");",
        "asm(\".macro m op a\\nv_\\\\op\\\\()_f32 v\\\\a, .L\\\\@\\n\\\\op s0\\n.endm\");",
        "const char* s = \".\\\\d\";",
        "set.include(3);",
        "f().include(3);",
        "a[0].include(3);",
        "printf(\"why??\");",
        "// who ??= which??/and",
        "int x = a ??= b;",
        "#include <it's> /* c */\n#include \"it's//x\" // c /*",
        "#pragma once\n#pragma GCC optimize\n#pragma",
        "#pragma GCC dependency\n#pragma GCC dependency \"a.h\" it is newer",
        "A a{.include = 1, .incbin{2}};",
      })
  void problem_isNone(String text) {
    assertThat(scan(text).problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "#", "\\", "\"", "'", "R\"", "R\"(",
        "R\"a b(", "/*", "/", "%", "#include", "#include \"", "\\\r",
        "??", "__has_include", "__has_include(", "#pragma", "#pragma GCC", "#define", "\"\\",
        "\"\\x", "'\\u{", "\ufeff", ".",
      })
  void scan_endsOnCutText(String text) {
    assertThat(scan(text).references()).isEmpty();
  }

  private static ScannedFile scan(String text) {
    return FileScanner.scan(text.getBytes(UTF_8));
  }
}
