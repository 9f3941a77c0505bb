// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Fills a cache directory with many sound entries, each with its own code object, the real one with
 * a number behind its end, and a record of the real size.
 *
 * @param cache a cache directory with at least one entry
 */
public record ManyEntries(Path cache) {
  /** Adds entries up to a number; keeps those of earlier calls. */
  public void fill(int count) {
    try {
      Path record = aRecord();
      for (int i = 1; i < count; i++) {
        add(record, i);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(Path record, int number) throws IOException {
    String oldRequest = String.valueOf(parent(record).getFileName());
    String request = Digest.of(("request " + number).getBytes(UTF_8)).toString();
    Path targetDirectory = parent(parent(record));
    Path copy = targetDirectory.resolve(request).resolve(record.getFileName());
    if (Files.exists(copy)) {
      return;
    }
    String text = Files.readString(record);
    byte[] code = Files.readAllBytes(codeObject(targetDirectory, text));
    byte[] other = numbered(code, number);
    String digest = Digest.of(other).toString();
    Files.write(targetDirectory.resolve(digest + ".co"), other);
    Files.createDirectories(parent(copy));
    Files.writeString(
        copy,
        text.replace(field(text, "codeObject"), digest)
            .replace(oldRequest, request)
            .replace("\"size\": " + code.length, "\"size\": " + other.length));
  }

  private Path aRecord() throws IOException {
    try (Stream<Path> files = Files.find(cache, 3, (file, attributes) -> isRecord(file))) {
      return files.findFirst().orElseThrow();
    }
  }

  private boolean isRecord(Path file) {
    Path within = cache.relativize(file);
    return within.getNameCount() == 3
        && !within.startsWith("memo")
        && within.toString().endsWith(".json");
  }

  private static Path codeObject(Path directory, String record) {
    return directory.resolve(field(record, "codeObject") + ".co");
  }

  private static String field(String record, String name) {
    String before = "\"" + name + "\": \"";
    int begin = record.indexOf(before) + before.length();
    return record.substring(begin, record.indexOf('"', begin));
  }

  private static byte[] numbered(byte[] code, int number) {
    byte[] longer = Arrays.copyOf(code, code.length + Integer.BYTES);
    ByteBuffer.wrap(longer).putInt(code.length, number);
    return longer;
  }

  private static Path parent(Path file) {
    return Objects.requireNonNull(file.getParent());
  }
}
