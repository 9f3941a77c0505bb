// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1.0 kB",
    "8912, 8.9 kB",
    "999949, 999.9 kB",
    "999950, 1.0 MB",
    "1234567890, 1.2 GB",
    "9223372036854775807, 9223372.0 TB",
  })
  void bytes_fitTheUnit(long bytes, String text) {
    assertThat(Text.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "999, 999 ms",
    "1000, 1.0 s",
    "59999, 59.9 s",
    "60000, 1m 00s",
    "125000, 2m 05s",
    "3599999, 59m 59s",
    "3720000, 1h 02m",
  })
  void duration_fitsTheUnit(long millis, String text) {
    assertThat(Text.duration(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @Test
  void wrap_breaksBetweenWordsAndIndents() {
    assertThat(Text.wrap("ok    name  one two three", 12, 21))
        .containsExactly("ok    name  one two", "            three");
    assertThat(Text.wrap("ok    name  one", 12, 80)).containsExactly("ok    name  one");
    assertThat(Text.wrap("      fix: /a/very/long/path/of/something b", 6, 20))
        .containsExactly("      fix:", "      /a/very/long/path/of/something", "      b");
  }

  @Test
  void fit_shortensOneColumnFirstAndLeavesOutTheLast() {
    assertThat(Text.fit(List.of(List.of("a", "abcdefghijkl", "x")), 1, 16))
        .containsExactly("a  …efghijkl  x");
    assertThat(Text.fit(List.of(List.of("a", "abcdefghijkl", "0123456789")), 1, 16))
        .containsExactly("a  …efghijkl  …");
    assertThat(Text.fit(List.of(List.of("a", "abcdefghijkl", "1 B", "2 B")), 1, 20))
        .containsExactly("a  …fghijkl  1 B  …");
    assertThat(Text.fit(List.of(List.of("0123456789", "abcdefghijkl", "x")), 1, 16))
        .containsExactly("0123456789  …f…");
    assertThat(Text.fit(List.of(List.of("a", "abcdefghijkl", "x")), 1, 0))
        .containsExactly("a  abcdefghijkl  x");
  }

  @Test
  void count_agreesWithItsNoun() {
    assertThat(Text.count(1, "hit")).isEqualTo("1 hit");
    assertThat(Text.count(0, "hit")).isEqualTo("0 hits");
  }

  @Test
  void visible_spellsWhatCannotBeSeen() {
    assertThat(Text.visible("a\nb\t\u001bc\u202ed\u00ade\ud800 \udb40\udc01$\\ö😀"))
        .isEqualTo("a\\nb\\t\\u001bc\\u202ed\\u00ade\\ud800 \\u{e0001}$\\ö😀");
    assertThat(Text.oneLine("a\n\u202eb\u2066c\ufeff")).isEqualTo("a \\u202eb\\u2066c\\ufeff");
  }

  @Test
  void oneLine_hasNoControlCharacters() {
    assertThat(Text.oneLine(" a\r\n\tb\u0007\u001b[31mc\u2028d\n")).isEqualTo("a b [31mc d");
  }
}
