// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cli.Outcome.Status;
import dev.kcache.cli.ProgressBar.Progress;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A prewarm in numbers. Not safe for use by several threads. */
final class Summary {
  private final int total;
  private final Map<Status, Integer> counts = new EnumMap<>(Status.class);

  /** The targets by the toolchains that made something for them, both in order. */
  private final Map<ToolchainLabel, Set<String>> toolchains = new TreeMap<>();

  private int done;
  private int notKept;
  private Duration compileTime = Duration.ZERO;
  private Duration saved = Duration.ZERO;
  private long bytes;

  /** Creates the summary of a run that is to do {@code total} tasks. */
  Summary(int total) {
    this.total = total;
  }

  /** Counts a task that has ended. */
  void add(Outcome outcome) {
    done++;
    counts.merge(outcome.status(), 1, Integer::sum);
    if (outcome.made() != null) {
      bytes += outcome.made().size();
    }
    if (outcome.made() != null && outcome.made().label() != null) {
      toolchains
          .computeIfAbsent(outcome.made().label(), label -> new TreeSet<>())
          .add(outcome.task().target().toString());
    }
    if (outcome.status() != Status.FAILED && !outcome.kept()) {
      notKept++;
    }
    if (outcome.status() == Status.HIT) {
      saved = saved.plus(outcome.compileTime());
    } else {
      compileTime = compileTime.plus(outcome.compileTime());
    }
  }

  /** Returns how many code objects could not be written to disk. */
  int notKept() {
    return notKept;
  }

  /** Returns whether every task has ended. */
  boolean isComplete() {
    return done == total;
  }

  /** Returns how far the run has come, with {@code parallelism} tasks under way at once. */
  Progress progress(int parallelism, String current) {
    return new Progress(done, count(Status.FAILED), total, remaining(parallelism), current);
  }

  private @Nullable Duration remaining(int parallelism) {
    int compiled = count(Status.COMPILED);
    int rest = total - done;
    // Not by Duration's division, which takes BigDecimal and its classes.
    return compiled == 0
        ? null
        : Duration.ofMillis(
            compileTime.toMillis() / compiled * rest / Math.max(1, Math.min(parallelism, rest)));
  }

  /** Returns the one line that ends a run that took {@code elapsed}. */
  String line(Duration elapsed) {
    StringBuilder line = new StringBuilder();
    line.append(Text.count(count(Status.HIT), "hit"));
    line.append(", ").append(count(Status.COMPILED)).append(" compiled");
    if (count(Status.MISS) > 0) {
      line.append(", ").append(count(Status.MISS)).append(" to compile");
    }
    line.append(", ").append(count(Status.FAILED)).append(" failed");
    if (notKept > 0) {
      line.append(", ").append(notKept).append(" not kept");
    }
    if (!isComplete()) {
      line.append(", ").append(total - done).append(" not done");
    }
    line.append("; ").append(Text.duration(saved)).append(" saved");
    line.append(", ").append(Text.bytes(bytes));
    line.append(", in ").append(Text.duration(elapsed));
    return line.toString();
  }

  /** Returns one line that says what made the code objects of which targets, if several did. */
  Optional<String> toolchains() {
    return toolchains.size() < 2
        ? Optional.empty()
        : Optional.of(
            toolchains.entrySet().stream()
                .map(made -> String.join(", ", made.getValue()) + " with " + made.getKey())
                .collect(Collectors.joining("; ")));
  }

  /** Writes the numbers of a run that took {@code elapsed}. */
  void writeTo(Json json, Duration elapsed) {
    json.put("hits", count(Status.HIT))
        .put("compiled", count(Status.COMPILED))
        .put("misses", count(Status.MISS))
        .put("failed", count(Status.FAILED))
        .put("notDone", total - done)
        .put("notKept", notKept)
        .put("savedSeconds", saved)
        .put("size", bytes)
        .put("elapsedSeconds", elapsed);
  }

  private int count(Status status) {
    return counts.getOrDefault(status, 0);
  }
}
