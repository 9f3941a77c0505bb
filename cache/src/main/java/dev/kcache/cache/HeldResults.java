// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import org.jspecify.annotations.Nullable;

/** Results by their keys. Reading them is safe for any number of threads at any moment. */
interface HeldResults {
  @Nullable Held get(RequestKey key);

  /** Puts a result, in place of another one of that key. */
  void put(RequestKey key, Held held);

  /** Drops a result, unless another one took its place. */
  void remove(RequestKey key, Held held);
}
