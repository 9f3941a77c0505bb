// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.FakeToolchain;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.standin.FixtureToolchain;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Cache directories with kernels, by a compiler that gives ready-made code objects. */
final class Kernels {
  static final TargetId GFX90A = TargetId.parse("gfx90a");
  static final TargetId GFX1030 = TargetId.parse("gfx1030");
  static final TargetId GFX942 = TargetId.parse("gfx942");

  private Kernels() {}

  static KernelSource source(String name) {
    return KernelSource.of(name, "extern \"C\" __global__ void k() {}\n");
  }

  /** Compiles two kernels for each target. */
  static void fill(Path directory, Map<String, String> environment, TargetId... targets) {
    try (CacheManager cache =
        CacheManager.builder()
            .environment(environment)
            .toolchain(new ThreeTargets())
            .directory(directory)
            .build()) {
      for (TargetId target : targets) {
        cache.getOrCompile(source("a.hip"), target);
        cache.getOrCompile(source("b.hip"), target);
      }
    }
  }

  private static final class ThreeTargets extends FixtureToolchain {
    @Override
    public Set<Processor> processors() {
      return Set.of(Processor.GFX90A, Processor.GFX1030, Processor.GFX942);
    }

    @Override
    public Output compile(Job job) {
      CodeObject code = FakeToolchain.fixture(job.target());
      return new Output(
          code,
          List.of("hipcc"),
          "",
          Duration.ofMillis(1),
          List.of(new File("/usr/include/hip.h", Digest.of(new byte[] {2}))));
    }
  }
}
