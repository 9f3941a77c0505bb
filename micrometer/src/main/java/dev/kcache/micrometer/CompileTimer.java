// SPDX-License-Identifier: Apache-2.0
package dev.kcache.micrometer;

import dev.kcache.cache.CacheListener;
import dev.kcache.codeobject.TargetId;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/**
 * Records how long each compile takes, in a timer {@code kcache.compile.duration} by {@code cache},
 * {@code target} and {@code result}, {@code success} or {@code failure}. Where a sum is enough,
 * {@link KcacheMetrics} has one. A {@code MeterFilter} makes it a histogram, as any timer.
 *
 * <pre>{@code
 * CacheManager cache =
 *     CacheManager.builder().listener(new CompileTimer(registry, "kernels", Tags.empty())).build();
 * }</pre>
 *
 * <p>A compile is recorded a moment after it ended, one that ends while the manager is closed
 * perhaps not. Safe for use by any number of threads.
 */
public final class CompileTimer implements CacheListener {
  private final MeterRegistry registry;
  private final Tags tags;

  /**
   * Creates a listener.
   *
   * @param name the value of the tag {@code cache}
   * @param tags more tags of the timer
   */
  public CompileTimer(MeterRegistry registry, String name, Iterable<Tag> tags) {
    this.registry = registry;
    this.tags = Tags.concat(tags, "cache", name);
  }

  @Override
  public void compileFinished(String source, TargetId target, Duration elapsed, boolean succeeded) {
    Timer.builder("kcache.compile.duration")
        .description("Time of each compile")
        .tags(tags)
        .tag("target", target.toString())
        .tag("result", succeeded ? "success" : "failure")
        .register(registry)
        .record(elapsed);
  }
}
