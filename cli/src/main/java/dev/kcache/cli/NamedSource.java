// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;

/** A source with the user's name for it. */
sealed interface NamedSource {
  /** Returns the file as it was given, or the name in the catalogue. */
  String label();

  /**
   * Returns the source.
   *
   * @throws InvalidKernelSourceException if it is refused
   */
  KernelSource source();

  /** A source that can be compiled. */
  record Accepted(String label, KernelSource source) implements NamedSource {}

  /** A source that cannot be keyed. */
  record Refused(String label, InvalidKernelSourceException refusal) implements NamedSource {
    @Override
    public KernelSource source() {
      throw refusal;
    }
  }
}
