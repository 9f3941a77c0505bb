// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which files a source may open, and which sources are refused since nobody can tell. */
class SourceClosureTest extends SourceTestBase {
  /** Of each kind one line that is refused where it may be compiled. */
  private static final List<String> REFUSED =
      List.of(
          "asm(\".incbin 'f'\");",
          "#pragma clang diagnostic ignored \"-Wdate-time\"",
          "#include __FILE__",
          "#include \"a\\\"",
          "#if __has_include(\"/etc/hostname\")\n#endif");

  @Test
  void withHeader_standsInForAComputedInclude() {
    KernelSource computed =
        KernelSource.of("vadd.hip", "#include __CONFIG /* \u00e9 */\n" + KERNEL);
    String message =
        "vadd.hip:1: which file #include __CONFIG /* ?? */ names cannot be told before the compile;"
            + " write the name out, or declare each file that it may be with withHeader (--header)";

    assertRefused(computed::digest).withMessage(message);
    assertRefused(computed::staged).withMessage(message);
    assertThat(paths(computed.withHeader("config.h", "int c;")))
        .containsExactly("hdr/config.h", "src/vadd.hip");
  }

  /** As Boost's configuration and Thrust's systems are chosen. */
  @Test
  void read_includesWhatAMacroMayName() throws IOException {
    Path main =
        write(
            "k.hip",
            "#include \"select.h\"\n"
                + "#include COMPILER\n"
                + "#if SORTED\n"
                + "#include SYSTEM(sort.h)\n"
                + "#endif\n"
                + "#ifdef USER\n"
                + "#include USER\n"
                + "#endif\n"
                + KERNEL);
    write(
        "select.h",
        """
        #define SYSTEM(file) <sys/NAME/file>
        #if 0
        #define NAME omp
        #define COMPILER "a.h"
        #else
        #define NAME tbb
        #define COMPILER "b.h"
        #endif
        """);
    write("a.h", "");
    write("b.h", "#define NAME other\n");
    for (String name : List.of("omp", "tbb", "other", "NAME", "unnamed")) {
      write("inc/sys/" + name + "/sort.h", "");
    }
    write("inc/user.h", "");
    KernelSource source = KernelSource.read(main).withIncludeDirectory(directory.resolve("inc"));

    assertThat(paths(source))
        .containsExactly(
            "src/a.h",
            "src/b.h",
            "src/inc/sys/NAME/sort.h",
            "src/inc/sys/omp/sort.h",
            "src/inc/sys/other/sort.h",
            "src/inc/sys/tbb/sort.h",
            "src/k.hip",
            "src/select.h");
    assertThat(paths(source.withOptions(CompileOptions.of("-DUSER=<user.h>"))))
        .contains("src/inc/user.h");
  }

  @Test
  void read_refusesWhatIsNoSource() throws IOException {
    Path missing = directory.resolve("vadd.hip");
    assertRefused(missing).withMessage(missing + ": no such file");
    assertRefused(directory).withMessage(directory + ": is a directory, not a source file");
    assertRefused(directory.resolve("no/vadd.hip"))
        .withMessage(directory.resolve("no/vadd.hip") + ": no such file");
    Path link =
        Files.createSymbolicLink(directory.resolve("link.hip"), directory.resolve("gone.hip"));
    assertRefused(link)
        .withMessage(link + ": is a symbolic link to nothing; correct it or remove it");
    Path unnameable = directory.resolve("k\ufffd.hip");
    assertRefused(unnameable)
        .withMessage(unnameable + ": no such file; a name that is not UTF-8 has to be changed");
    Path empty = write("empty.hip", " \n\t\n");
    assertRefused(empty).withMessage(empty + ": is empty; a source needs a __global__ function");
  }

  @Test
  void read_refusesAnIncludeThatClimbsOutOfALink() throws IOException {
    Path main = write("k/vadd.hip", "#include \"linked/../a.h\"\n" + KERNEL);
    write("elsewhere/a.h", "int a;\n");
    write("k/a.h", "int another;\n");
    Files.createDirectory(directory.resolve("elsewhere/d"));
    Files.createSymbolicLink(directory.resolve("k/linked"), directory.resolve("elsewhere/d"));

    assertRefused(main)
        .withMessage(
            main
                + ":1: "
                + directory.resolve("k")
                + "/linked/../a.h: reached through a symbolic link and '..', which a copy of the source"
                + " cannot follow; declare its directory with withIncludeDirectory (-I)");
  }

