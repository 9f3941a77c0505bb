// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.probe.ProbeCache;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Remembers the kinds of jobs that were compiled last on this host.
 *
 * <p>Safe for use by any number of threads and processes. If two processes add a kind at once, one
 * of the two may be lost.
 */
final class RepeatedJobs {
  private static final int MOST = 256;

  private final ProbeCache cache;
  private final Set<String> known = new LinkedHashSet<>();
  private boolean read;

  RepeatedJobs(ProbeCache cache) {
    this.cache = cache;
  }

  /** Adds a kind of job and returns whether it was known before. */
  synchronized boolean isRepeated(Digest kind) {
    if (!read) {
      known.addAll(cache.readJobs());
      read = true;
    }
    if (known.contains(kind.toString())) {
      return true;
    }
    // Other processes may have added theirs meanwhile.
    known.addAll(cache.readJobs());
    known.add(kind.toString());
    known.removeAll(known.stream().limit(Math.max(0, known.size() - MOST)).toList());
    cache.writeJobs(known);
    return false;
  }
}
