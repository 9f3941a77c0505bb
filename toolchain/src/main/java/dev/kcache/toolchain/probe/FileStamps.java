// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The stamps of the toolchain's files, each taken once per {@link #INTERVAL}. The answers about one
 * toolchain depend on the same few hundred files, and with many targets there are many answers.
 *
 * <p>Safe for use by any number of threads.
 */
public final class FileStamps {
  /** For how long a look at a file holds. */
  public static final Duration INTERVAL = Duration.ofSeconds(2);

  /**
   * One interval, and what the files that somebody asked for in it were like. Whoever believes it
   * asks again when it is over, not an interval after having asked.
   */
  public static final class Round {
    private final Instant began;
    private final ConcurrentHashMap<String, FileStamp> stamps = new ConcurrentHashMap<>();

    private Round(Instant began) {
      this.began = began;
    }

    /** Returns when it began: no stamp of it is older. */
    Instant began() {
      return began;
    }

    /** Returns the stamp of the file with this name, as {@link FileStamp#of(String)}. */
    FileStamp of(String file) {
      FileStamp known = stamps.get(file);
      if (known == null) {
        known = FileStamp.of(file);
        stamps.put(file, known);
      }
      return known;
    }
  }

  private final InstantSource clock;
  private volatile @Nullable Round round;

  public FileStamps(InstantSource clock) {
    this.clock = clock;
  }

  /** Returns the round that is going on, or a new one. */
  public Round round() {
    Instant now = clock.instant();
    Round current = round;
    if (current == null || isOver(current, now)) {
      current = new Round(now);
      round = current;
    }
    return current;
  }

  /** Has a file looked at again that was just replaced. */
  void forget(Path file) {
    Round current = round;
    if (current != null) {
      current.stamps.remove(file.toString());
    }
  }

  private boolean isOver(Round round, Instant now) {
    return now.isBefore(round.began()) || !now.isBefore(round.began().plus(INTERVAL));
  }
}
