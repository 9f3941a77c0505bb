// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads whole files that a compiler made, or that it reads, which may be of any length. */
public final class BoundedFile {
  /** A file that is longer than it may be. */
  public static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    private TooLongException(Path file, long limit) {
      super(file + " has more than the " + limit + " bytes that it may have");
    }
  }

  private BoundedFile() {}

  /**
   * Returns a file's content. An interrupt doesn't disturb the reading.
   *
   * @param limit the most bytes that it may have
   * @throws TooLongException if it has more; it is not read then
   * @throws FileNotFoundException if it is not there, is no regular file or can't be opened
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
}
