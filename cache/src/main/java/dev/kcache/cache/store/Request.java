// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of the cache: a source with its options, for one target, under one label. Which
 * toolchain answers it is not part of it.
 *
 * @param digest of the source, its include closure, the options, the target and the label
 * @param target what to compile for
 * @param label the toolchain's label
 */
public record Request(Digest digest, TargetId target, ToolchainLabel label) {

  /** Returns the request that {@code entry} answers. */
  public static Request of(CacheEntry entry) {
    return new Request(entry.request(), entry.target(), entry.label());
  }

  /** Returns the request of that digest, of the same target and label. */
  Request with(Digest other) {
    return new Request(other, target, label);
  }

  /** By hand, as {@link #hashCode}: the JVM's own take a process 25 ms when first called. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Request that
        && digest.equals(that.digest)
        && target.equals(that.target)
        && label.equals(that.label);
  }

  @Override
  public int hashCode() {
    return digest.hashCode();
  }
}
