// SPDX-License-Identifier: Apache-2.0
package dev.kcache.micrometer;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheUsage.Counts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of what a cache manager has done since it was made, from {@link
 * CacheManager#statistics()}. Each has a tag {@code cache} with the cache's name.
 *
 * <pre>{@code
 * CacheManager cache = KcacheMetrics.monitor(registry, CacheManager.create(), "kernels");
 * }</pre>
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>what</th></tr>
 * <tr><td>{@code cache.gets}</td><td>counter</td>
 *     <td>requests, by {@code result}: {@code hit} or {@code miss}</td></tr>
 * <tr><td>{@code cache.puts}</td><td>counter</td><td>compiled results</td></tr>
 * <tr><td>{@code kcache.hits}</td><td>counter</td>
 *     <td>hits, by {@code tier}: {@code memory}, {@code disk} or {@code remote}</td></tr>
 * <tr><td>{@code kcache.compiles}</td><td>counter</td>
 *     <td>compiles, by {@code result}: {@code success} or {@code failure}</td></tr>
 * <tr><td>{@code kcache.not.kept}</td><td>counter</td>
 *     <td>compiled results that could not be written to disk</td></tr>
 * <tr><td>{@code kcache.compile.time}</td><td>timer</td>
 *     <td>number of compiles, and the time spent in the compiler</td></tr>
 * <tr><td>{@code kcache.saved.time}</td><td>timer</td>
 *     <td>number of hits on the disk and in remotes, and the time that their compiles would have taken</td></tr>
 * </table>
 *
 * <p>The registry doesn't keep the manager alive. Safe for use by any number of threads.
 *
 * @see CompileTimer
 */
public final class KcacheMetrics extends CacheMeterBinder<CacheManager> {
  /**
   * Creates a binder; {@link #bindTo} registers its meters.
   *
   * @param cache what is measured; held weakly
   * @param name the value of the tag {@code cache}
   * @param tags more tags of all meters
   */
  public KcacheMetrics(CacheManager cache, String name, Iterable<Tag> tags) {
    super(
        requireNonNull(cache, "cache"), requireNonNull(name, "name"), requireNonNull(tags, "tags"));
  }

  /**
   * Registers the meters of a manager, and returns the manager.
   *
   * @param registry gets the meters; it does not keep the manager alive
   * @param cache what is measured
   * @param name the value of the tag {@code cache}
   * @param tags keys and values of more tags, in turn
   * @return {@code cache}
   * @throws IllegalArgumentException if a key has no value
   */
  public static CacheManager monitor(
      MeterRegistry registry, CacheManager cache, String name, String... tags) {
    return monitor(registry, cache, name, Tags.of(requireNonNull(tags, "tags")));
  }

  /**
   * Registers the meters of a manager, and returns the manager.
   *
   * @param registry gets the meters; it does not keep the manager alive
   * @param cache what is measured
   * @param name the value of the tag {@code cache}
   * @param tags more tags of all meters
   * @return {@code cache}
   */
  public static CacheManager monitor(
      MeterRegistry registry, CacheManager cache, String name, Iterable<Tag> tags) {
    requireNonNull(registry, "registry");
    new KcacheMetrics(cache, name, tags).bindTo(registry);
    return cache;
  }

  /** Unknown without a walk through the directory. */
  @Override
  protected @Nullable Long size() {
    return null;
  }

  @Override
  protected long hitCount() {
    return count(Counts::hits);
  }

  @Override
  protected Long missCount() {
    return count(Counts::misses);
  }

  /** Not counted. */
  @Override
  protected @Nullable Long evictionCount() {
    return null;
  }

  @Override
  protected long putCount() {
    return count(Counts::compiles);
  }

  private long count(ToLongFunction<Counts> field) {
    CacheManager cache = getCache();
    return cache == null ? 0 : field.applyAsLong(cache.statistics());
  }

  @Override
  protected void bindImplementationSpecificMetrics(MeterRegistry registry) {
    CacheManager cache = getCache();
    if (cache == null) {
      return;
    }
    counter(cache, "kcache.hits", Counts::memoryHits)
        .tag("tier", "memory")
        .description("Requests served from memory")
        .register(registry);
    counter(cache, "kcache.hits", Counts::diskHits)
        .tag("tier", "disk")
        .description("Requests served from disk, layers included")
        .register(registry);
    counter(cache, "kcache.hits", Counts::remoteHits)
        .tag("tier", "remote")
        .description("Requests served from a remote")
        .register(registry);
    counter(cache, "kcache.uploads", Counts::uploads)
        .tag("result", "success")
        .description("Compiled results written to each remote")
        .register(registry);
    counter(cache, "kcache.uploads", Counts::droppedUploads)
        .tag("result", "failure")
        .description("Compiled results not written to each remote")
        .register(registry);
    counter(cache, "kcache.compiles", Counts::compiles)
        .tag("result", "success")
        .description("Compiles that succeeded")
        .register(registry);
    counter(cache, "kcache.compiles", Counts::failedCompiles)
        .tag("result", "failure")
        .description("Compiles that failed")
        .register(registry);
    counter(cache, "kcache.not.kept", Counts::notKept)
        .description("Compiled results that could not be written to disk")
        .register(registry);
    timer(
            cache,
            "kcache.compile.time",
            counts -> counts.compiles() + counts.failedCompiles(),
            counts -> counts.compileTime().toNanos())
        .description("Time spent in the compiler")
        .register(registry);
    timer(
            cache,
            "kcache.saved.time",
            counts -> counts.diskHits() + counts.remoteHits(),
            counts -> counts.savedTime().toNanos())
        .description("Time that hits on the disk and in remotes would have spent in the compiler")
        .register(registry);
  }

  private FunctionCounter.Builder<CacheManager> counter(
      CacheManager cache, String name, ToLongFunction<Counts> field) {
    return FunctionCounter.builder(name, cache, each -> field.applyAsLong(each.statistics()))
        .tags(getTagsWithCacheName());
  }

  private FunctionTimer.Builder<CacheManager> timer(
      CacheManager cache, String name, ToLongFunction<Counts> count, ToLongFunction<Counts> nanos) {
    return FunctionTimer.builder(
            name,
            cache,
            each -> count.applyAsLong(each.statistics()),
            each -> nanos.applyAsLong(each.statistics()),
            TimeUnit.NANOSECONDS)
        .tags(getTagsWithCacheName());
  }
}
