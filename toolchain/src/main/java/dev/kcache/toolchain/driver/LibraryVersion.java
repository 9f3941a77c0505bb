// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.ToolchainLabel;
import java.util.Optional;

/** Reads the version of HIP that a compiler's library belongs to. */
final class LibraryVersion {
  private static final String NUMBERS = "([4-9]|[1-9]\\d{1,3})\\.(0|[1-9]\\d{0,3})\\.\\d{1,12}";

  private LibraryVersion() {}

  /** Returns the version that a text is; empty if it is none. */
  static Optional<CompilerVersion> parse(String product, String text) {
    return text.matches(NUMBERS)
        ? Optional.of(
            new CompilerVersion(
                product,
                text,
                text,
                new ToolchainLabel(product + text.substring(0, text.lastIndexOf('.')))))
        : Optional.empty();
  }
}
