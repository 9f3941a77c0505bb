// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.KernelSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PairsTest {
  private static final Path KERNELS = Path.of("kernels").toAbsolutePath();

  @TempDir private Path directory;

  @Test
  void frozenKernels_areForty_forFourTargets() {
    Pairs pairs = Pairs.frozen(KERNELS, Integer.MAX_VALUE);

    assertThat(pairs.sources()).hasSize(40);
    assertThat(pairs.count()).isEqualTo(160);
    assertThat(new HashSet<>(pairs.all())).hasSize(160);
  }

  @Test
  void variants_areAThousand_allDifferent() {
    Pairs pairs = Pairs.variants(KERNELS, 250, directory, Integer.MAX_VALUE);

    assertThat(pairs.count()).isEqualTo(1000);
    Set<Object> digests = new HashSet<>();
    pairs.sources().forEach(source -> digests.add(KernelSource.read(source).digest()));
    assertThat(digests).hasSize(250);
  }

  @Test
  void variants_thatAreThere_keepTheirTime() throws IOException {
    Path first = Pairs.variants(KERNELS, 1, directory, Integer.MAX_VALUE).sources().get(0);
    FileTime old = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(first, old);

    Pairs again = Pairs.variants(KERNELS, 1, directory, Integer.MAX_VALUE);

    assertThat(again.sources()).containsExactly(first);
    assertThat(Files.getLastModifiedTime(first)).isEqualTo(old);
  }

  @Test
  void some_liesEvenlyAmongAll() {
    assertThat(Pairs.frozen(KERNELS, 8).all()).hasSize(8);
    assertThat(Pairs.frozen(KERNELS, 8).sources()).hasSize(2);
    assertThat(Pairs.frozen(KERNELS, 3).all()).hasSize(3);
  }
}
