// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.nio.file.Path;

/**
 * A program of ROCm's.
 *
 * @param file where it was found; perhaps a link
 * @param root the ROCm that it belongs to, links followed
 */
public record RocmProgram(Path file, RocmRoot root) {
  static RocmProgram of(Path file, boolean windows) {
    return new RocmProgram(file, RocmRoot.ofProgram(file, windows));
  }
}
