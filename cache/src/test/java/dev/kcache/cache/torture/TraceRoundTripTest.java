// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.FakeToolchain;
import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.Trace;
import dev.kcache.codeobject.Digest;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sources of every kind come out of a trace as they went in; a trace that they don't is refused.
 */
class TraceRoundTripTest {
  private static final int ROUNDS = 100;

  @TempDir private Path directory;

  @Test
  void generatedProjects_areReadBackAsTheyWere() throws Exception {
    Path trace = directory.resolve("trace");
    Set<Digest> traced = new HashSet<>();
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", directory.resolve("cache").toString()))
            .toolchain(new FakeToolchain())
            .traceTo(trace)
            .build()) {
      for (int round = 0; round < ROUNDS; round++) {
        GeneratedProject project = new ProjectGenerator(round).generate();
        Path root = directory.resolve("round-" + round);
        project.write(root);
        KernelSource source;
        try {
          source = project.read(root);
          traced.add(source.digest());
        } catch (InvalidKernelSourceException e) {
          continue;
        }
        Throwable unused = catchThrowable(() -> cache.getOrCompile(source, project.target()));
      }
    }

    assertThat(traced).hasSizeGreaterThan(ROUNDS / 2);
    assertThat(Trace.read(trace))
        .extracting(request -> request.source().digest())
        .containsOnlyOnceElementsOf(traced);
  }
}
