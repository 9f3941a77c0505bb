// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Results of which none has to go yet. Changed by one thread at a time. */
final class FittingResults implements HeldResults {
  private final ConcurrentHashMap<RequestKey, Held> results = new ConcurrentHashMap<>();
  private long bytes;

  @Override
  public @Nullable Held get(RequestKey key) {
    return results.get(key);
  }

  @Override
  public void put(RequestKey key, Held held) {
    Held before = results.put(key, held);
    bytes += held.weight() - (before == null ? 0 : before.weight());
  }

  @Override
  public void remove(RequestKey key, Held held) {
    if (results.remove(key, held)) {
      bytes -= held.weight();
    }
  }

  /** Returns what they weigh together. */
  long bytes() {
    return bytes;
  }

  /** Returns the same results under a limit that they may exceed from now on. */
  EvictingResults limitedTo(long maximumBytes) {
    EvictingResults limited = new EvictingResults(maximumBytes);
    results.forEach(limited::put);
    return limited;
  }
}
