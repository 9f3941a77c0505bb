// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.rocm.Wsl;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The check of the device file by {@code kcache doctor} in WSL, in place of {@link
 * KernelDriverChecks#devices()}: no group and no kernel module is missing there.
 */
final class WslCheck {
  private static final String NAME = "dxg";

  private WslCheck() {}

  /**
   * Checks WSL's device file, and ROCm's library for it.
   *
   * @param root the root of the machine's file system
   * @param denial returns why a device file can't be opened; empty if it can
   */
  static Check of(Wsl wsl, Path root, Function<Path, Optional<String>> denial) {
    Optional<String> obstacle = wsl.obstacle();
    if (obstacle.isPresent()) {
      return Check.note(NAME, obstacle.get());
    }
    Optional<String> denied = denial.apply(root.resolve("dev/dxg"));
    if (denied.isPresent()) {
      return Check.warn(
          NAME,
          "this user may not open " + Wsl.DEVICE + ": " + denied.get(),
          "WSL lets everybody: end it by 'wsl --shutdown' in a terminal of Windows, start it again");
    }
    return wsl.bridge()
        .map(
            library ->
                Check.ok(NAME, "Windows' GPUs are behind " + Wsl.DEVICE + ", ROCm has " + library))
        .orElseGet(
            () ->
                Check.note(
                    NAME, "to launch on AMD's GPU behind " + Wsl.DEVICE + " " + wsl.advice()));
  }
}
