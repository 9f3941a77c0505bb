// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;

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
  }

  /** A source that can be compiled. */
  record Accepted(String label, KernelSource source) implements Source {}

  /** A source that cannot be keyed. */
  record Refused(String label, InvalidKernelSourceException refusal) implements Source {
    @Override
    public KernelSource source() {
      throw refusal;
    }
  }

  String label() {
    return named.label();
  }

  /** As {@link Source#source}. */
  KernelSource source() {
    return named.source();
  }
}
