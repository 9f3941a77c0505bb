// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

final class MessagePackReaderTest {
  private static final int DEPTH = 6;

  @Test
  void skip_passesOverWhatAnotherImplementationWrote() throws IOException {
    Random random = new Random(42);
    for (int round = 0; round < 2000; round++) {
      byte[] value = packed(packer -> pack(packer, random, DEPTH));
      byte[] document = Arrays.copyOf(value, value.length + 1);

      MessagePackReader reader = reader(document);
      reader.skip("a value");

      assertThat(reader.position()).isEqualTo(value.length);
    }
  }

  @Test
  void skip_endsWhereAnotherImplementationDoesOrRefuses() throws IOException {
    Random random = new Random(7);
    int read = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] document = packed(packer -> pack(packer, random, DEPTH));
      document[random.nextInt(document.length)] = (byte) random.nextInt(256);
      MessagePackReader reader = reader(document);
      try {
        reader.skip("a value");
      } catch (MalformedCodeObjectException e) {
        continue;
      }
      try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(document)) {
        unpacker.skipValue();
        assertThat(reader.position()).isEqualTo(unpacker.getTotalReadBytes());
        read++;
      }
    }

    assertThat(read).isGreaterThan(5_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 31, 32, 64, 65, 255, 256, 65_535, 65_536})
  void text_ofEachLength(int length) throws IOException {
    String text = "é".repeat(length / 2) + "x".repeat(length % 2);
    MessagePackReader reader =
        reader(packed(packer -> packer.packString(text).packString(text).packString(text)));

    assertThat(reader.text("a text")).isEqualTo(text);
    assertThat(reader.word("a word")).isEqualTo(text).isEqualTo(reader.word("a word"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 255, 256, 65_535, 65_536, Integer.MAX_VALUE})
  void number_ofEachWidth(int number) throws IOException {
    assertThat(reader(packed(packer -> packer.packInt(number))).number("a number"))
        .isEqualTo(number);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "d3000000007fffffff | 2147483647",
        "cf000000007fffffff | 2147483647",
        "d27fffffff         | 2147483647",
        "d17fff             | 32767",
        "d07f               | 127",
      })
  void number_mayBeWrittenWiderThanNeeded(String bytes, int number) {
    assertThat(reader(hex(bytes)).number("a number")).isEqualTo(number);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ff                 | 0 | a number must be 0 to 2147483647, is -1",
        "d0ff               | 0 | a number must be 0 to 2147483647, is -1",
        "ce80000000         | 0 | a number must be 0 to 2147483647, is 2147483648",
        "cfffffffffffffffff | 0 | a number must be 0 to 2147483647, is 18446744073709551615",
        "cd00               | 1 | a number must not end here",
        "a1                 | 0 | a number must be a number, begins with 0xa1",
      })
  void number_thatIsNone_isRefused(String bytes, long offset, String expectation) {
    assertThatThrownBy(() -> reader(hex(bytes)).number("a number"))
        .hasMessage(refusal(offset, expectation));
  }

  @ParameterizedTest
  @CsvSource({"00, false", "01, true", "c2, false", "c3, true"})
  void flag_isABooleanOrABit(String bytes, boolean flag) {
    assertThat(reader(hex(bytes)).flag("a flag")).isEqualTo(flag);
  }

  @Test
  void flag_ofAnythingElse_isRefused() {
    assertThatThrownBy(() -> reader(hex("02")).flag("a flag"))
        .hasMessage(refusal(0, "a flag must be true or false"));
  }

  @Test
  void text_thatIsNotUtf8_isRefused() {
    assertThatThrownBy(() -> reader(hex("a2c328")).text("a text"))
        .hasMessage(refusal(0, "a text must be UTF-8"));
  }

  /** Each is a handful of bytes that promise more than there can be. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dfffffffff", "ddffffffff", "dbffffffff", "c6ffffffff", "c9ffffffff00", "dd7fffffff00",
        "df00000001", "8f", "9f", "bf", "d8", "c1"
      })
  void skip_ofMoreThanThereIs_isRefusedWithoutTryingIt(String bytes) {
    assertThatThrownBy(() -> reader(hex(bytes)).skip("a value"))
        .isInstanceOf(MalformedCodeObjectException.class);
  }

  @Test
  void skip_ofDeepNesting_needsNoStack() {
    byte[] nested = new byte[10_000_000];
    Arrays.fill(nested, (byte) 0x91);
    nested[nested.length - 1] = (byte) 0xc0;
    MessagePackReader reader = reader(nested);

    reader.skip("a value");

    assertThat(reader.position()).isEqualTo(nested.length);
  }

  @Test
  void map_withAKeyTwice_isRefused() {
    MessagePackReader reader = reader(hex("82a16101a16102"));

    assertThatThrownBy(() -> reader.map("a map", key -> reader.number(key)))
        .hasMessage(refusal(4, "a map must have each key once, repeats 'a'"));
  }

  @Test
  void map_withALongerKeyThanAnyHas_isRefused() throws IOException {
    MessagePackReader reader =
        reader(
            packed(
                packer -> {
                  packer.packMapHeader(2).packString("x".repeat(256)).packInt(1);
                  packer.packString("x".repeat(257)).packInt(1);
                }));

    assertThatThrownBy(() -> reader.map("a map", key -> reader.number(key)))
        .hasMessage(refusal(261, "a key must have at most 256 bytes, has 257"));
  }

  @Test
  void text_longerThanAnyIs_isRefused() throws IOException {
    String longest = "x".repeat(1 << 20);
    MessagePackReader reader =
        reader(packed(packer -> packer.packString(longest).packString(longest + "x")));

    assertThat(reader.text("a text")).hasSize(1 << 20);
    assertThatThrownBy(() -> reader.text("a text"))
        .hasMessage(refusal((1 << 20) + 5, "a text must have at most 1048576 bytes, has 1048577"));
  }

  @Test
  void word_thatComesAgain_isTheSameObject() throws IOException {
    MessagePackReader reader =
        reader(packed(packer -> packer.packString("word").packString("text").packString("word")));
    String word = reader.word("a word");
    reader.skip("a text");

    assertThat(reader.word("a word")).isSameAs(word).isEqualTo("word");
  }

  @Test
  void map_withMoreKeysThanAnyHas_isRefusedBeforeTheyAreRead() {
    byte[] many = new byte[10_000];
    many[0] = (byte) 0xde;
    many[1] = 0x04;
    many[2] = 0x01;
    MessagePackReader reader = reader(many);

    assertThatThrownBy(() -> reader.map("a map", key -> reader.number(key)))
        .hasMessage(refusal(0, "a map must have at most 64 keys, has 1025"));
  }

  /** Writes with another implementation than the one under test. */
  private interface Content {
    void write(MessageBufferPacker packer) throws IOException;
  }

  private static byte[] packed(Content content) throws IOException {
    try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
      content.write(packer);
      return packer.toByteArray();
    }
  }

  private static void pack(MessageBufferPacker packer, Random random, int depth)
      throws IOException {
    switch (random.nextInt(depth == 0 ? 8 : 12)) {
      case 0 -> packer.packNil();
      case 1 -> packer.packBoolean(random.nextBoolean());
      case 2 -> packer.packLong(random.nextLong() >> random.nextInt(64));
      case 3 -> packer.packDouble(random.nextDouble());
      case 4 -> packer.packFloat(random.nextFloat());
      case 5 -> packer.packString("x".repeat(random.nextInt(300)));
      case 6 -> {
        byte[] bytes = new byte[random.nextInt(300)];
        packer.packBinaryHeader(bytes.length).addPayload(bytes);
      }
      case 7 -> {
        byte[] bytes = new byte[1 << random.nextInt(6)];
        packer.packExtensionTypeHeader((byte) random.nextInt(), bytes.length).addPayload(bytes);
      }
      case 8, 9 -> {
        int size = random.nextInt(20);
        packer.packArrayHeader(size);
        for (int i = 0; i < size; i++) {
          pack(packer, random, depth - 1);
        }
      }
      default -> {
        int size = random.nextInt(20);
        packer.packMapHeader(size);
        for (int i = 0; i < 2 * size; i++) {
          pack(packer, random, 0);
        }
      }
    }
  }

  private static String refusal(long offset, String expectation) {
    return new MalformedCodeObjectException(offset, expectation).getMessage();
  }

  private static byte[] hex(String bytes) {
    return HexFormat.of().parseHex(bytes);
  }

  private static MessagePackReader reader(byte[] document) {
    return new MessagePackReader(new ImageReader(ByteBuffer.wrap(document)), 0, document.length);
  }
}
