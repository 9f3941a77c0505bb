// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;

/** Leaves damaged files where they are: in a directory that is not ours to mend. */
final class Bystander implements CheckedReader {
  private static final Logger LOG = System.getLogger(Bystander.class.getName());

  @Override
  public <T> Optional<T> read(Path file, Check<T> check) {
    try {
      return check.read(file);
    } catch (DamagedEntryException e) {
      LOG.log(Level.DEBUG, () -> file + " is damaged and passed over", e);
      return Optional.empty();
    }
  }
}
