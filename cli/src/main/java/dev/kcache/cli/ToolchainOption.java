// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;

import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.driver.Toolchains;
import java.util.Collection;
import java.util.Optional;

/** The option of the verbs that may compile: with which compiler. */
final class ToolchainOption {
  private static final String VARIABLE = "KCACHE_TOOLCHAIN";

  private final Argument<String> name;

  ToolchainOption(Arguments arguments) {
    name =
        arguments.option(
            "--toolchain",
            "NAME",
            Converters::text,
            "The compiler to use: hipcc, amdclang, nvcc, llvm (embedded) or another that 'kcache doctor'"
                + " lists. Default: $KCACHE_TOOLCHAIN, else the first that is there.");
  }

  /** Sets the compiler that the option asks for, if it is given; returns the builder. */
  CacheManagerBuilder applyTo(CacheManagerBuilder builder) {
    return name.isGiven() ? builder.toolchainNamed(name.value()) : builder;
  }

  /**
   * Refuses the option if it names a compiler that compiles for none of the targets, and warns of
   * the variable.
   *
   * @throws IllegalArgumentException if it is the option
   */
  void check(Collection<TargetId> targets, CliContext context) {
    String named = name.isGiven() ? name.value() : context.environment().getOrDefault(VARIABLE, "");
    Optional<Platform> platform = Toolchains.platformOf(named);
    if (targets.isEmpty()
        || platform.isEmpty()
        || targets.stream().anyMatch(each -> each.processor().platform() == platform.get())) {
      return;
    }
    String only =
        " compiles for %s only, and no target is one of %s's: %s"
            .formatted(
                platform.get(),
                platform.get(),
                targets.stream().map(TargetId::toString).distinct().collect(joining(", ")));
    if (name.isGiven()) {
      throw new IllegalArgumentException(
          "--toolchain " + named + only + "; leave it out, or name another target by --arch");
    }
    context.warning(VARIABLE + "=" + named + only + "; it is ignored");
  }
}
