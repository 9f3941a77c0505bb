// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.directory;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The state of a cache directory or a layer, from the names and the records in it. No code object
 * is read, so damage inside one does not show here. A directory that cannot be read counts nothing.
 *
 * @param root its root
 * @param exists whether it exists; the cache directory is made when it is first written
 * @param fault one line that says why it cannot be read, written or trusted; writing was tried if
 *     it is the cache directory and exists
 * @param lockFault why compiles of several processes are not kept apart: the file system has no
 *     locks; always empty for a layer, where nothing is locked
 * @param counts what is in it
 * @param bytes what clearing it would free on the disk, as far as nobody is busy with it
 * @param freeBytes the room for this user on its file system
 */
public record DirectoryHealth(
    Path root,
    boolean exists,
    Optional<String> fault,
    Optional<String> lockFault,
    Counts counts,
    long bytes,
    long freeBytes) {

  /**
   * How many records and other files there are.
   *
   * @param entries records that can be read and have their code object
   * @param incomplete records whose code object is gone: misses
   * @param unusable records that are damaged, can't be read or can't be trusted: misses
   * @param quarantined damaged files that were moved aside; removed after a week
   * @param leftovers files that are being written, or that a killed writer left; removed after a
   *     day
   */
  public record Counts(
      long entries, long incomplete, long unusable, long quarantined, long leftovers) {}
}
