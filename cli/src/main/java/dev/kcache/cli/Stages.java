// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** How long each stage of a piece of work took. */
final class Stages {
  private final LongSupplier nanoTime;
  private final Map<String, Duration> done = new LinkedHashMap<>();

  Stages(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Does a stage, whose name no other has; returns what it gives. */
  <T> T time(String name, Supplier<T> work) {
    long start = nanoTime.getAsLong();
    T result = work.get();
    done.put(name, Duration.ofNanos(nanoTime.getAsLong() - start));
    return result;
  }

  void time(String name, Runnable work) {
    time(
        name,
        () -> {
          work.run();
          return true;
        });
  }

  /** Returns how long each stage took, in their order. */
  Map<String, Duration> done() {
    return Collections.unmodifiableMap(done);
  }
}
