// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * The variables of a code object, by its dynamic symbols, and how large its image is. The image has
 * been checked.
 *
 * <p>Numbers: the <a href="https://gabi.xinuos.com/elf/a-intro.html">ELF specification</a>.
 */
final class ImageVariables {
  /** The size of an ELF header in bytes. */
  static final int HEADER = 64;

  private static final int SEGMENT = 56;
  private static final int SECTION = 64;
  private static final int SYMBOL = 24;

  private static final int LOAD = 1;
  private static final int NO_BITS = 8;
  private static final int DYNAMIC_SYMBOLS = 11;
  private static final int OBJECT = 1;

  private final ByteBuffer image;

  private ImageVariables(ByteBuffer image) {
    this.image = image;
  }

  /** Returns the end of the image's tables. */
  static int sizeOfTables(ByteBuffer header) {
    ImageVariables elf = new ImageVariables(header);
    return Math.max(elf.segment(elf.header(56)), Math.max(HEADER, elf.section(elf.header(60))));
  }

  /** Returns the end of everything that the image's tables name. */
  static int sizeOfContents(ByteBuffer tables) {
    ImageVariables elf = new ImageVariables(tables);
    long size = tables.capacity();
    for (int i = 0; i < elf.header(56); i++) {
      int at = elf.segment(i);
      size = Math.max(size, tables.getLong(at + 8) + tables.getLong(at + 32));
    }
    for (int i = 0; i < elf.header(60); i++) {
      int at = elf.section(i);
      if (tables.getInt(at + 4) != NO_BITS) {
        size = Math.max(size, tables.getLong(at + 24) + tables.getLong(at + 32));
      }
    }
    return Math.toIntExact(size);
  }

  private int header(int at) {
    return Short.toUnsignedInt(image.getShort(at));
  }

  private int segment(int index) {
    return Math.toIntExact(image.getLong(32) + (long) index * SEGMENT);
  }

  private int section(int index) {
    return Math.toIntExact(image.getLong(40) + (long) index * SECTION);
  }

  /** Returns the first contents of each variable, by its name. */
  static Map<String, ByteBuffer> read(byte[] bytes) {
    ByteBuffer image = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    ImageVariables elf = new ImageVariables(image);
    Map<String, ByteBuffer> variables = new HashMap<>();
    for (int i = 0; i < elf.header(60); i++) {
      int section = elf.section(i);
      if (image.getInt(section + 4) == DYNAMIC_SYMBOLS) {
        int names = Math.toIntExact(image.getLong(elf.section(image.getInt(section + 40)) + 24));
        elf.read(image.getLong(section + 24), image.getLong(section + 32), names, variables);
      }
    }
    return variables;
  }

  private void read(long table, long size, int names, Map<String, ByteBuffer> variables) {
    for (int at = (int) table; at < table + size; at += SYMBOL) {
      boolean defined = image.getShort(at + 6) != 0;
      if ((image.get(at + 4) & 0xf) == OBJECT && defined && image.getLong(at + 16) > 0) {
        String name = name(names + image.getInt(at));
        if (!name.endsWith(".kd")) {
          variables.put(name, content(image.getLong(at + 8), image.getLong(at + 16)));
        }
      }
    }
  }

  private String name(int at) {
    int end = at;
    while (image.get(end) != 0) {
      end++;
    }
    byte[] text = new byte[end - at];
    image.get(at, text);
    return new String(text, UTF_8);
  }

  /** Returns what the file has of some memory, and zeros for the rest. */
  private ByteBuffer content(long address, long size) {
    byte[] content = new byte[Math.toIntExact(size)];
    for (int i = 0; i < header(56); i++) {
      int at = segment(i);
      long start = image.getLong(at + 16);
      long inFile = image.getLong(at + 32);
      if (image.getInt(at) == LOAD && address >= start && address < start + inFile) {
        int from = Math.toIntExact(image.getLong(at + 8) + address - start);
        int count = (int) Math.min(size, start + inFile - address);
        image.get(from, content, 0, count);
      }
    }
    return ByteBuffer.wrap(content);
  }
}
