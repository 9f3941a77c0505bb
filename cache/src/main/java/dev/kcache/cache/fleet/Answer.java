// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import java.util.Optional;

/**
 * What a remote said when it was asked for an entry.
 *
 * @param entry the verified entry, if it has one that serves
 * @param isFinal whether there is no use in asking it again soon
 */
record Answer(Optional<RemoteEntry> entry, boolean isFinal) {
  /** It has none that serves now. */
  static final Answer NONE = new Answer(Optional.empty(), false);

  /** It failed, is left alone, or has one that is wrong. */
  static final Answer FAILED = new Answer(Optional.empty(), true);

  static Answer of(RemoteEntry entry) {
    return new Answer(Optional.of(entry), false);
  }
}
