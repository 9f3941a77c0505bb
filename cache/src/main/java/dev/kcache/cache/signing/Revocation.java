// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import dev.kcache.cache.directory.CacheEntry;
import java.time.Instant;

/**
 * What must not serve any more.
 *
 * @param kind what is revoked
 * @param what the digest or the name
 * @param reason for whoever meets it
 * @param time when it was revoked, to a millisecond
 */
public record Revocation(Kind kind, String what, String reason, Instant time) {
  /** The parts of a record by which entries are revoked. */
  public enum Kind {
    /** A code object, by its digest. */
    CODE,
    /** What was made of sources of a name before the time of the revocation. */
    SOURCE,
    /** All that a toolchain makes, by its identity. */
    TOOLCHAIN
  }

  /** The most characters of a reason, or of the name of a source. */
  public static final int LONGEST_TEXT = 4096;

  /** {@return one line that says since when, and why} */
  public String text() {
    return "revoked on " + time + ": " + reason;
  }

  boolean covers(CacheEntry entry) {
    return switch (kind) {
      case CODE -> what.equals(entry.codeObject().toString());
      case SOURCE -> what.equals(entry.source()) && entry.created().isBefore(time);
      case TOOLCHAIN -> what.equals(entry.toolchain().toString());
    };
  }
}
