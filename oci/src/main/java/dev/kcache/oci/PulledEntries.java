// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import java.util.List;

/**
 * What became of the entries of an image that was pulled. Immutable.
 *
 * @param copied how many were written to the directory
 * @param present how many were there already
 * @param refused how many were damaged, and not copied
 * @param failed how many could not be written
 * @param skipped how many are of another version of kcache
 * @param bytes the size in bytes of the code objects that were copied
 * @param problems a line for each problem, perhaps with characters that are not to be printed
 */
public record PulledEntries(
    long copied,
    long present,
    long refused,
    long failed,
    long skipped,
    long bytes,
    List<String> problems) {
  /**
   * Copies the list.
   *
   * @param copied how many were written to the directory
   * @param present how many were there already
   * @param refused how many were damaged, and not copied
   * @param failed how many could not be written
   * @param skipped how many are of another version of kcache
   * @param bytes the size in bytes of the code objects that were copied
   * @param problems a line for each problem, perhaps with characters that are not to be printed
   */
  public PulledEntries {
    problems = List.copyOf(problems);
  }
}
