// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.probe.Memo;
import dev.kcache.toolchain.process.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How long each source took to compile on this host, by its name and target: good enough to tell
 * which to begin with, whatever has changed in it since.
 *
 * <p>Safe for use by any number of threads and processes; what two of them learn at once may be
 * lost in part.
 */
public final class CompileTimes {
  /** The oldest are forgotten. */
  private static final int MOST = 10_000;

  private final Memo memo;
  private final Map<String, Duration> learnt = new LinkedHashMap<>();
  private @Nullable Map<String, Duration> known;

  private CompileTimes(Memo memo) {
    this.memo = memo;
  }

  /** Returns what is remembered below a directory, or one that remembers nothing. */
  public static CompileTimes in(Optional<Path> memoDirectory) {
    return new CompileTimes(Memo.in(memoDirectory, Host.local()));
  }

  /** Returns how long a source took the last time. */
  public synchronized Optional<Duration> expected(String source, TargetId target) {
    Map<String, Duration> before = known;
    if (before == null) {
      before = memo.readTimes();
      known = before;
    }
    return Optional.ofNullable(before.get(key(source, target)));
  }

  /** Learns how long a source took. */
  public synchronized void learn(String source, TargetId target, Duration elapsed) {
    learnt.put(key(source, target), elapsed);
  }

  /** Keeps what was learnt for later processes. */
  public synchronized void save() {
    if (learnt.isEmpty()) {
      return;
    }
    Map<String, Duration> all = new LinkedHashMap<>(memo.readTimes());
    learnt.forEach(
        (key, elapsed) -> {
          all.remove(key);
          all.put(key, elapsed);
        });
    all.keySet().removeAll(all.keySet().stream().limit(Math.max(0, all.size() - MOST)).toList());
    memo.writeTimes(all);
    learnt.clear();
  }

  private static String key(String source, TargetId target) {
    return target + " " + source;
  }
}
