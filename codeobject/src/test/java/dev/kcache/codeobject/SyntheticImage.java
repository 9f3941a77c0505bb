// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;

/**
 * Writes a code object for gfx90a of any size, for good or ill: the tables first, then whatever is
 * added, in order. All of its kernels share one descriptor, of a kernel without arguments of its
 * own and without needs.
 */
final class SyntheticImage {
  /** The size in bytes of the kernarg segment that the descriptor tells. */
  static final int KERNARG_SIZE = 1024;

  private static final int STT_OBJECT = 1;
  private static final int STT_FUNC = 2;

  private static final int SEGMENTS = 64;
  private static final int NOTE_SEGMENT = SEGMENTS + 56;
  private static final int SECTIONS = NOTE_SEGMENT + 56;
  private static final int DESCRIPTOR = 512;
  private static final int CODE = 1024;
  private static final int LOADED = 4096;

  private final ByteBuffer image;

  /** Begins an image of at most the array's size, which it overwrites. */
  SyntheticImage(byte[] array) {
    image = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    byte[] model = Fixtures.resource("/kernels/hipcc-5.2-gfx90a.co");
    image.put(model, 0, SEGMENTS).put(new byte[LOADED - SEGMENTS]);
    tables(SEGMENTS, 1, SECTIONS, 4);
    segment(SEGMENTS, 1, 0, LOADED);
    section(1, 11, 0, 0, 24);
    section(2, 3, 0, 0, 0);
    section(3, 1, 0, LOADED, 0);
    image.putInt(DESCRIPTOR + 8, KERNARG_SIZE).putLong(DESCRIPTOR + 16, CODE - DESCRIPTOR);
  }

  /** Writes what a note says. */
  interface Content {
    void write(MessagePacker packer) throws IOException;
  }

  /** Adds the note of metadata. */
  SyntheticImage metadata(Content content) {
    align();
    int header = image.position();
    image.putInt(7).putInt(0).putInt(32).put("AMDGPU\0\0".getBytes(ISO_8859_1));
    int start = image.position();
    try (MessagePacker packer = MessagePack.newDefaultPacker(new BufferStream(image))) {
      content.write(packer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    image.putInt(header + 4, image.position() - start);
    align();
    return notes(header, image.position() - header);
  }

  private void align() {
    while (image.position() % 4 != 0) {
      image.put((byte) 0);
    }
  }

  /** Makes a range of the image its segment of notes. */
  SyntheticImage notes(int offset, int size) {
    image.putShort(56, (short) 2);
    segment(NOTE_SEGMENT, 4, offset, size);
    return this;
  }

  /** Adds the same content many times over. */
  SyntheticImage repeated(byte[] content, int times) {
    for (int i = 0; i < times; i++) {
      image.put(content);
    }
    return this;
  }

  /** Adds the symbols of kernels {@code k0}, {@code k1} and so on. */
  SyntheticImage kernelSymbols(int kernels) {
    int symbols = image.position();
    int names = symbols + 2 * kernels * 24;
    image.position(names);
    for (int i = 0; i < kernels; i++) {
      symbol(symbols + 48 * i, image.position() - names, STT_FUNC, CODE, 0);
      image.put(("k" + i + "\0").getBytes(ISO_8859_1));
      symbol(symbols + 48 * i + 24, image.position() - names, STT_OBJECT, DESCRIPTOR, 64);
      image.put(("k" + i + ".kd\0").getBytes(ISO_8859_1));
    }
    section(1, 11, symbols, names - symbols, 24);
    section(2, 3, names, image.position() - names, 0);
    return this;
  }

  /** Adds many symbols of one name. */
  SyntheticImage symbols(int count, int type, String name) {
    int symbols = image.position();
    for (int i = 0; i < count; i++) {
      symbol(symbols + 24 * i, 0, type, CODE, 0);
    }
    int names = symbols + 24 * count;
    image.position(names).put((name + "\0").getBytes(ISO_8859_1));
    section(1, 11, symbols, names - symbols, 24);
    section(2, 3, names, name.length() + 1, 0);
    return this;
  }

  /** Adds a table of many segments that say nothing, and uses it. */
  SyntheticImage segments(int count) {
    int table = image.position();
    repeated(new byte[56], count);
    segment(table, 1, 0, LOADED);
    tables(table, count, SECTIONS, 4);
    return this;
  }

  /** Adds a table of many sections that have no bytes, and uses it. */
  SyntheticImage sections(int count) {
    int table = image.position();
    for (int i = 0; i < count; i++) {
      image.putInt(0).putInt(1).put(new byte[56]);
    }
    tables(SEGMENTS, image.getShort(56), table, count);
    return this;
  }

  /** Returns the image so far. */
  ByteBuffer build() {
    return image.duplicate().flip();
  }

  private void tables(int segments, int segmentCount, int sections, int sectionCount) {
    image.putLong(32, segments).putShort(56, (short) segmentCount);
    image.putLong(40, sections).putShort(60, (short) sectionCount).putShort(62, (short) 2);
  }

  private void segment(int header, int type, int offset, int size) {
    image.putInt(header, type).putInt(header + 4, 5);
    image.putLong(header + 8, offset).putLong(header + 16, offset);
    image.putLong(header + 32, size).putLong(header + 40, size);
  }

  private void section(int index, int type, int offset, int size, int entrySize) {
    int header = SECTIONS + 64 * index;
    image.putInt(header + 4, type).putLong(header + 24, offset).putLong(header + 32, size);
    image.putInt(header + 40, 2).putLong(header + 56, entrySize);
  }

  private void symbol(int entry, int name, int type, int address, int size) {
    image.putInt(entry, name).put(entry + 4, (byte) type).putShort(entry + 6, (short) 3);
    image.putLong(entry + 8, address).putLong(entry + 16, size);
  }

  /** What is written to it goes into a buffer. */
  private static final class BufferStream extends OutputStream {
    private final ByteBuffer buffer;

    BufferStream(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public void write(int b) {
      buffer.put((byte) b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      buffer.put(bytes, offset, length);
    }
  }
}
