// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FileOperationsTest {
  @TempDir Path temp;
  private final FileOperations files = new FileOperations();

  @Test
  void read_returnsAllUpToTheLimit() throws IOException {
    Path file = temp.resolve("file");
    byte[] random = new byte[200_000];
    new Random(1).nextBytes(random);
    for (int size : List.of(0, 1, 99, 100, 101, 65_536, 65_537, 200_000)) {
      byte[] content = Arrays.copyOf(random, size);
      Files.write(file, content);
      for (int limit : List.of(1, 100, 101, 65_537, 400_000)) {
        assertThat(files.read(file, limit))
            .as("%d bytes, at most %d", size, limit)
            .isEqualTo(Arrays.copyOf(content, Math.min(size, limit)));
      }
    }
  }

  @Test
  void read_fileWithoutASize_isReadToItsEnd() throws IOException {
    Path version = Path.of("/proc/version");

    assertThat(files.read(version, 1 << 20)).isEqualTo(Files.readAllBytes(version));
  }

  @Test
  void read_missing_saysSo() {
    assertThatThrownBy(() -> files.read(temp.resolve("missing"), 1))
        .isInstanceOf(FileNotFoundException.class);
  }

  /** Pairs that wait for each other: one after the other, the first would wait for ever. */
  @Test
  @Timeout(20)
  void forEach_manyFiles_areWorkedOnSeveralAtATime() {
    List<Path> many = IntStream.range(0, 200).mapToObj(i -> temp.resolve("f" + i)).toList();
    CyclicBarrier pair = new CyclicBarrier(2);
    Set<Path> done = ConcurrentHashMap.newKeySet();

    files.forEach(
        many,
        file -> {
          try {
            pair.await();
          } catch (InterruptedException | BrokenBarrierException e) {
            throw new AssertionError(e);
          }
          done.add(file);
        });

    assertThat(done).containsExactlyInAnyOrderElementsOf(many);
  }

  @Test
  void forEach_interrupted_doesAllOfIt() {
    Set<Integer> done = ConcurrentHashMap.newKeySet();
    Thread.currentThread().interrupt();

    files.forEach(IntStream.range(0, 200).boxed().toList(), done::add);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasSize(200);
  }

  @Test
  void digest_ofALargeFile_isThatOfItsContent() throws IOException {
    Path file = temp.resolve("file");
    byte[] content = new byte[300_000];
    new Random(1).nextBytes(content);
    Files.write(file, content);

    assertThat(files.digest(file)).isEqualTo(Digest.of(content));
    assertThatThrownBy(() -> files.digest(temp)).isInstanceOf(FileNotFoundException.class);
  }
}
