// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

/**
 * One of those that are measured by turns.
 *
 * @param name what it is called in the table
 * @param prepare done before each run, and not timed
 * @param timed what is measured
 * @param check done after each run, and not timed: throws if the work was not done as supposed
 */
record Side(String name, Runnable prepare, Runnable timed, Runnable check) {
  /** Returns a side that is only timed. */
  static Side of(String name, Runnable timed) {
    return new Side(name, () -> {}, timed, () -> {});
  }
}
