// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DigestTest {
  private static final String OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  /** The right-hand column is what {@code sha256sum} prints for the left. */
  @ParameterizedTest
  @CsvSource({
    "'',    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "abc,   " + OF_ABC,
    "hipcc, c67d0d85e5862a3a44cce056901e9c1086d064bc098abcbd057dd8e889f2e3fa",
  })
  void of_isWhatSha256sumPrints(String text, String hex) {
    assertThat(Digest.of(text.getBytes(UTF_8))).hasToString(hex).isEqualTo(Digest.parse(hex));
  }

  @Test
  void of_aFixture_isWhatSha256sumPrints() {
    assertThat(Digest.of(Fixtures.elf("gfx90a")))
        .hasToString("99ca15f13b685978978596509832fc2a0e777a6cf50f887013539b7fde1bdc5d");
  }

  @Test
  void of_aBuffer_digestsWhatRemainsAndLeavesItsPosition() {
    ByteBuffer within = ByteBuffer.wrap("xxabcxx".getBytes(UTF_8), 2, 3);

    assertThat(Digest.of(within)).hasToString(OF_ABC);
    assertThat(within.position()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ba78", "../../etc/passwd\n"})
  void parse_ofAnythingButADigest_isRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Digest.parse(text))
        .withMessageStartingWith("not a SHA-256 digest in lower-case hex: '")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
  }

  @ParameterizedTest
  @ValueSource(chars = {'/', ':', '`', 'g', 'A', '\u0660'})
  void parse_ofAnotherCharacter_isRefused(char other) {
    assertThatIllegalArgumentException().isThrownBy(() -> Digest.parse(OF_ABC.replace('b', other)));
  }

  @Test
  void parse_ofAnotherLength_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Digest.parse(OF_ABC + "0"));
    assertThatIllegalArgumentException().isThrownBy(() -> Digest.parse(OF_ABC.substring(1)));
  }

  @Test
  void parse_ofUpperCase_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Digest.parse(OF_ABC.replace('b', 'B')));
  }

  @Test
  void builder_digestsFieldsWithTheirLengths() {
    assertThat(Digest.builder().text("ab").text("c").build())
        .isEqualTo(Digest.builder().text("ab").text("c").build())
        .isNotEqualTo(Digest.builder().text("a").text("bc").build())
        .isNotEqualTo(Digest.builder().text("abc").build())
        .isNotEqualTo(Digest.builder().text("ab").text("c").text("").build());
  }

  /** Keys on disk depend on this layout: a big-endian 64-bit length, then the bytes. */
  @Test
  void builder_layoutIsFixed() {
    byte[] fields = {0, 0, 0, 0, 0, 0, 0, 1, 'a', 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7};

    assertThat(Digest.builder().text("a").number(7).build()).isEqualTo(Digest.of(fields));
  }

  @Test
  void order_isThatOfTheText() {
    assertThat(Digest.parse("0".repeat(64))).isLessThan(Digest.parse("f".repeat(64)));
  }
}
