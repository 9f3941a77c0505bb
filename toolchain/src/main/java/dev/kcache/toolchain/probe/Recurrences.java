// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Digest;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Tells what is wanted for the second time on this host; only the latest wishes are remembered.
 *
 * <p>Safe for use by any number of threads and processes; of two that wish at once, one may be
 * forgotten.
 */
public final class Recurrences {
  private static final int MOST = 256;

  private final ProbeCache memo;
  private final Set<String> known = new LinkedHashSet<>();
  private boolean read;

  public Recurrences(ProbeCache memo) {
    this.memo = memo;
  }

  /** Returns whether the same was wanted before. */
  public synchronized boolean isWantedAgain(Digest wish) {
    if (!read) {
      known.addAll(memo.readWanted());
      read = true;
    }
    if (known.contains(wish.toString())) {
      return true;
    }
    // Others may have added theirs meanwhile.
    known.addAll(memo.readWanted());
    known.add(wish.toString());
    known.removeAll(known.stream().limit(Math.max(0, known.size() - MOST)).toList());
    memo.writeWanted(known);
    return false;
  }
}
