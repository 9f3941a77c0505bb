// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As {@link BoundedMemoryTest}, for cubins and PTX: at most 64 MB before an image is refused. */
final class NvidiaBoundedMemoryTest {
  private static final int MOST = 64_000_000;
  private static final int SIZE = 70_000_000;

  /** Where in a large cubin its room begins, behind all that a small one has. */
  private static final int ROOM = 4096;

  private static final String HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n";

  /** Everything of which PTX may have much, with a fault at the end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''              | .entry k@(.param .u64 p) {ret;} |",
        "'.entry k('     | .param .u64 p, | p",
        "'.entry k() {'  | .shared .b8 x@; |",
        "'.entry k() {'  | 'add.s32 %r1, %r2, %r3; // long\n' |",
        "'.entry k() '   | .maxntid 1 |",
        "'// '           | comment |",
        "''              | 'x' |",
        "''              | '{}' |",
        "'.entry k() '   | '{' |",
      })
  void parse_ofMuchPtx_isRefusedBeforeMuchIsTaken(String start, String repeated, String end) {
    byte[] image = ptx(start, repeated, end == null ? "" : end);

    assertThat(BoundedMemoryTest.allocated(() -> CodeObject.parse(image))).isLessThan(MOST);
  }

  @Test
  void parse_ofALibraryOfPtx_readsAllOfIt() {
    StringBuilder text = new StringBuilder(HEAD);
    for (int kernel = 0; kernel < 5_000; kernel++) {
      text.append(".entry k").append(kernel).append('(');
      for (int argument = 0; argument < 30; argument++) {
        text.append(argument == 0 ? "" : ",").append(".param .u64 p").append(argument);
      }
      text.append(") { ret; }\n");
    }

    CodeObject code = CodeObject.parse(text.toString().getBytes(US_ASCII));

    assertThat(code.kernels()).hasSize(5_000).allMatch(kernel -> kernel.arguments().size() == 30);
  }

  /** Attributes of one kernel, of each kind that makes something. */
  @ParameterizedTest
  @CsvSource({
    "0x000c1704, 16",
    "0x000c4504, 16",
    "0x000c0504, 16",
    "0x000c1004, 16",
    "0x00000001, 4"
  })
  void parse_ofManyAttributes_isRefusedBeforeMuchIsTaken(String head, int size) {
    ByteBuffer image = room();
    while (image.remaining() > size) {
      image.putInt(image.position(), Integer.decode(head));
      for (int at = 4; at < size; at += 4) {
        image.putInt(image.position() + at, 1);
      }
      image.position(image.position() + size);
    }
    image.putInt(9);
    moveSection(image, ".nv.info.nothing");

    assertRefusedInBounds(image);
  }

  /** Registers of the first kernel, again and again. */
  @Test
  void parse_ofManyRegisterCounts_isRefusedBeforeMuchIsTaken() {
    ByteBuffer image = room();
    while (image.remaining() > 12) {
      image.putInt(0x00082f04).putInt(9).putInt(-1 >>> 1);
    }
    image.putInt(9);
    moveSection(image, ".nv.info");

    assertRefusedInBounds(image);
  }

  @Test
  void parse_ofManySymbols_isRefusedBeforeMuchIsTaken() {
    ByteBuffer image = room();
    int table = section(image, ".symtab");
    byte[] entry = new byte[24];
    int kernel = kernelSymbol(image, table);
    image.get(kernel, entry);
    while (image.remaining() > 24) {
      image.put(entry);
    }
    moveSection(image, ".symtab");

    assertRefusedInBounds(image);
  }

  private static void assertRefusedInBounds(ByteBuffer image) {
    ByteBuffer all = image.duplicate().clear();
    assertThat(BoundedMemoryTest.allocated(() -> CodeObject.parse(all))).isLessThan(MOST);
  }

  private static byte[] ptx(String start, String repeated, String end) {
    byte[] image = new byte[SIZE];
    byte[] head = (HEAD + start).getBytes(US_ASCII);
    ByteBuffer text = ByteBuffer.wrap(image).put(head);
    boolean isCounted = repeated.contains("@");
    byte[] same = repeated.getBytes(US_ASCII);
    for (int i = 0; text.remaining() > 200; i++) {
      text.put(isCounted ? repeated.replace("@", Integer.toString(i)).getBytes(US_ASCII) : same);
    }
    text.put((end + "\n\u0001").getBytes(US_ASCII));
    return Arrays.copyOf(image, text.position());
  }

  /** Returns a large cubin with nothing in its room, whose position is at the room's start. */
  private static ByteBuffer room() {
    byte[] small = NvidiaImages.image("nothing-sm_90.cubin");
    ByteBuffer image = ByteBuffer.wrap(Arrays.copyOf(small, SIZE)).order(ByteOrder.LITTLE_ENDIAN);
    return image.position(ROOM);
  }

  /** Makes a section what has been put into the room. */
  private static void moveSection(ByteBuffer image, String name) {
    int header = section(image, name);
    image.putLong(header + 24, ROOM).putLong(header + 32, image.position() - ROOM);
  }

  private static int section(ByteBuffer image, String name) {
    int table = (int) image.getLong(40);
    int names = (int) image.getLong(table + 64 * image.getShort(62) + 24);
    for (int i = 0; i < image.getShort(60); i++) {
      int at = names + image.getInt(table + 64 * i);
      byte[] found = new byte[name.length() + 1];
      image.get(at, found);
      if (new String(found, US_ASCII).equals(name + "\0")) {
        return table + 64 * i;
      }
    }
    throw new IllegalArgumentException(name);
  }

  private static int kernelSymbol(ByteBuffer image, int header) {
    int table = (int) image.getLong(header + 24);
    for (int at = table; ; at += 24) {
      if (image.get(at + 5) == 0x10) {
        return at;
      }
    }
  }
}
