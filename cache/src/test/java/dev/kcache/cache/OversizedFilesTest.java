// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the cache that are larger than the heap of the process that meets them. */
@Timeout(120)
class OversizedFilesTest {
  private static final long LARGE = 1500L << 20;

  @TempDir private Path directory;

  @BeforeEach
  void fill() {
    try (CacheManager cache = OversizedMain.manager(directory)) {
      cache.getOrCompile(LayerReaderMain.SOURCE, TargetId.parse("gfx90a"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".co", ".json", ".deps"})
  void entry_fileIsLargerThanTheHeap_isReplaced(String suffix) throws Exception {
    enlarge(files(suffix));

    assertThat(run("ask")).containsExactly("COMPILED of 2", "DISK of 3 []");
  }

  @ParameterizedTest
  @ValueSource(strings = {".co", ".json", ".deps"})
  void verify_fileIsLargerThanTheHeap_findsAndMovesIt(String suffix) throws Exception {
    enlarge(files(suffix));

    assertThat(run("verify").get(0)).contains("DAMAGED");
    assertThat(run("verify").subList(0, 2)).containsExactly("[]", "[]");
  }

  @Test
  void verify_fileOfNoRecordIsLargerThanTheHeap_findsAndMovesIt() throws Exception {
    for (Path record : files(".json")) {
      Files.delete(record);
    }
    enlarge(files(".co"));

    assertThat(run("verify").get(0)).contains("DAMAGED");
  }

  @Test
  void usage_fileIsLargerThanTheHeap_isLeftOut() throws Exception {
    enlarge(files("/usage/"));

    assertThat(run("ask")).containsExactly("DISK of 1", "DISK of 2 []");
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> file.toString().contains(suffix))
          .toList();
    }
  }

  private static void enlarge(List<Path> files) throws IOException {
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
        open.setLength(LARGE);
      }
    }
  }

  private List<String> run(String kind) throws IOException, InterruptedException {
    List<String> command =
        Jvm.command(OversizedMain.class, List.of("-Xmx100m"), directory.toString(), kind);
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> lines = child.inputReader().lines().toList();
    assertThat(child.waitFor()).isZero();
    return lines;
  }
}
