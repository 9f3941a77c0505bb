// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import java.util.Random;

/**
 * How much of a torture is wanted. The tests' own numbers are for a few seconds; {@code
 * scripts/torture} asks for more. Those tests have the tag {@value #TAG}, and no build runs them
 * without being asked.
 */
public final class Torture {
  /** The tag of the tests that only {@code scripts/torture} runs. */
  public static final String TAG = "torture";

  private Torture() {}

  /** Returns how many rounds to run. */
  public static int rounds(int shortForm) {
    return Integer.getInteger("kcache.torture.rounds", shortForm);
  }

  /** Returns for how many seconds to run. */
  public static int seconds(int shortForm) {
    return Integer.getInteger("kcache.torture.seconds", shortForm);
  }

  /** Returns what decides all that is random; a report names it, so that it can be repeated. */
  public static long seed() {
    return Long.getLong("kcache.torture.seed", 1);
  }

  /** Returns the random numbers of one round, which do not depend on the rounds before it. */
  public static Random random(int round) {
    return new Random(seed() * 1_000_003 + round);
  }

  /** Tells whoever runs it what was done. */
  @SuppressWarnings("AnnotateFormatMethod")
  public static void report(String format, Object... arguments) {
    System.out.println(String.format(format, arguments) + ", seed " + seed());
  }
}
