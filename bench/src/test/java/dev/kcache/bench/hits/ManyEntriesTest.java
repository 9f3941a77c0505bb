// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManyEntriesTest {
  @TempDir private Path cache;

  private void makeOne() throws IOException {
    byte[] code = {1, 2, 3};
    Path target = Files.createDirectories(cache.resolve("gfx90a-6.4"));
    Files.write(target.resolve(Digest.of(code) + ".co"), code);
    String request = "ab".repeat(32);
    Path record = Files.createDirectory(target.resolve(request)).resolve("cd".repeat(32) + ".json");
    Files.writeString(
        record,
        "{\"codeObject\": \"%s\", \"size\": 3, \"request\": \"%s\"}"
            .formatted(Digest.of(code), request));
    Path memo = Files.createDirectories(cache.resolve("memo/host"));
    Files.writeString(memo.resolve("files.json"), "{}");
  }

  private List<Path> files(String ending) throws IOException {
    try (Stream<Path> files = Files.walk(cache.resolve("gfx90a-6.4"))) {
      return files.filter(file -> file.toString().endsWith(ending)).toList();
    }
  }

  @Test
  void eachEntry_isSoundAndItsOwn() throws IOException {
    makeOne();
    new ManyEntries(cache).fill(5);

    assertThat(files(".co")).hasSize(5).allSatisfy(ManyEntriesTest::isNamedByItsBytes);
    assertThat(files(".json")).hasSize(5).allSatisfy(ManyEntriesTest::pointsAtItsCodeObject);
  }

  @Test
  void moreOfThem_keepsWhatIsThere() throws IOException {
    makeOne();
    new ManyEntries(cache).fill(3);
    List<Path> before = files(".json");
    new ManyEntries(cache).fill(5);

    assertThat(files(".json")).hasSize(5).containsAll(before);
    assertThat(files(".co")).hasSize(5);
  }

  private static void isNamedByItsBytes(Path file) throws IOException {
    assertThat(file.getFileName()).hasToString(Digest.of(Files.readAllBytes(file)) + ".co");
  }

  private static void pointsAtItsCodeObject(Path record) throws IOException {
    String text = Files.readString(record);
    Path directory = record.getParent();
    String digest = text.replaceAll("(?s).*\"codeObject\": \"(\\w+)\".*", "$1");
    Path code = directory.resolveSibling(digest + ".co");
    assertThat(text)
        .contains("\"request\": \"" + directory.getFileName() + "\"")
        .contains("\"size\": " + Files.size(code));
  }
}
