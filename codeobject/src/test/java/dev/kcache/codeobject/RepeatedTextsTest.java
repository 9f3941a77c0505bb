// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RepeatedTextsTest {
  private final RepeatedTexts texts = new RepeatedTexts();

  @ParameterizedTest
  @ValueSource(strings = {"", "x", ".value_kind", "a\0b", "amdhsa.kernels"})
  void find_ofAKeptText_isThatObject(String text) {
    assertThat(find(text)).isNull();

    texts.keep(text);

    assertThat(find(text)).isSameAs(text);
  }

  @Test
  void find_ofBytesBehindTheText_looksAtTheTextOnly() {
    texts.keep("text");

    assertThat(texts.find("text and more".getBytes(UTF_8), 4)).isEqualTo("text");
  }

  @Test
  void find_ofAnotherTextOfTheSameHash_isNotTheKeptOne() {
    texts.keep("Aa");

    assertThat(find("BB")).isNull();
    texts.keep("BB");
    assertThat(find("BB")).isEqualTo("BB");
    assertThat(find("Aa")).isEqualTo("Aa");
  }

  /** The bytes of the first, as characters, are the second. */
  @Test
  void find_ofATextBeyondAscii_isNeverAnother() {
    texts.keep("\u00e9");
    texts.keep("\u00c3\u00a9");

    assertThat(find("\u00e9")).isNull();
    assertThat(find("\u00c3\u00a9")).isNull();
  }

  @Test
  void keep_ofMoreThanThereIsRoomFor_keepsTheFirst() {
    IntStream.range(0, 10_000).mapToObj(i -> "key" + i).forEach(texts::keep);

    assertThat(find("key0")).isEqualTo("key0");
    assertThat(IntStream.range(0, 10_000).filter(i -> find("key" + i) != null).count())
        .isBetween(200L, 256L);
  }

  private String find(String text) {
    byte[] encoded = text.getBytes(UTF_8);
    return texts.find(encoded, encoded.length);
  }
}
