// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;

/** Finds the files that a Rust source reads. */
public final class RustScanner {
  private RustScanner() {}

  /** Returns the closure of a file that the snapshot can read. */
  public static IncludeClosure scan(
      SourceSnapshot snapshot, SourcePath main, String display, List<SourcePath> headers) {
    return IncludeClosure.of(snapshot, main, display, true);
  }
}
