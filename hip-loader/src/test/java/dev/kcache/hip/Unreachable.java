// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Cleaner;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** Lets the garbage collector find what nobody can reach. */
final class Unreachable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Unreachable() {}

  /** Returns once objects that were unreachable before have been found to be. */
  static void collect() {
    CountDownLatch found = new CountDownLatch(1);
    Cleaner.create().register(new Object(), found::countDown);
    collectUntil(() -> found.getCount() == 0);
  }

  /** Returns once what is done for unreachable objects has made {@code condition} true. */
  static void collectUntil(BooleanSupplier condition) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!condition.getAsBoolean() && Instant.now().isBefore(end)) {
      System.gc();
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }
}
