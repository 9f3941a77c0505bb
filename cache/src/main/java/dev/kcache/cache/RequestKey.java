// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.Digest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a result is kept under.
 *
 * @param request what was asked
 * @param toolchain the identity that a record must have, or null if any will do
 */
record RequestKey(Request request, @Nullable Digest toolchain) {

  /** By hand, as {@link #hashCode}: the JVM's own take a process 25 ms when first called. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RequestKey that
        && request.equals(that.request)
        && Objects.equals(toolchain, that.toolchain);
  }

  @Override
  public int hashCode() {
    return request.hashCode();
  }
}
