// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.remote.RemoteHealth;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cli.Check.Status;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The checks of remotes by {@code kcache doctor}. Nothing here is a failure: without a remote
 * kernels are compiled.
 */
final class RemoteChecks {
  private static final String NAME = "remote";

  private RemoteChecks() {}

  static List<Check> of(List<RemoteHealth> remotes) {
    return remotes.stream().map(RemoteChecks::check).toList();
  }

  private static Check check(RemoteHealth remote) {
    String shown =
        remote.address()
            + (remote.mode() == RemoteMode.READ ? ", to read: " : ", to read and write: ");
    return remote
        .problem()
        .map(problem -> Check.of(Status.WARN, NAME, shown + problem, "see docs/remote.md"))
        .orElseGet(
            () -> Check.ok(NAME, shown + "answers in " + millis(remote.latency().orElseThrow())));
  }

  private static String millis(Duration latency) {
    return String.format(Locale.ROOT, "%.1f ms", latency.toNanos() / 1e6);
  }
}
