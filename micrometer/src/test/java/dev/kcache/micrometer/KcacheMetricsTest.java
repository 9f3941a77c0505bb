// SPDX-License-Identifier: Apache-2.0
package dev.kcache.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** With the real compiler. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class KcacheMetricsTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final KernelSource FILL =
      KernelSource.of("fill.hip", "extern \"C\" __global__ void fill(int *a) { *a = 1; }\n");
  private static final KernelSource BROKEN = KernelSource.of("broken.hip", "int main( {}\n");

  @TempDir private Path temp;
  private final MeterRegistry registry = new SimpleMeterRegistry();

  private CacheManagerBuilder builder() {
    return CacheManager.builder()
        .environment(Map.of("PATH", System.getenv("PATH"), "KCACHE_DIR", temp.toString()));
  }

  private double count(String meter, String... tags) {
    return registry.get(meter).tag("cache", "kernels").tags(tags).functionCounter().count();
  }

  private Duration total(String meter) {
    return Duration.ofNanos(
        Math.round(registry.get(meter).functionTimer().totalTime(TimeUnit.NANOSECONDS)));
  }

  @Test
  void meters_followTheManager() {
    try (CacheManager cache = KcacheMetrics.monitor(registry, builder().build(), "kernels")) {
      cache.getOrCompile(FILL, GFX90A);
      cache.getOrCompile(FILL, GFX90A);
      cache.getOrCompile(FILL, GFX90A);
      assertThatThrownBy(() -> cache.getOrCompile(BROKEN, GFX90A))
          .isInstanceOf(CompilationException.class);

      assertThat(count("cache.gets", "result", "hit")).isEqualTo(2);
      assertThat(count("cache.gets", "result", "miss")).isEqualTo(2);
      assertThat(count("cache.puts")).isEqualTo(1);
      assertThat(count("kcache.hits", "tier", "memory")).isEqualTo(2);
      assertThat(count("kcache.hits", "tier", "disk")).isZero();
      assertThat(count("kcache.compiles", "result", "success")).isEqualTo(1);
      assertThat(count("kcache.compiles", "result", "failure")).isEqualTo(1);
      assertThat(count("kcache.not.kept")).isZero();
      assertThat(registry.get("kcache.compile.time").functionTimer().count()).isEqualTo(2);
      assertThat(total("kcache.compile.time"))
          .isPositive()
          .isEqualTo(cache.statistics().compileTime());
      assertThat(total("kcache.saved.time")).isZero();
    }
  }

  @Test
  void hitOnDisk_savesTheTimeOfItsCompile() {
    try (CacheManager first = builder().build()) {
      first.getOrCompile(FILL, GFX90A);
    }
    try (CacheManager cache = KcacheMetrics.monitor(registry, builder().build(), "kernels")) {
      cache.getOrCompile(FILL, GFX90A);

      assertThat(count("cache.gets", "result", "hit")).isEqualTo(1);
      assertThat(count("kcache.hits", "tier", "disk")).isEqualTo(1);
      assertThat(registry.get("kcache.saved.time").functionTimer().count()).isEqualTo(1);
      assertThat(total("kcache.saved.time")).isPositive().isEqualTo(cache.statistics().savedTime());
      assertThat(total("kcache.compile.time")).isZero();
    }
  }

  @Test
  void meters_haveTheTagsThatAreGiven() {
    try (CacheManager cache = builder().build();
        CacheManager other = builder().build()) {
      KcacheMetrics.monitor(registry, cache, "kernels", "app", "demo");
      KcacheMetrics.monitor(registry, other, "others", "app", "demo");

      assertThat(registry.getMeters())
          .hasSize(26)
          .extracting(Meter::getId)
          .allMatch(id -> Objects.equals(id.getTag("app"), "demo"))
          .allMatch(id -> id.getTag("cache") != null)
          .allMatch(id -> id.getDescription() != null);
    }
  }

  @Test
  void registry_doesNotKeepTheManager() {
    WeakReference<CacheManager> manager = closedManager();
    for (int i = 0; i < 100 && manager.get() != null; i++) {
      System.gc();
    }

    assertThat(manager.get()).isNull();
    assertThat(count("cache.gets", "result", "miss")).isZero();
  }

  private WeakReference<CacheManager> closedManager() {
    try (CacheManager cache = builder().build()) {
      return new WeakReference<>(KcacheMetrics.monitor(registry, cache, "kernels"));
    }
  }

  @Test
  void compileTimer_recordsEachCompile() {
    CompileTimer timer = new CompileTimer(registry, "kernels", Tags.of("app", "demo"));
    try (CacheManager cache = builder().listener(timer).build()) {
      cache.getOrCompile(FILL, GFX90A);
      assertThatThrownBy(() -> cache.getOrCompile(BROKEN, GFX90A))
          .isInstanceOf(CompilationException.class);
      cache.getOrCompile(FILL, GFX90A);
    }

    for (String result : new String[] {"success", "failure"}) {
      Timer durations =
          registry
              .get("kcache.compile.duration")
              .tags("cache", "kernels", "app", "demo", "target", "gfx90a", "result", result)
              .timer();
      assertThat(durations.count()).isEqualTo(1);
      assertThat(durations.totalTime(TimeUnit.NANOSECONDS)).isPositive();
    }
  }
}
