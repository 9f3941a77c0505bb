// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Removes the temporary files, staging directories and beats of killed writers, and old quarantined
 * files.
 *
 * <p>Only its age tells a leftover from a file in use, so the limit is far above the time that any
 * write or compile takes. Ages are differences between times of one file system, since the clock of
 * a file server may differ from ours. A sweep is due an hour after the last one of any process. It
 * looks at a bounded number of names in random order; later sweeps see the others. Safe for use by
 * any number of threads and processes at once.
 */
final class Sweeper {
  static final Duration LEFTOVER_AGE = Duration.ofHours(24);
  static final Duration QUARANTINE_AGE = Duration.ofDays(7);
  private static final int MAX_NAMES = 20_000;

  private final DirectoryLayout directory;
  private final FileOperations files;
  private final RateLimit turn;

  Sweeper(DirectoryLayout directory, FileOperations files, Access access) {
    this.directory = directory;
    this.files = files;
    turn = new RateLimit(directory, files, access, directory.sweepMark());
  }

  /** Sweeps if no process has done so for an hour. Failures are ignored. */
  void sweepIfDue() {
    try {
      turn.takeIfDue().ifPresent(this::sweep);
    } catch (IOException e) {
      return;
    }
  }

  private void sweep(Instant now) {
    Instant leftover = now.minus(LEFTOVER_AGE);
    removeOlder(directory.listing().stagings(), leftover);
    removeOlder(directory.listing().allBeats(), leftover);
    removeOlder(directory.listing().quarantined(), now.minus(QUARANTINE_AGE));
    removeOlder(temporaries(), leftover);
  }

  private List<Path> temporaries() {
    List<Path> found = new ArrayList<>(directory.listing().temporariesIn(directory.root()));
    found.addAll(directory.listing().temporariesIn(directory.usage()));
    List<Path> targets = new ArrayList<>(directory.listing().targetDirectories());
    Collections.shuffle(targets);
    int names = 0;
    for (Path target : targets) {
      found.addAll(directory.listing().temporariesIn(target));
      List<Path> children = DirectoryListing.list(target);
      Collections.shuffle(children);
      for (Path child : children) {
        if (++names > MAX_NAMES) {
          return found;
        }
        found.addAll(directory.listing().temporariesIn(child));
      }
    }
    return found;
  }

  private void removeOlder(List<Path> paths, Instant bound) {
    FileRemover removal = FileRemover.by(files);
    for (Path path : paths) {
      try {
        if (isOlder(path, bound)) {
          removal.removeTree(path);
        }
      } catch (IOException e) {
        // Another sweep was faster, or we may not remove it.
      }
    }
  }

  /** One system call: between two, a writer could give the file its final name. */
  private static boolean isOlder(Path path, Instant bound) throws IOException {
    return Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(bound);
  }
}
