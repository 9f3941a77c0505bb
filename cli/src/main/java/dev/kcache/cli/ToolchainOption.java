// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManagerBuilder;

/** The option of the verbs that may compile: which compiler does. */
final class ToolchainOption {
  private final Argument<String> name =
      Argument.option(
          "--toolchain",
          "NAME",
          Converters::text,
          "The compiler to use: hipcc, nvcc, llvm (embedded) or another that is there; 'kcache doctor'",
          "lists them. Default: $KCACHE_TOOLCHAIN, else the first that is there.");

  /** Returns the option as the command line has it. */
  Argument<String> argument() {
    return name;
  }

  /** Returns the builder, told of what the option asks for. */
  CacheManagerBuilder applyTo(CacheManagerBuilder builder) {
    return name.isGiven() ? builder.toolchainNamed(name.value()) : builder;
  }
}
