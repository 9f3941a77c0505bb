// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value made when first asked for. Safe for use by any number of threads, of which one makes it;
 * a failure is thrown and not remembered.
 */
final class Lazy<T> implements Supplier<T> {
  private final Supplier<? extends T> maker;
  private volatile @Nullable T value;

  Lazy(Supplier<? extends T> maker) {
    this.maker = maker;
  }

  @Override
  public T get() {
    T made = value;
    return made != null ? made : make();
  }

  /** Returns the value if it has been made. */
  Optional<T> ifMade() {
    return Optional.ofNullable(value);
  }

  private synchronized T make() {
    T made = value;
    if (made == null) {
      made = maker.get();
      value = made;
    }
    return made;
  }
}
