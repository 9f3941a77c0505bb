// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** A direction for {@link Operations#argsort}. */
public enum SortOrder {
  /** The smallest element first, NaNs last. */
  ASCENDING,
  /** NaNs first, then the greatest element. */
  DESCENDING
}
