// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** How long each stage of a piece of work took. */
final class Stages {
  private final LongSupplier nanoTime;
  private final List<Stage> done = new ArrayList<>();

  /**
   * A stage that is done.
   *
   * @param name what was done
   * @param elapsed how long that took
   */
  record Stage(String name, Duration elapsed) {}

  /** Creates an empty list of stages that reads the given clock. */
  Stages(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Does a stage; returns what it gives. */
  <T> T time(String name, Supplier<T> work) {
    long start = nanoTime.getAsLong();
    T result = work.get();
    done.add(new Stage(name, Duration.ofNanos(nanoTime.getAsLong() - start)));
    return result;
  }

  /** Does a stage. */
  void time(String name, Runnable work) {
    time(
        name,
        () -> {
          work.run();
          return true;
        });
  }

  /** Returns the stages that are done, in order. */
  List<Stage> done() {
    return List.copyOf(done);
  }
}
