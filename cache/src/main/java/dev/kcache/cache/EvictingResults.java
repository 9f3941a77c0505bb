// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/** As many results as a limit allows, those that are asked for most often and lately. */
final class EvictingResults implements HeldResults {
  private final Cache<RequestKey, Held> results;

  EvictingResults(long maximumBytes) {
    results =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(maximumBytes)
            .weigher((RequestKey key, Held held) -> held.weight())
            .build();
  }

  @Override
  public @Nullable Held get(RequestKey key) {
    return results.getIfPresent(key);
  }

  @Override
  public void put(RequestKey key, Held held) {
    results.put(key, held);
  }

  @Override
  public void remove(RequestKey key, Held held) {
    results.asMap().remove(key, held);
  }
}
