// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.ToolchainCandidate;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.Optional;
import java.util.function.Supplier;

/** Asks compilers what they are; one that can't be had says what is lacking. */
final class Candidates {
  private Candidates() {}

  /**
   * Returns a platform's own compiler.
   *
   * @param used the name of the one that is in use
   */
  static ToolchainCandidate of(String name, Optional<String> used, Supplier<String> description) {
    return of(name, true, used, description, Optional::empty);
  }

  /**
   * Returns a provider's compiler.
   *
   * @param usable whether it is there, or can get what it needs
   * @param used the name of the one that is in use
   * @param pending what it has yet to get; asked only if it is usable
   */
  static ToolchainCandidate of(
      String name,
      boolean usable,
      Optional<String> used,
      Supplier<String> description,
      Supplier<Optional<String>> pending) {
    boolean isUsed = used.filter(name::equals).isPresent();
    try {
      return new ToolchainCandidate(
          name, usable, isUsed, description.get(), usable ? pending.get() : Optional.empty());
    } catch (ToolchainNotFoundException | IllegalArgumentException e) {
      return new ToolchainCandidate(
          name, false, isUsed, String.valueOf(e.getMessage()), Optional.empty());
    }
  }
}
