// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * The metadata notes of test images, read and written by another implementation than the one under
 * test.
 */
final class Metadata {
  private static final int PT_NOTE = 4;
  private static final int NOTE_HEADER = 20;

  private Metadata() {}

  /** Returns the metadata of an image. */
  static Map<Value, Value> of(byte[] elf) {
    ByteBuffer image = littleEndian(elf);
    int offset = (int) image.getLong(noteHeader(image) + 8);
    byte[] content =
        Arrays.copyOfRange(
            elf, offset + NOTE_HEADER, offset + NOTE_HEADER + image.getInt(offset + 4));
    try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(content)) {
      return new HashMap<>(unpacker.unpackValue().asMapValue().map());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a copy of {@code elf} with other metadata. */
  static byte[] replaced(byte[] elf, Map<Value, Value> metadata) {
    try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
      packer.packValue(ValueFactory.newMap(metadata));
      return replaced(elf, packer.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a copy of {@code elf} with other metadata, which need not be well-formed. */
  static byte[] replaced(byte[] elf, byte[] metadata) {
    int offset = (elf.length + 3) & ~3;
    int size = NOTE_HEADER + ((metadata.length + 3) & ~3);
    byte[] changed = Arrays.copyOf(elf, offset + size);
    ByteBuffer image = littleEndian(changed);
    int header = noteHeader(image);
    image.putLong(header + 8, offset).putLong(header + 32, size).putLong(header + 40, size);
    image.position(offset);
    image.putInt(7).putInt(metadata.length).putInt(32).put("AMDGPU\0\0".getBytes(ISO_8859_1));
    image.put(metadata);
    return changed;
  }

  /** Returns a copy of {@code elf} that says throughout to be for another target. */
  static byte[] retargeted(byte[] elf, long flags, int version, String target) {
    Map<Value, Value> metadata = of(elf);
    metadata.put(text("amdhsa.target"), text("amdgcn-amd-amdhsa--" + target));
    metadata.put(
        text("amdhsa.version"),
        ValueFactory.newArray(
            ValueFactory.newInteger(1), ValueFactory.newInteger(Math.min(version, 5) - 3)));
    byte[] image = Fixtures.patched(replaced(elf, metadata), ElfFlags.OFFSET, 4, flags);
    return Fixtures.patched(image, 8, 1, version - 2);
  }

  static Value text(String text) {
    return ValueFactory.newString(text);
  }

  private static int noteHeader(ByteBuffer image) {
    int header = (int) image.getLong(32);
    while (image.getInt(header) != PT_NOTE) {
      header += 56;
    }
    return header;
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
