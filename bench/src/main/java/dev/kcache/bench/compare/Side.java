// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

/**
 * One of several sides that are measured alternately.
 *
 * @param name its name in the table
 * @param prepare runs before each run, not timed
 * @param timed the measured work
 * @param check runs after each run, not timed; throws if the work was not done
 */
record Side(String name, Runnable prepare, Runnable timed, Runnable check) {
  /** Returns a side without preparation and check. */
  static Side of(String name, Runnable timed) {
    return new Side(name, () -> {}, timed, () -> {});
  }
}
