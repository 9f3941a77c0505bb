// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.TreeSet;

/** Reads the names of the kernels in a code object off its dynamic symbols. */
final class ElfSymbols {
  private static final int SECTION_TABLE = 0x28;
  private static final int SECTION_SIZE = 64;
  private static final int SECTION_COUNT = 0x3c;
  private static final int DYNAMIC_SYMBOLS = 11;
  private static final int SYMBOL_SIZE = 24;
  private static final String DESCRIPTOR = ".kd";

  private final ByteBuffer elf;

  private ElfSymbols(byte[] elf) {
    this.elf = ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the kernels whose descriptor, {@code <name>.kd}, the image exports. */
  static Set<String> kernels(byte[] image) {
    return new ElfSymbols(image).kernels();
  }

  private Set<String> kernels() {
    Set<String> kernels = new TreeSet<>();
    for (int section = 0; section < elf.getShort(SECTION_COUNT); section++) {
      int header = header(section);
      if (elf.getInt(header + 4) == DYNAMIC_SYMBOLS) {
        int names = (int) elf.getLong(header(elf.getInt(header + 40)) + 24);
        int symbols = (int) elf.getLong(header + 24);
        int end = symbols + (int) elf.getLong(header + 32);
        for (int symbol = symbols; symbol < end; symbol += SYMBOL_SIZE) {
          String name = text(names + elf.getInt(symbol));
          if (name.endsWith(DESCRIPTOR)) {
            kernels.add(name.substring(0, name.length() - DESCRIPTOR.length()));
          }
        }
      }
    }
    return kernels;
  }

  private int header(int section) {
    return (int) elf.getLong(SECTION_TABLE) + section * SECTION_SIZE;
  }

  private String text(int start) {
    int end = start;
    while (elf.get(end) != 0) {
      end++;
    }
    return new String(elf.array(), start, end - start, ISO_8859_1);
  }
}
