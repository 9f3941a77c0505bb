// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import java.util.List;
import java.util.Set;

/** One piece of a prewarm's work: a source and a target to have a code object for. */
record Task(Source named, TargetId target) {
  /** A source with the user's name for it: the file as given, or the name in the catalogue. */
  sealed interface Source {
    String label();

    /**
     * Returns the source.
     *
     * @throws InvalidKernelSourceException if it is refused
     */
    KernelSource source();

    /** Returns the targets that a manifest names for it; none if nothing does. */
    Set<TargetId> targets();
  }

  /** A source that can be compiled. */
  record Accepted(String label, KernelSource source, Set<TargetId> targets) implements Source {
    /** Takes a source for which no manifest names a target. */
    Accepted(String label, KernelSource source) {
      this(label, source, Set.of());
    }
  }

  /** A source that cannot be keyed. */
  record Refused(String label, InvalidKernelSourceException refusal, Set<TargetId> targets)
      implements Source {
    @Override
    public KernelSource source() {
      throw refusal;
    }
  }

  String label() {
    return named.label();
  }

  /** Returns what tells the task from all that give something else. */
  Object identity() {
    return List.of(source().digest(), target);
  }

  /** As {@link Source#source}. */
  KernelSource source() {
    return named.source();
  }
}
