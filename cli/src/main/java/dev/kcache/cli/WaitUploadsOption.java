// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheUsage.Counts;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The option {@code --wait-uploads} of the verbs that compile. */
final class WaitUploadsOption {
  private static final Duration TICK = Duration.ofMillis(100);

  private final Argument<Boolean> waits;

  WaitUploadsOption(Arguments arguments) {
    waits =
        arguments.flag(
            "--wait-uploads",
            "Wait until all that is compiled is in the remotes, and not only for 5 seconds at the"
                + " end. Exit code 3 if some of it is not.");
  }

  boolean isGiven() {
    return waits.value();
  }

  /** Refuses to wait for what nobody uploads. */
  void check(Verb verb) {
    var environment = verb.context.environment();
    if (isGiven()
        && !((verb.namesRemote() || KcacheVariables.isSet("KCACHE_REMOTE", environment))
            && "read-write".equals(environment.get("KCACHE_REMOTE_MODE")))) {
      throw new IllegalArgumentException(
          "--wait-uploads needs a remote that is written; name it in --remote or KCACHE_REMOTE, and"
              + " set KCACHE_REMOTE_MODE=read-write");
    }
  }

  /** Waits for what was compiled so far, if the option is given; a write has its own deadline. */
  void await(CacheManager cache, BooleanSupplier stopped) {
    while (isGiven()
        && !stopped.getAsBoolean()
        && cache.awaitUploads(TICK) > cache.statistics().droppedUploads()) {
      // The rest is still under way.
    }
  }

  /** Returns how many kernels were uploaded; empty if there were none and nobody asked. */
  String summary(Counts counts) {
    return !isGiven() && counts.uploads() + counts.droppedUploads() == 0
        ? ""
        : counts.uploads() + " uploaded, " + counts.droppedUploads() + " not uploaded";
  }

  /** Returns the exit code of a run that ended with {@code exitCode}. */
  int exitCode(int exitCode, Counts counts) {
    return isGiven() && counts.droppedUploads() > 0
        ? ExitCode.worse(exitCode, ExitCode.UNAVAILABLE)
        : exitCode;
  }
}
