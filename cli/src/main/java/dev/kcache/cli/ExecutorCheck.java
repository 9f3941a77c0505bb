// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cli.Check.Status;
import dev.kcache.toolchain.Artifacts;
import dev.kcache.toolchain.ToolchainCandidate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The check of {@code kcache doctor} of the machines that compile in the place of this one. Nothing
 * here is a failure: whether there is a compiler at all, the check of that says.
 */
final class ExecutorCheck {
  private static final String NAME = "executor";
  private static final String SERVER = "KCACHE_EXECUTOR";
  private static final String PLATFORM = "KCACHE_EXECUTOR_PLATFORM";

  /** What the toolchain of an executor is called. */
  private static final String TOOLCHAIN = "remote";

  private ExecutorCheck() {}

  /**
   * Returns a check if an executor is named. It shows no credentials. If nothing here speaks to
   * executors and there is no compiler for want of that, the check of the compiler says so.
   *
   * @param all AMD's compilers, which have been asked
   */
  static Optional<Check> of(Map<String, String> environment, List<ToolchainCandidate> all) {
    if (!KcacheVariables.isSet(SERVER, environment)) {
      return Optional.empty();
    }
    return all.stream()
        .filter(each -> each.name().equals(TOOLCHAIN))
        .findFirst()
        .map(remote -> check(remote, environment.getOrDefault(PLATFORM, "").strip()))
        .or(
            () ->
                all.stream()
                    .filter(ToolchainCandidate::used)
                    .findFirst()
                    .map(ExecutorCheck::unused));
  }

  private static Check unused(ToolchainCandidate instead) {
    return Check.warn(
        NAME,
        SERVER + " is set, but " + instead.name() + " is asked for, and nothing here speaks to it",
        Artifacts.advice("reapi"));
  }

  private static Check check(ToolchainCandidate remote, String platform) {
    String machines = platform.isEmpty() ? ", on any machine" : ", on machines with " + platform;
    if (!remote.present()) {
      return Check.of(Status.WARN, NAME, remote.description(), "see docs/executor.md")
          .adding(machines);
    }
    String detail = remote.description() + machines;
    if (platform.isEmpty()) {
      return Check.warn(NAME, detail, "set " + PLATFORM + ", the image by its digest");
    }
    return Check.ok(
        NAME,
        platform.contains("@sha256:")
            ? detail
            : detail + ", which name no image by its digest: each process asks anew");
  }
}
