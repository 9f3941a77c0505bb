// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Checks a library's file before the system's loader maps it: a segment beyond the end of the file,
 * as after a partial copy, would end the process (SIGBUS).
 */
final class SharedObject {
  private static final int HEADER_SIZE = 64;
  private static final int SEGMENT_SIZE = 56;
  private static final int MAGIC = 0x464c457f;
  private static final int CLASS_64 = 2;
  private static final int PT_LOAD = 1;

  private SharedObject() {}

  /**
   * Returns the problem of a file; empty if there is none, or if it is not a file or a 64-bit ELF.
   */
  static Optional<String> damage(String candidate) {
    Path file = Path.of(candidate);
    if (!file.isAbsolute() || !Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (FileChannel channel = FileChannel.open(file)) {
      return isCut(channel) ? Optional.of("is cut off") : Optional.empty();
    } catch (IOException e) {
      // The loader has a better message.
      return Optional.empty();
    }
  }

  private static boolean isCut(FileChannel file) throws IOException {
    ByteBuffer header = read(file, 0, HEADER_SIZE);
    if (header.limit() < HEADER_SIZE || header.getInt(0) != MAGIC || header.get(4) != CLASS_64) {
      return false;
    }
    int count = Short.toUnsignedInt(header.getShort(56));
    ByteBuffer segments = read(file, header.getLong(32), count * SEGMENT_SIZE);
    if (segments.limit() < count * SEGMENT_SIZE) {
      return true;
    }
    for (int at = 0; at < segments.limit(); at += SEGMENT_SIZE) {
      long end = segments.getLong(at + 8) + segments.getLong(at + 32);
      if (segments.getInt(at) == PT_LOAD && (end < 0 || end > file.size())) {
        return true;
      }
    }
    return false;
  }

  /** Returns at most {@code size} bytes at {@code offset}. */
  private static ByteBuffer read(FileChannel file, long offset, int size) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    long at = offset;
    for (int n = 0; at >= 0 && bytes.hasRemaining() && n >= 0; at += n) {
      n = file.read(bytes, at);
    }
    return bytes.flip();
  }
}
