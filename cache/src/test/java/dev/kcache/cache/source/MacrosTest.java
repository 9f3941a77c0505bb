// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MacrosTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "#define M \"a.h\"|\"a.h\"",
        "# /**/ define M\t\"a b/../c.h\" // c|\"a b/../c.h\"",
        "#define M <a/b-c+1.h> /* c */|<a/b-c+1.h>",
        "#define M N ;#define N \"a.h\"|\"a.h\"",
        "#if 0;#define M \"a.h\";#else;#define M <b.h>;#endif|\"a.h\" <b.h>",
        "#define M <A/A.h>;#define A x|<A/A.h> <x/A.h> <A/x.h> <x/x.h>",
        "#define M <A>;#define A B.h;#define B A|<A> <B.h> <A.h>",
        "#define M <v1.2A/1A.h>;#define A b|<v1.2A/1A.h>",
        "#define M <A/A(x)>;#define M <f.h>|?",
        "#define M <f(x).h>|?",
        "#define M <f.h>;#define f(x) x|<f.h>",
        "#define M <EMPTY.h>;#define EMPTY|<EMPTY.h> <.h>",
        "#define N \"a.h\"|",
        "#define M M|",
        "#define M(x) <x>|",
        "#define M </etc/a.h>|?",
        "#define M \"/etc/a.h\"|?",
        "#define M <A/b.h>;#define A|?",
        "#define M __FILE__|?",
        "#define M <__A/b.h>|?",
        "#define M <linux/b.h>|?",
        "#define M <a b.h>|?",
        "#define M <a/* c */b.h>|?",
        "#define M <a->|?",
        "#define M <1e+A.h>|?",
        "#define M \"a.h\" \"b.h\"|?",
        "#define M \"a.h\" /* c|?",
        "#define M \"a\\x2eh\"|?",
        "#define M L\"a.h\"|?",
        "#define M S(a.h);#define S(x) #x|\"a.h\"",
        "#define M S(D/a.h);#define S(x) T(x);#define T(x) #x;#define D d|\"D/a.h\" \"d/a.h\"",
        "#define M S(a);#define S(x) #x \".h\"|?",
        "#define M S(a.h);#define S(x) #y|?",
        "#define M S(/a.h);#define S(x) #x|?",
        "#define M A##B|?",
        "#define M 1|?",
        "#define M|?",
      })
  void names_ofAMacro(String text, String names) {
    Macros macros = new Macros(List.of());
    macros.read(text.replace(';', '\n').getBytes(UTF_8));

    assertThat(names(macros, "M")).isEqualTo(names == null ? "" : names);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "M(a.h)|<lib/a.h>",
        "M(NAME.h) // c|<lib/NAME.h> <lib/b.h>",
        "M|",
        "M(a, b)|?",
        "TWO(a.h, b)|<a.h>",
        "TWO( NAME ,b )|<NAME> <b>",
        "JOIN(a,b.h)|<a/b.h>",
        "TWO(a.h,)|<a.h>",
        "M(a b)|?",
        "TWO(a.h)|?",
        "INNER(a.h)|<lib/a.h>",
        "OBJECT(a.h)|?",
        "M \"a.h\"|?",
        "(M)|?",
        "UNKNOWN|",
        "UNKNOWN(a.h)|",
        "_UNKNOWN|?",
      })
  void names_ofAnOperand(String operand, String names) {
    Macros macros = new Macros(List.of());
    String text =
        """
        #define M( file ) <lib/file>
        #define NAME b
        #define TWO(x, y) <x>
        #define JOIN(x , y) <x/y>
        #define INNER(x) M(x)
        #define OBJECT "a.h"
        """;
    macros.read(text.getBytes(UTF_8));

    assertThat(names(macros, operand)).isEqualTo(names == null ? "" : names);
  }

  private static String names(Macros macros, String operand) {
    var names = macros.namesOf(operand);
    return names == null ? "?" : String.join(" ", names);
  }

  @Test
  void names_ofTooManyAreUnknown() {
    Macros macros = new Macros(List.of());
    macros.read("#define M <A/A/A/A/A/A/A/A/A/A>\n#define A b\n".getBytes(UTF_8));

    assertThat(macros.namesOf("M")).isNull();
  }

  @Test
  void option_definesAMacro() {
    Macros macros = new Macros(List.of("-DM=\"a.h\"", "-DN", "-DF(x)=<x>", "-UM", "-DE="));

    assertThat(macros.namesOf("M")).containsExactly("\"a.h\"");
    assertThat(macros.namesOf("N")).isNull();
    assertThat(macros.namesOf("F(b.h)")).containsExactly("<b.h>");
  }
}
