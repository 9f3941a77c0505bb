// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import java.time.Duration;

/**
 * How long a command is waited for. As long as no worker has run one, it is not queued for much
 * longer than its own limit: there may be no worker at all.
 *
 * @param queue the longest time until a worker takes a command, unless no worker has run one and
 *     its limit and the grace are less
 * @param grace how long what is beside running it may take: sending files, and the answer
 * @param outage how long a server that has answered before is tried again
 * @param repeats how often a command is sent again after a worker or the server has failed
 */
record ExecutionBounds(Duration queue, Duration grace, Duration outage, int repeats) {
  static final ExecutionBounds DEFAULT =
      new ExecutionBounds(Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofMinutes(1), 3);

  private static final Duration LONGEST = Duration.ofDays(30);
  private static final Duration USUAL = Duration.ofMinutes(10);

  /**
   * Returns the limit of the action for a command. Commands that differ in their own limits alone
   * are one action, unless these are long: whoever waits ends its wait by itself.
   */
  static Duration ofAction(Duration limit) {
    if (limit.compareTo(USUAL) <= 0) {
      return USUAL;
    }
    Duration hours = Duration.ofHours(shorter(limit, LONGEST).toHours());
    return hours.compareTo(shorter(limit, LONGEST)) < 0 ? hours.plusHours(1) : hours;
  }

  Duration untilTaken(Duration limit) {
    return shorter(untilDone(limit), queue);
  }

  Duration untilDone(Duration limit) {
    return shorter(limit, LONGEST).plus(grace);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
