// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.nio.file.Files;
import java.nio.file.Path;

/** The files of the machine that a compiler runs on. */
public interface CompilerFiles {
  /** Those of this machine. */
  CompilerFiles LOCAL =
      new CompilerFiles() {
        @Override
        public boolean isRegularFile(Path path) {
          return Files.isRegularFile(path);
        }

        @Override
        public Path normalise(Path path) {
          return ToolchainPaths.normalise(path);
        }

        @Override
        public Path canonical(Path path) {
          return ToolchainPaths.canonical(path);
        }
      };

  /** Returns whether a path leads to a regular file. */
  boolean isRegularFile(Path path);

  /** As {@link ToolchainPaths#normalise}. */
  Path normalise(Path path);

  /** As {@link ToolchainPaths#canonical}. */
  Path canonical(Path path);
}
