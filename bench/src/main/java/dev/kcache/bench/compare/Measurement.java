// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.util.List;

/** Measures the rows of one group. */
interface Measurement {
  /**
   * Measures.
   *
   * @throws CommandFailedException if a program fails
   */
  List<Line> measure();
}
