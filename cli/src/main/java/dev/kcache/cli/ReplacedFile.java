// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** A file that a command writes whole or not at all. */
final class ReplacedFile {
  private ReplacedFile() {}

  /**
   * Writes a text to a file that a user named. Its readers see the old content or the new one, and
   * a failure leaves the old one. A link stays, and what it leads to is replaced.
   *
   * @throws IllegalArgumentException if something else than a file has the name, or there is no
   *     such directory
   * @throws UncheckedIOException if it cannot be written; the message is one line
   */
  static void write(Path named, String text) {
    write(
        named,
        file -> {
          replace(file, ByteBuffer.wrap(text.getBytes(UTF_8)));
          return text;
        });
  }

  /** Writes a file whole or not at all. */
  interface Writer<T> {
    T write(Path file) throws IOException;
  }

  /** As {@link #write(Path, String)}; returns what the writer does. */
  static <T> T write(Path named, Writer<T> writer) {
    folder(named);
    if (Files.exists(named) && !Files.isRegularFile(named)) {
      throw wrong(named, "is not a regular file; name one");
    }
    try {
      return writer.write(Files.exists(named) ? named.toRealPath() : named.toAbsolutePath());
    } catch (IOException e) {
      throw new UncheckedIOException(
          quoted(named) + " cannot be written: " + FileFault.reason(e) + "; name another file", e);
    }
  }

  /**
   * Returns the directory that a file which a user named is in.
   *
   * @throws IllegalArgumentException if there is none, or no file can have the name
   */
  static Path folder(Path named) {
    if (named.toString().isEmpty()) {
      throw new IllegalArgumentException("the name of the file to write is empty; name one");
    }
    if (Files.isDirectory(named)) {
      throw wrong(named, "is a directory; name a file in it");
    }
    Path folder = named.toAbsolutePath().resolveSibling("");
    if (!Files.isDirectory(folder)) {
      throw wrong(folder, "is not a directory; make it, or name a file in another");
    }
    return folder;
  }

  private static void replace(Path file, ByteBuffer content) throws IOException {
    Path temporary = file.resolveSibling(".kcache-" + UUID.randomUUID() + ".tmp");
    try {
      try (FileChannel channel =
          FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
        while (content.hasRemaining()) {
          channel.write(content);
        }
        channel.force(true);
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      try {
        Files.deleteIfExists(temporary);
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }

  private static IllegalArgumentException wrong(Path path, String problem) {
    return new IllegalArgumentException(quoted(path) + " " + problem);
  }

  private static String quoted(Path path) {
    return "'" + Text.oneLine(path.toString()) + "'";
  }
}
