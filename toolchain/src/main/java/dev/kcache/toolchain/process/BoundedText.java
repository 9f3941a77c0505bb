// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Text of a file that may be of any length: of a long one, its first and its last part. */
public final class BoundedText {
  /** Longest text that is kept whole, in bytes. */
  public static final int LIMIT = 1 << 20;

  private BoundedText() {}

  /**
   * Returns the text, malformed bytes replaced; empty if the file can't be read. An interrupt
   * doesn't disturb the reading.
   */
  static String read(Path file) {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "r")) {
      long size = opened.length();
      if (size <= LIMIT) {
        return part(opened, 0, (int) size);
      }
      int half = LIMIT / 2;
      return part(opened, 0, half)
          + "\n["
          + (size - LIMIT)
          + " bytes left out]\n"
          + part(opened, size - half, half);
    } catch (IOException e) {
      return "";
    }
  }

  private static String part(RandomAccessFile file, long from, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(from);
    file.readFully(bytes);
    return new String(bytes, UTF_8);
  }
}
