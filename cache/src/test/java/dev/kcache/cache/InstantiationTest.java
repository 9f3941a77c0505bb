// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstantiationTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "saxpy<float,4>             | saxpy<float, 4>",
        "` saxpy\t<  float , 4 > ` | saxpy<float, 4>",
        "& ns :: plain              | &ns::plain",
        ":: f < ::ns :: T >         | ::f< ::ns::T>",
        "f<unsigned  int , T * *>   | f<unsigned int, T**>",
        "f<g<h<int> > >             | f<g<h<int>>>",
        "f<g<h<int>>>               | f<g<h<int>>>",
        "f<const T &, T & &>        | f<const T&, T& &>",
        "f<(a > b)>                 | f<(a>b)>",
        "f<2 - -1, + + n>           | f<2- -1, + +n>",
        "f<0xE +1>                  | f<0xE +1>",
        "f<0xE+1, 1e-3, 1'000>      | f<0xE+1, 1e-3, 1'000>",
        "f<' ', ',', u8'('>         | f<' ', ',', u8'('>",
        "f<1 .5>                    | f<1 .5>",
        "( void ( * ) ( T * ) ) f   | (void(*)(T*))f",
        "f<T(&)[ 4 ]>               | f<T(&)[4]>",
        "f<a / b, a % b, !c, ~d>    | f<a/b, a%b, !c, ~d>",
        "f<n ? 1 : 2>               | f<n?1:2>"
      })
  void text_hasBlanksOnlyWhereTokensNeedThem(String expression, String canonical) {
    Instantiation made = Instantiation.parse(expression);

    assertThat(made.text()).isEqualTo(canonical);
    assertThat(Instantiation.parse(canonical)).isEqualTo(made);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                 | it is empty",
        "`  `               | it is empty",
        "f<int>; evil       | it can't have ;",
        "f<int>}            | it can't have }",
        "f<S{}>             | it can't have {",
        "#f                 | it can't have #",
        "`f\"); evil`      | it can't have \"",
        "f<'\\\\n'>     | it can't have \\",
        "`f<int,\n4>`      | it can't have the character U+000A",
        "`f<int,\u001b>`   | it can't have the character U+001B",
        "f<\u00fc>         | it can't have the character U+00FC",
        "f<$a>              | it can't have $",
        "f<int> // more     | it can't have //",
        "f<int /* more      | it can't have /*",
        "f<int> ??/         | it can't have ??",
        "%:include <a.h>    | it can't have %:",
        "f<int>%>           | it can't have %>",
        "f<int>)            | a ) closes nothing",
        "f<(int]>           | a ] closes nothing",
        "f<(int>            | a ) is missing",
        "f<x[1>             | a ] is missing",
        "f<'>               | a ' has no end"
      })
  void expression_thatCanBeNoNameInOneLineIsRefused(String expression, String reason) {
    assertThatThrownBy(() -> Instantiation.parse(expression == null ? "" : expression))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("instantiation '")
        .hasMessageContaining("': " + reason + "; ")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void expression_thatIsEndlessIsRefused() {
    assertThatThrownBy(() -> Instantiation.parse("f".repeat(4097)))
        .hasMessageContaining("more than 4096 characters")
        .message()
        .hasSizeLessThan(400);
    assertThat(Instantiation.parse("f".repeat(4096)).text()).hasSize(4096);
  }
}
