// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.CachePolicy;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.codeobject.TargetId;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many kernels at once, over a link on which a request takes 20 ms. */
@Tag("fleet")
class ManyLookupsTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final int MANY = 1000;
  private static final int ROUND_TRIP_MILLIS = 20;
  private static final int CODE_SIZE = 10_000;

  @TempDir Path temp;

  private static List<KernelSource> sources(String prefix) {
    return IntStream.range(0, MANY)
        .mapToObj(
            i -> KernelSource.of(prefix + i + ".hip", "__global__ void " + prefix + i + "() {}\n"))
        .toList();
  }

  private CacheManagerBuilder node(String name, String url) {
    return CacheManager.builder()
        .environment(Map.of())
        .toolchain(new FixtureToolchain(CODE_SIZE))
        .remote(URI.create(url))
        .directory(temp.resolve(name));
  }

  /** Twice as long as they take on two quiet cores: others may be busy here. */
  @Test
  void hitsAndMisses_overALongWay_takeSeconds() throws Exception {
    List<KernelSource> present = sources("k");
    try (RedisServer server = RedisServer.start(temp);
        DelayingProxy proxy = new DelayingProxy(server.port(), ROUND_TRIP_MILLIS)) {
      FleetMain.loadLettuce(URI.create(server.url("")));
      try (CacheManager cache =
          node("one", server.url("")).remoteMode(RemoteMode.READ_WRITE).build()) {
        for (int i = 0; i < MANY; i += 200) {
          List<CompletableFuture<CacheResult>> some =
              present.subList(i, i + 200).stream()
                  .map(each -> cache.resolveAsync(each, GFX90A))
                  .toList();
          some.forEach(CompletableFuture::join);
          assertThat(cache.awaitUploads(Duration.ofSeconds(20))).isZero();
        }
      }
      try (CacheManager cache = node("two", proxy.url()).policy(CachePolicy.SEALED).build()) {
        cache.getIfPresent(present.get(0), GFX90A);
        Duration misses = missed(cache, sources("n"));
        Duration hits = served(cache, present.subList(1, MANY));
        System.getLogger(ManyLookupsTest.class.getName())
            .log(
                System.Logger.Level.INFO,
                "over a link of 20 ms: 1,000 hits in {0} ms, 1,000 misses in {1} ms",
                hits.toMillis(),
                misses.toMillis());
        // One after the other, they would take 20 seconds each.
        assertThat(hits).isLessThan(Duration.ofSeconds(10));
        assertThat(misses).isLessThan(Duration.ofSeconds(10));
      }
    }
  }

  private static Duration served(CacheManager cache, List<KernelSource> sources) {
    long start = System.nanoTime();
    List<CompletableFuture<CacheResult>> results =
        sources.stream().map(each -> cache.resolveAsync(each, GFX90A)).toList();
    assertThat(results).allMatch(each -> each.join().origin() == Origin.REMOTE);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static Duration missed(CacheManager cache, List<KernelSource> sources) {
    long start = System.nanoTime();
    List<CompletableFuture<CacheResult>> results =
        sources.stream().map(each -> cache.resolveAsync(each, GFX90A)).toList();
    for (CompletableFuture<CacheResult> result : results) {
      assertThatThrownBy(result::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(CacheMissException.class);
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
