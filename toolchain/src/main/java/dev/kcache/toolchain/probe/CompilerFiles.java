// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.rocm.HostSystem;
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
        public boolean isAbsolute(String text) {
          return HostSystem.isWindows() ? isAbsoluteOnWindows(text) : text.startsWith("/");
        }

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

  /** Returns whether a word is an absolute path of that machine. */
  default boolean isAbsolute(String text) {
    return text.startsWith("/");
  }

  /** Returns whether a word is a path with a drive, or a network's. */
  static boolean isAbsoluteOnWindows(String text) {
    boolean drive =
        text.length() > 2
            && Character.isLetter(text.charAt(0))
            && text.charAt(1) == ':'
            && (text.charAt(2) == '\\' || text.charAt(2) == '/');
    return drive || text.startsWith("\\\\");
  }

  /** Returns the path that a compiler spells so. */
  P path(String text);

  /** Returns whether a path leads to a regular file. */
  boolean isRegularFile(P path);

  /** As {@link ToolchainPaths#normalise}. */
  P normalise(P path);

  /** As {@link ToolchainPaths#canonical}. */
  P canonical(P path);
}
