// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The steps on Windows, where other programs hold files open: for a number of tries these can be
 * neither replaced nor renamed nor deleted, and Windows says so in one of its two ways. Pauses are
 * counted and not waited for.
 */
final class NtfsFileOperations extends WindowsFileOperations {
  /** As Windows words it. */
  static final String SHARING_VIOLATION =
      "The process cannot access the file because it is being used by another process";

  private final Map<Path, Integer> held = new HashMap<>();
  private boolean deniesAccess;
  private Duration paused = Duration.ZERO;

  /** Holds a file open for so many tries. */
  void hold(Path file, int tries) {
    held.put(file, tries);
  }

  /** As older Windows and MoveFileEx do, which don't say why. */
  void denyAccess() {
    deniesAccess = true;
  }

  Duration paused() {
    return paused;
  }

  @Override
  void move(Path from, Path to) throws IOException {
    check(from, to);
    check(to, from);
    super.move(from, to);
  }

  @Override
  void remove(Path path) throws IOException {
    check(path, path);
    super.remove(path);
  }

  private void check(Path file, Path other) throws FileSystemException {
    int tries = held.getOrDefault(file, 0);
    if (tries > 0 && Files.exists(file)) {
      held.put(file, tries - 1);
      throw deniesAccess
          ? new AccessDeniedException(file.toString(), other.toString(), null)
          : new FileSystemException(file.toString(), other.toString(), SHARING_VIOLATION);
    }
  }

  @Override
  void pause(Duration duration) {
    paused = paused.plus(duration);
  }
}
