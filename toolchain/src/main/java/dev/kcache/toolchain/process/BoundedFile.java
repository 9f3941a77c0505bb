// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files that a compiler made or reads, which may be of any length. */
public final class BoundedFile {
  /** Thrown for a file that is longer than its limit. */
  public static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    private TooLongException(Path file, long limit) {
      super(file + " has more than the " + limit + " bytes that it may have");
    }
  }

  /** The longest text that {@link #text} returns whole, in bytes. */
  public static final int LONGEST_TEXT = 1 << 20;

  private BoundedFile() {}

  /**
   * Returns a file's content. Ignores interrupts.
   *
   * @param limit the largest size in bytes
   * @throws TooLongException if it is larger; then it is not read
   * @throws FileNotFoundException if it is missing, no regular file, or can't be opened
   */
  public static byte[] read(Path file, int limit) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new FileNotFoundException(file + " is not there or no regular file");
    }
    if (file.toFile().length() > limit) {
      throw new TooLongException(file, limit);
    }
    try (InputStream in = new FileInputStream(file.toFile())) {
      byte[] content = in.readNBytes(limit);
      if (in.read() >= 0) {
        throw new TooLongException(file, limit);
      }
      return content;
    }
  }

  /**
   * Returns a file's text with malformed bytes replaced: of a long one, its beginning and its end.
   * Returns an empty text if the file cannot be read. Ignores interrupts.
   */
  static String text(Path file) {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "r")) {
      long size = opened.length();
      if (size <= LONGEST_TEXT) {
        return part(opened, 0, (int) size);
      }
      int half = LONGEST_TEXT / 2;
      return part(opened, 0, half) + omitted(size) + part(opened, size - half, half);
    } catch (IOException e) {
      return "";
    }
  }

  /** As {@link #text(Path)}, of the content itself. */
  static String text(byte[] content) {
    if (content.length <= LONGEST_TEXT) {
      return new String(content, UTF_8);
    }
    int half = LONGEST_TEXT / 2;
    return new String(content, 0, half, UTF_8)
        + omitted(content.length)
        + new String(content, content.length - half, half, UTF_8);
  }

  private static String omitted(long size) {
    return "\n[" + (size - LONGEST_TEXT) + " bytes left out]\n";
  }

  private static String part(RandomAccessFile file, long from, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(from);
    file.readFully(bytes);
    return new String(bytes, UTF_8);
  }
}
