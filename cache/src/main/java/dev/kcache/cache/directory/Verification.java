// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.directory;

import java.nio.file.Path;
import java.util.List;

/**
 * The result of verifying a cache directory and its layers.
 *
 * @param directories the roots of the cache directory and of the layers that were verified
 * @param records how many records were read
 * @param codeObjects how many code objects were read
 * @param bytes their size
 * @param findings what is or was wrong, by directory, each in the order of the names
 */
public record Verification(
    List<Path> directories, long records, long codeObjects, long bytes, List<Finding> findings) {
  /**
   * Copies the lists.
   *
   * @param directories as {@link #directories()}; copied
   * @param records as {@link #records()}
   * @param codeObjects as {@link #codeObjects()}
   * @param bytes as {@link #bytes()}
   * @param findings as {@link #findings()}; copied
   */
  public Verification {
    directories = List.copyOf(directories);
    findings = List.copyOf(findings);
  }

  /**
   * {@return whether nothing is wrong any more: there are no findings, or each has been repaired}
   */
  public boolean isSound() {
    return findings.stream().allMatch(Finding::repaired);
  }
}
