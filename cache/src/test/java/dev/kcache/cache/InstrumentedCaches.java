// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.FileOperations;

/** Managers whose steps on the disk are under a test's control. */
public final class InstrumentedCaches {
  private InstrumentedCaches() {}

  /** Returns a builder of managers that change their cache directory by way of {@code files}. */
  public static CacheManagerBuilder builder(FileOperations files) {
    CacheManagerBuilder builder = CacheManager.builder();
    builder.files = root -> files;
    return builder;
  }
}
