// SPDX-License-Identifier: Apache-2.0
package dev.kcache.micrometer;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.CacheEvent;
import dev.kcache.cache.CacheEvent.CompileFailed;
import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.CacheEvent.Outcome;
import dev.kcache.cache.CacheListener;
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
 * <p>A compile is recorded before anybody gets its result; one that another process did is not. A
 * failure counts with the time from its beginning. Safe for use by any number of threads.
 */
public final class CompileTimer implements CacheListener {
  private final MeterRegistry registry;
  private final Tags tags;

  /**
   * Creates a listener.
   *
   * @param registry gets a timer for each target and result, with its first compile
   * @param name the value of the tag {@code cache}
   * @param tags more tags of the timer
   */
  public CompileTimer(MeterRegistry registry, String name, Iterable<Tag> tags) {
    requireNonNull(name, "name");
    requireNonNull(tags, "tags");
    this.registry = requireNonNull(registry, "registry");
    this.tags = Tags.concat(tags, "cache", name);
  }

  @Override
  public void onEvent(CacheEvent event) {
    requireNonNull(event, "event");
    if (event instanceof CompileFinished finished && finished.outcome() == Outcome.COMPILED) {
      record(finished.started(), "success", finished.compileTime());
    } else if (event instanceof CompileFailed failed) {
      record(failed.started(), "failure", failed.elapsed());
    }
  }

  private void record(CompileStarted started, String result, Duration time) {
    Timer.builder("kcache.compile.duration")
        .description("Time of each compile")
        .tags(tags)
        .tag("target", started.target().toString())
        .tag("result", result)
        .register(registry)
        .record(time);
  }
}
