// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.Revocation;

/** A record is what its name promises, and must not serve any more. */
final class RevokedEntryException extends DamagedEntryException {
  private static final long serialVersionUID = 1L;

  private final transient CacheEntry entry;
  private final transient Revocation revocation;

  RevokedEntryException(CacheEntry entry, Revocation revocation) {
    super("revoked: " + revocation.reason());
    this.entry = entry;
    this.revocation = revocation;
  }

  CacheEntry entry() {
    return entry;
  }

  Revocation revocation() {
    return revocation;
  }
}
