// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.stream.Collectors.joining;

import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.NearEntry;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.codeobject.TargetId;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Tells why the cache lacks something, and refuses to compile it if so wished. Safe for use by any
 * number of threads.
 */
final class Misses {
  private final CachePolicy policy;
  private final Explainer explainer;
  private final MissReasons reasons;
  private volatile boolean sealed;

  Misses(CachePolicy policy, Explainer explainer, MissReasons reasons) {
    this.policy = policy;
    this.explainer = explainer;
    this.reasons = reasons;
  }

  /** Returns why a lookup found nothing, as {@link MissReasons} tells. */
  CacheEvent.Reason reason(@Nullable RequestKey key) {
    return reasons.of(key);
  }

  /** Refuses from now on, whatever the policy. */
  void seal() {
    sealed = true;
  }

  boolean isSealed() {
    return sealed;
  }

  /**
   * Refuses a compile if it may not be.
   *
   * @throws CacheMissException if so
   */
  void check(KernelSource source, TargetId target) {
    if (sealed) {
      throw refused(source, target);
    }
    if (policy == CachePolicy.SEALED) {
      throw new CacheMissException(
          describe(source, target, "KCACHE_POLICY=sealed forbids compiling it"));
    }
  }

  /** Logs a miss of a sealed cache; returns what is thrown for it. */
  CacheMissException refused(KernelSource source, TargetId target) {
    String message = describe(source, target, "the cache is sealed");
    System.getLogger(Misses.class.getName()).log(Level.WARNING, message);
    return new CacheMissException(message);
  }

  private String describe(KernelSource source, TargetId target, String reason) {
    String toolchain = "";
    String nearest;
    try {
      Explainer.Lack lack = explainer.lack(source, target);
      toolchain = lack.label().map(label -> " with toolchain " + label).orElse("");
      nearest = lack.nearest().map(Misses::differences).orElseGet(explainer::nothingNear);
    } catch (KcacheException e) {
      // The compiler does not even take the request.
      nearest = String.valueOf(e.getMessage());
    }
    return "%s for %s%s (request %s) is not in the cache, and %s; prewarm it; %s"
        .formatted(
            source.name(),
            target,
            toolchain,
            RequestKey.describe(source, target).digest(),
            reason,
            nearest);
  }

  private static String differences(NearEntry near) {
    return near.differences().isEmpty()
        ? "it came there meanwhile"
        : near.differences().stream()
            .map(Difference::text)
            .collect(joining(", ", "the nearest entry differs: ", ""));
  }
}
