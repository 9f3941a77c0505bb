// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of the machine that a compiler runs on.
 *
 * @param <P> the paths of that machine
 */
public interface CompilerFiles<P extends Comparable<? super P>> {
  /** Those of this machine. */
  CompilerFiles<Path> LOCAL =
      new CompilerFiles<>() {
        @Override
        public Path path(String text) {
          return Path.of(text);
        }

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

  /** Returns the path that a compiler spells so. */
  P path(String text);

  /** Returns whether a path leads to a regular file. */
  boolean isRegularFile(P path);

  /** As {@link ToolchainPaths#normalise}. */
  P normalise(P path);

  /** As {@link ToolchainPaths#canonical}. */
  P canonical(P path);
}
