// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.explain;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What compiling an entry's source again showed.
 *
 * @param directory the cache directory or layer that holds the entry
 * @param entry the record
 * @param codeObject the digest of what the compile gave; empty if nothing was compiled, since the
 *     compiler is not the one that made the entry
 * @param differences how the compiler or its headers differ from those that made the entry; none if
 *     the bytes are the same
 * @param quarantined whether the entry was moved to quarantine
 * @param gone whether the compile gave other bytes, and somebody else has removed or replaced the
 *     entry meanwhile or moved it to quarantine
 */
public record Recompilation(
    Path directory,
    CacheEntry entry,
    Optional<Digest> codeObject,
    List<Difference> differences,
    boolean quarantined,
    boolean gone) {
  /**
   * Copies the list.
   *
   * @param directory as {@link #directory()}
   * @param entry as {@link #entry()}
   * @param codeObject as {@link #codeObject()}
   * @param differences as {@link #differences()}; copied
   * @param quarantined as {@link #quarantined()}
   * @param gone as {@link #gone()}
   */
  public Recompilation {
    differences = List.copyOf(differences);
  }

  /** {@return whether the compile gave the entry's bytes; false if nothing was compiled} */
  public boolean isSame() {
    return codeObject.equals(Optional.of(entry.codeObject()));
  }

  /**
   * {@return whether the entry is wrong: the same inputs gave other bytes} False if nobody can
   * tell, since the compiler or its headers are others, or the entry is gone.
   */
  public boolean isWrong() {
    return !isSame() && differences.isEmpty() && !gone;
  }
}
