// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

/** Which records may serve a request, and whether a miss may be compiled. */
public enum CachePolicy {
  /**
   * A record made by exactly the toolchain that is present; without a toolchain, the newest record.
   * A miss is compiled.
   */
  AUTO,

  /** The newest record, whichever toolchain of the same label made it. A miss is compiled. */
  PREFER_CACHE,

  /** The newest record, as for {@link #PREFER_CACHE}. A miss is a {@link CacheMissException}. */
  SEALED
}
