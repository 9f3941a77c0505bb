// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the clang behind the {@code hipcc} on the PATH opens of an assembly source is in the
 * closure, or the source is refused. More sources: {@code -Dkcache.assembly.sources=2000}, or
 * {@code scripts/fuzz assembler}.
 */
class AssemblyOracleTest {
  private static final int SOURCES = Integer.getInteger("kcache.assembly.sources", 60);

  @Test
  void closure_hasWhatTheAssemblerOpens(@TempDir Path directory) throws Exception {
    AssemblyOracle oracle = new AssemblyOracle(directory, CompilerOfHipcc.find());
    Random random = new Random(35);
    for (int i = 0; i < SOURCES; i++) {
      oracle.compare(random::nextInt);
    }

    assertThat(oracle.assembled()).isGreaterThan(SOURCES / 20);
  }
}
