// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;

/** Leaves damaged files where they are: in a directory that is not ours to mend. */
final class ReadOnlyReader implements CheckedReader {

  @Override
  public <T> Optional<T> readAgain(Path file, Check<T> check) {
    try {
      return check.read(file);
    } catch (DamagedEntryException e) {
      log().log(Level.DEBUG, () -> file + " is damaged and passed over", e);
      return Optional.empty();
    }
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(ReadOnlyReader.class.getName());
  }
}
