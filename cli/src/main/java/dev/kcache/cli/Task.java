// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;

/**
 * One piece of a prewarm's work: a source and a target to have a code object for.
 *
 * @param named the source, and how the user knows it
 * @param target the target
 */
record Task(NamedSource named, TargetId target) {
  /** Creates the task of a source that can be compiled. */
  Task(String label, KernelSource source, TargetId target) {
    this(new NamedSource.Accepted(label, source), target);
  }

  /** Returns the file as it was given, or the name in the catalogue. */
  String label() {
    return named.label();
  }

  /**
   * Returns the source.
   *
   * @throws dev.kcache.cache.InvalidKernelSourceException if it is refused
   */
  KernelSource source() {
    return named.source();
  }
}
