// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The stamps of the toolchain's files, each taken once per {@link #INTERVAL}. All answers about a
 * toolchain depend on the same few hundred files.
 *
 * <p>Safe for use by any number of threads.
 */
public final class FileStamps {
  /** How long a stamp is taken as current. */
  public static final Duration INTERVAL = Duration.ofSeconds(2);

  /**
   * One interval, and the stamps that were taken in it. What was checked in a round is checked
   * again in the next one.
   */
  public static final class Round {
    private final Instant began;
    private final ConcurrentHashMap<String, FileStamp> stamps = new ConcurrentHashMap<>();

    private Round(Instant began) {
      this.began = began;
    }

    /** Returns when the round began; none of its stamps is older. */
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

  /** Returns the current round; begins a new one if it is over. */
  public Round round() {
    Instant now = clock.instant();
    Round current = round;
    if (current == null || isOver(current, now)) {
      current = new Round(now);
      round = current;
    }
    return current;
  }

  /** Forgets the stamp of a file that was just replaced. */
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