  @Test
  void read_namesAnIncludeThatIsNoFile() throws Exception {
    Path main = write("vadd.hip", "#include \"a.h\"\n" + KERNEL);
    Process mkfifo = new ProcessBuilder("mkfifo", directory.resolve("a.h").toString()).start();
    assertThat(mkfifo.waitFor()).isZero();

    assertRefused(main)
        .withMessage(main + ":1: " + directory.resolve("a.h") + ": not a regular file");
  }

  /** By this warning the compiler reports a time that is compiled in. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "#pragma clang diagnostic ignored \"-Wdate-time\"",
        "IGNORE(\"-Wdate-time\")",
        "IGNORE(-Wdate-time)",
      })
  void read_refusesToSilenceTheWarningOfTimes(String line) throws IOException {
    Path main = write("k.hip", "\n" + line + "\n" + KERNEL);

    assertRefused(main).withMessageStartingWith(main + ":2: a pragma silences -Wdate-time");
  }

  /** The name is text, unless a macro makes a pragma of it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "#define LOG(x) log(x)\nLOG(\"-Wdate-time\")",
        "#define LOG(x) 1\nint x = LOG(-Wdate-time);",
        "#define TELL(x) LOG(x)\n#define LOG(x) log(x)\nTELL(\"-Weverything\")",
        "log(\"-Wdate-time\");",
        "__device__ const char* names[] = {\"-Wall\", \"-Weverything\"};",
      })
  void read_takesTheNameOfTheWarningOfTimes(String text) throws IOException {
    assertThat(paths(KernelSource.read(write("k.hip", text + "\n" + KERNEL)))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#define IGNORE(w) DO(GCC diagnostic ignored w)\n#define DO(x) _Pragma(#x)",
        "#define IGNORE(w) UNKNOWN(w)\n",
        "#define IGNORE(w) PA##STE(w)\n",
        "\n#define IGNORE QUIET",
        "#include \"quiet.h\"\n",
      })
  void read_refusesMacrosThatSilenceTheWarningOfTimes(String macros) throws IOException {
    write("quiet.h", "#define IGNORE(w) _Pragma(QUOTE(GCC diagnostic ignored w))\n");
    for (String call : List.of("IGNORE(\"-Wdate-time\")", "IGNORE(-Weverything)")) {
      Path main = write("k.hip", macros + "\n" + call + "\n" + KERNEL);

      assertRefused(main).withMessageStartingWith(main + ":3: a pragma silences -Wdate-time");
    }
    Path main = write("k.hip", "#include \"quiet.h\"\nDIAG(ignored, \"-Wdate-time\")\n" + KERNEL);
    assertRefused(main).withMessageStartingWith(main + ":2: a pragma silences -Wdate-time");
  }

  /** No compile reads it, whatever is there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "#if 0\n%s\n#endif",
        "#if 0 // never\n#if X\n%s\n#else\n%s\n#endif\n%s\n#endif",
        "#if 1 /* always */\n#elif X\n%s\n#else\n%s\n#endif",
        "#ifdef X\n#elif 1\n#else\n%s\n#endif",
        "#ifdef X\n#elif 0\n%s\n#endif",
        "#if 0\n#if 1\n%s\n#endif\n%s\n#endif",
      })
  void read_takesWhatLiteralConditionsLeaveOut(String text) throws IOException {
    for (String refused : REFUSED) {
      Path main = write("k.hip", text.replace("%s", refused) + "\n" + KERNEL);

      assertThat(paths(KernelSource.read(main))).as(refused).containsExactly("src/k.hip");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\n", "#if 0\n#else", "#if 0\n#elif X", "#if 0\n#endif", "#if 0 || X\n",
        "#if 00\n", "#if 1\n", "#ifndef X\n", "#ifdef X\n#else", "#if 0 /* c */ || 1\n",
        "/* #if 0\n*/", "#define A \\\n#if 0",
      })
  void read_refusesWhatMayBeCompiled(String before) throws IOException {
    for (String refused : REFUSED) {
      Path main = write("k.hip", before + "\n" + refused + "\n#endif\n" + KERNEL);

      assertRefused(main).as(refused).withMessageStartingWith(main + ":3: ");
    }
  }

  /** Text of this kind is assembler code only where something assembles it. */
  @Test
  void read_refusesAssemblerOnlyWhereThereIsSome() throws IOException {
    Path main = write("k.hip", "#include \"a.h\"\nauto text = \".incbin 'f'\";\n" + KERNEL);
    write("a.h", "");
    KernelSource source = KernelSource.read(main);

    assertThat(paths(source)).hasSize(2);
    for (String assembling : List.of("asm(\"s_nop 0\");", "#define A __asm__", "ASM_CODE(x)")) {
      write("a.h", assembling + "\n");
      assertRefused(main).withMessageStartingWith(main + ":2: assembler code");
    }
    assertRefused(() -> source.withOptions(CompileOptions.of("-DA=asm")))
        .withMessageStartingWith(main + ":2: assembler code");
  }

  @Test
  void read_refusesTrigraphsOnlyInStandardsThatHaveThem() throws IOException {
    Path main = write("k.hip", "// why??/\n" + KERNEL);
    KernelSource source = KernelSource.read(main);

    for (String standard : List.of("-std=c++17", "-std=c++20", "-std=gnu++11")) {
      assertThat(source.withOptions(CompileOptions.of(standard)).digest()).isNotNull();
    }
    for (String standard : List.of("-std=c++11", "-std=c++14")) {
      assertRefused(() -> source.withOptions(CompileOptions.of(standard)))
          .withMessageStartingWith(main + ":1: the trigraph ??/ means another character");
    }
  }

  /** What follows each minus is looked at, and a generated source may have all on one line. */
  @ParameterizedTest
  @ValueSource(strings = {"-x", "-Wdate", "+F(x)", "+1'000", "+__has_include(<a>)", "+F(\"a\")"})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD, unit = TimeUnit.SECONDS)
  void read_ofALongLine_isDoneAtOnce(String word) throws IOException {
    String line = "0" + word.repeat(200_000);
    String text = "#define ALL " + line + "\n#if " + line + "\n#endif\n" + KERNEL;

    assertThat(paths(KernelSource.read(write("k.hip", text)))).containsExactly("src/k.hip");
  }

  /** As libraries wrap the operator. */
  @Test
  void read_followsMacrosThatAskForFiles() throws IOException {
    Path main =
        write(
            "k.hip",
            "#include \"has.h\"\n#define DEEP HAS_IT(\"deep.h\")\n#define NAME <named.h>\n"
                + "#if HAS(\"plain.h\") && HAS(NAME) || DEEP || OTHERS(<others.h>)\n#endif\n"
                + KERNEL);
    write(
        "has.h",
        """
        #ifdef __has_include
        #define HAS(x) __has_include(x)
        #define HAS_IT(x) HAS(x)
        #endif
        """);
    for (String name : List.of("plain.h", "named.h", "deep.h", "others.h")) {
      write(name, "");
    }

    assertThat(paths(KernelSource.read(main).withIncludeDirectory(directory)))
        .contains("src/plain.h", "src/named.h", "src/deep.h", "src/others.h");

    write(
        "k.hip", "#include \"has.h\"\n#define P(x) #x \"y\"\n#if HAS_IT(P(x))\n#endif\n" + KERNEL);
    assertRefused(main)
        .withMessageStartingWith(main + ":3: which file HAS_IT of P(x) names cannot be told");
  }

  /** Returns how messages name a file beside the source. */
  String shown(String name) {
    return directory.resolve(name).toString();
  }

  /** The compiler reads such a file once, and of two copies both. */
  @Test
  void read_refusesOneFileUnderTwoNames() throws IOException {
    Path main = write("k.hip", "#include \"a.h\"\n#include \"b.h\"\n" + KERNEL);
    write("a.h", "#ifndef A\n#define A\n#endif\n");
    Files.createSymbolicLink(directory.resolve("b.h"), main.resolveSibling("a.h").getFileName());
    assertThat(paths(KernelSource.read(main))).as("with guards").hasSize(3);

    write("a.h", "#pragma once\n");
    String message =
        main
            + ":2: "
            + shown("b.h")
            + " is the same file as "
            + shown("a.h")
            + ", by a link, which #pragma once and #import would notice; include it by one name"
            + " only";
    assertRefused(main).withMessage(message);

    Files.delete(directory.resolve("b.h"));
    Files.createLink(directory.resolve("b.h"), directory.resolve("a.h"));
    assertRefused(main).withMessage(message);

    Files.delete(directory.resolve("b.h"));
    write("b.h", "#pragma once\n");
    assertThat(paths(KernelSource.read(main))).as("a copy").hasSize(3);
  }

  /** The compiler would list it with a slash. */
  @Test
  void read_refusesABackslashInTheNameOfAHeader() throws IOException {
    Path main = write("k.hip", "#include \"a\\b.h\"\n" + KERNEL);
    assertThat(paths(KernelSource.read(main))).as("where there is none").hasSize(1);

    write("a\\b.h", "int b;\n");
    assertRefused(main).withMessage(main + ":1: 'a\\b.h': rename the file without a backslash");
  }

  /** Clang puts the operand's name in, and the assembler reads the file; no list has it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        ".%c0 \\\"data.bin\\\"",
        "s_nop 0\\n\\t.%c0 \\\"f\\\"",
        ".inc%c0 \\\"f\\\"",
        ".%c[name] \\\"f\\\"",
        "l:.%\" \"c0 \\\"f\\\"",
        ".mac%c0 m",
        // Begun by the label of an object, which a macro may have given it.
        "%c0include \\\"f\\\"",
        "s_nop 0\\n l: /* x */ %c[name] \\\"f\\\"",
        "l: \\\"%c0ude\\\" \\\"f\\\"",
        "{%c0lude|x} \\\"f\\\"",
        ".{i|x}%c0 \\\"f\\\""
      })
  void directive_thatAnOperandNames_isRefusedWhereItMayBeAssembled(String code) {
    String text = "\nauto s = \"" + code + "\";\n" + KERNEL;

    assertRefused(() -> KernelSource.of("k.hip", "void f() { asm(\"\"); }" + text))
        .withMessage(
            "k.hip:2: assembler code that makes the name of a directive from an operand, and so may"
                + " read a file, cannot be keyed; write the directive out");
    assertThat(KernelSource.of("k.hip", text).hasKernel()).isTrue();
  }

  @Test
  void operand_thatNamesNoDirective_isTaken() {
    for (String code :
        List.of(
            ".long %c0",
            "%c",
            "%c[2J",
            "%cs",
            ".Lloop%=: s_nop 0",
            ".Lend%0:",
            "v%c0.x %1",
            "%d.%d",
            "1.%02d",
            "%.%d")) {
      assertThat(
              KernelSource.of("k.hip", "void f() { asm(\"" + code + "\"); }\n" + KERNEL)
                  .hasKernel())
          .as(code)
          .isTrue();
    }
  }

  /**
   * The name begins in the label of an object and ends in assembler code, which says nothing alone.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "asm(\".\")", "asm(\".inc\")", "__asm__(\".INC\" \"lud\")",
            "__asm ( \".include\" /* x */ )",
        "asm(\"\\01.i\")", "asm(\".macro\")", "asm(\".irp\")", "ASM_LABEL(\".push\")"
      })
  void label_thatBeginsADirective_isRefused(String label) {
    String text = "__device__ int part " + label + ";\n" + KERNEL;

    assertRefused(() -> KernelSource.of("k.hip", text))
        .withMessageStartingWith("k.hip:1: assembler code that ")
        .withMessageContaining("cannot be keyed");
  }

  @Test
  void label_thatBeginsNoDirective_isTaken() {
    for (String code :
        List.of(
            "int part asm(\"inc\");",
            "int part asm(\".L\");",
            "int part asm(\".incx\");",
            "void f() { asm(\".text\"); asm(\".\" : : ); }",
            "auto s = f(\".\") + asm_name(\"x\" , \".inc\");")) {
      assertThat(KernelSource.of("k.hip", code + "\n" + KERNEL).hasKernel()).as(code).isTrue();
    }
  }
}
