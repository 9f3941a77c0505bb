// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.nio.file.Path;

/** Libraries that say their version, and nothing else: for tests of the binding. */
public final class TestLibraries {
  private TestLibraries() {}

  public static Path amd(Path library) {
    return CCompiler.runtime(library, 60443484);
  }

  public static Path nvidia(Path library) {
    return CCompiler.cudaDriver(library, 13000);
  }
}
