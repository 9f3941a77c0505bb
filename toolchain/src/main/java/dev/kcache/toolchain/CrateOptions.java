// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

/** The options of a crate in Rust, which are cargo's or kcache's and never a compiler's. */
public final class CrateOptions {
  /**
   * Allows the crate and those that it depends on to run code of theirs on this machine when it is
   * compiled: build scripts and procedural macros.
   */
  public static final String BUILD_SCRIPTS = "--allow-build-scripts";

  private static final String FEATURES = "--features=";
  private static final String NO_DEFAULTS = "--no-default-features";

  private CrateOptions() {}

  /**
   * {@return whether an option is for crates only}
   *
   * @param option one word of a command
   */
  public static boolean is(String option) {
    requireNonNull(option, "option");
    return option.equals(BUILD_SCRIPTS) || choosesFeatures(option);
  }

  /**
   * {@return whether an option chooses features, in words of cargo's}
   *
   * @param option one word of a command
   */
  public static boolean choosesFeatures(String option) {
    requireNonNull(option, "option");
    return option.startsWith(FEATURES) || option.equals(NO_DEFAULTS);
  }
}
