// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParallelismTest {
  @TempDir private Path root;

  @Test
  void of_isBoundedByProcessorsAndMemory() {
    assertThat(Parallelism.of(8, OptionalLong.empty())).isEqualTo(13);
    assertThat(Parallelism.of(8, OptionalLong.of(64_000_000_000L))).isEqualTo(13);
    assertThat(Parallelism.of(8, OptionalLong.of(370_000_000))).isEqualTo(3);
    assertThat(Parallelism.of(8, OptionalLong.of(1000))).isEqualTo(1);
  }

  @Test
  void of_keepsTheCoresBusyWhileSomeWaitForTheDisk() {
    assertThat(Parallelism.of(1, OptionalLong.empty())).isEqualTo(2);
    assertThat(Parallelism.of(2, OptionalLong.empty())).isEqualTo(4);
    assertThat(Parallelism.of(64, OptionalLong.empty())).isEqualTo(97);
  }

  @Test
  void availableMemory_isWhatTheSystemHasLeft() throws IOException {
    write("proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n");
    write("sys/fs/cgroup/memory.max", "max\n");

    assertThat(Parallelism.availableMemory(root)).hasValue(8_192_000_000L);
  }

  @Test
  void availableMemory_isWhatTheContainerMayHave() throws IOException {
    write("proc/meminfo", "MemAvailable:    8000000 kB\n");
    write("sys/fs/cgroup/memory.max", "536870912\n");

    assertThat(Parallelism.availableMemory(root)).hasValue(536_870_912);
  }

  @Test
  void availableMemory_isWhatAnOlderContainerMayHave() throws IOException {
    write("proc/meminfo", "MemAvailable:    8000000 kB\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");

    assertThat(Parallelism.availableMemory(root)).hasValue(268_435_456);
  }

  @Test
  void availableMemory_isUnknownWhereNothingTells() {
    assertThat(Parallelism.availableMemory(root)).isEmpty();
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
