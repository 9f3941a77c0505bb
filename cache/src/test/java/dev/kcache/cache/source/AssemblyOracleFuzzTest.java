// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** As {@link AssemblyOracleTest}, led by what is covered; see {@code scripts/fuzz assembler}. */
class AssemblyOracleFuzzTest {
  @TempDir static Path directory;
  private static AssemblyOracle oracle;

  @BeforeAll
  static void findCompiler() throws Exception {
    oracle = new AssemblyOracle(directory, CompilerOfHipcc.find());
  }

  @FuzzTest
  void compare(FuzzedDataProvider data) throws Exception {
    oracle.compare(choices -> data.consumeInt(0, choices - 1));
  }
}
