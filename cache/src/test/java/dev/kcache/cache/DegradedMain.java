// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.TargetId;
import java.io.PrintStream;
import java.util.List;

/** Asks for two kernels with what the environment says, and tells how that went. */
final class DegradedMain {
  static final List<KernelSource> SOURCES =
      List.of(
          KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n"),
          KernelSource.of("other.hip", "extern \"C\" __global__ void other() {}\n"));

  private DegradedMain() {}

  /** Prints a line for each kernel and one of the statistics. */
  public static void main(String[] arguments) {
    PrintStream out = System.out;
    try (CacheManager cache = CacheManager.builder().toolchain(new FakeToolchain()).build()) {
      for (KernelSource source : SOURCES) {
        out.println(source.name() + " " + cache.getOrCompile(source, TargetId.parse("gfx90a")));
      }
      CacheUsage.Counts statistics = cache.statistics();
      out.printf(
          "%d hits, %d compiled, %d not kept%n",
          statistics.diskHits(), statistics.compiles(), statistics.notKept());
    }
  }
}
