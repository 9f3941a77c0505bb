// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManagerBuilder;

/** The option of the verbs that may compile: with which compiler. */
final class ToolchainOption {
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
}
