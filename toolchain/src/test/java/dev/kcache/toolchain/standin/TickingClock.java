// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until told, long after any file of the test changed. */
public final class TickingClock implements InstantSource {
  private Instant now = Instant.now().plus(Duration.ofHours(1));

  public void pass(Duration duration) {
    now = now.plus(duration);
  }

  @Override
  public Instant instant() {
    return now;
  }
}
