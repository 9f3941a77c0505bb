// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;

/**
 * A question to the cache: a source with its options, a target, and the label to look under. The
 * toolchain is not part of it.
 *
 * @param digest of the source, its include closure, the options and the target; the same under
 *     every label
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
}
