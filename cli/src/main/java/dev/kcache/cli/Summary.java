// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cli.Outcome.Status;
import java.time.Duration;
import java.util.List;

/**
 * A prewarm in numbers.
 *
 * @param hits tasks that the cache served
 * @param compiled tasks that were compiled
 * @param missing tasks that a dry run found nothing for
 * @param failed tasks that failed
 * @param notDone tasks that had not ended when the run was stopped
 * @param notKept code objects that could not be written to disk
 * @param saved how long the hits would have taken to compile
 * @param bytes the size of all code objects
 */
record Summary(
    long hits,
    long compiled,
    long missing,
    long failed,
    long notDone,
    long notKept,
    Duration saved,
    long bytes) {

  /** Returns the numbers of a run that was to do {@code total} tasks. */
  static Summary of(List<Outcome> outcomes, int total) {
    return new Summary(
        count(outcomes, Status.HIT),
        count(outcomes, Status.COMPILED),
        count(outcomes, Status.MISS),
        count(outcomes, Status.FAILED),
        total - outcomes.size(),
        outcomes.stream().filter(o -> o.status() != Status.FAILED && !o.kept()).count(),
        outcomes.stream()
            .filter(outcome -> outcome.status() == Status.HIT)
            .map(Outcome::compileTime)
            .reduce(Duration.ZERO, Duration::plus),
        outcomes.stream().mapToLong(Outcome::size).sum());
  }

  /** Returns the one line that ends a run that took {@code elapsed}. */
  String line(Duration elapsed) {
    StringBuilder line = new StringBuilder();
    line.append(Text.count(hits, "hit"));
    line.append(", ").append(compiled).append(" compiled");
    if (missing > 0) {
      line.append(", ").append(missing).append(" to compile");
    }
    line.append(", ").append(failed).append(" failed");
    if (notDone > 0) {
      line.append(", ").append(notDone).append(" not done");
    }
    line.append("; ").append(Text.duration(saved)).append(" saved");
    line.append(", ").append(Text.bytes(bytes));
    line.append(", in ").append(Text.duration(elapsed));
    return line.toString();
  }

  /** Writes the numbers of a run that took {@code elapsed}. */
  void writeTo(Json json, Duration elapsed) {
    json.put("hits", hits)
        .put("compiled", compiled)
        .put("misses", missing)
        .put("failed", failed)
        .put("notDone", notDone)
        .put("notKept", notKept)
        .put("savedSeconds", saved)
        .put("size", bytes)
        .put("elapsedSeconds", elapsed);
  }

  private static long count(List<Outcome> outcomes, Status status) {
    return outcomes.stream().filter(outcome -> outcome.status() == status).count();
  }
}
