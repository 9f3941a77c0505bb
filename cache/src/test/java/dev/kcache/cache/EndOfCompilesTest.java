// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.standin.FakeHipcc;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A manager that is closed, and a caller that gives up, over compilers that never end. */
@Timeout(60)
class EndOfCompilesTest {
  private static final int COMPILES = 6;

  @TempDir Path directory;

  private CacheManager manager() throws IOException {
    FakeHipcc fake = new FakeHipcc(directory.resolve("rocm"));
    fake.compilesWith(
        "trap '' TERM INT; echo $$ >"
            + directory
            + "/$$.pid; sleep 600 & echo $! >"
            + directory
            + "/$$-child.pid; wait");
    return CacheManager.builder()
        .environment(fake.environment(Map.of("KCACHE_DIR", directory.resolve("cache").toString())))
        .parallelism(2)
        .build();
  }

  private static KernelSource source(int number) {
    return KernelSource.of("k" + number + ".hip", "__global__ void k" + number + "() {}\n");
  }

  @Test
  void close_overCompilesThatRunAndThatWait_endsThemAll() throws Exception {
    List<CompletableFuture<CodeObject>> pending = new ArrayList<>();
    try (CacheManager cache = manager()) {
      for (int i = 0; i < COMPILES; i++) {
        pending.add(cache.getOrCompileAsync(source(i), FakeHipcc.TARGET));
      }
      Script.await(
          () -> pids(".pid").size() == 4, "two compilers did not start, with a child each");
    }

    assertThat(pids("-child.pid")).as("two at a time").hasSize(2);
    for (Path pid : pids(".pid")) {
      Script.awaitDeath(Script.awaitPid(pid));
    }
    for (CompletableFuture<CodeObject> each : pending) {
      assertThat(each).failsWithin(Duration.ofSeconds(20));
      assertThatThrownBy(each::join)
          .satisfiesAnyOf(
              failure ->
                  assertThat(failure)
                      .isInstanceOf(CompletionException.class)
                      .hasCauseInstanceOf(IllegalStateException.class),
              failure -> assertThat(failure).isInstanceOf(CancellationException.class));
    }
    assertThat(directory.resolve("cache/gfx90a-6.1")).doesNotExist();
  }

  private List<Path> pids(String suffix) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
