// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.ToolchainLabel;
import java.util.List;
import java.util.Optional;

/**
 * The version of a compiler that is a library.
 *
 * @param product the compiler's name, such as {@code hiprtc}
 * @param version of the HIP that it belongs to, such as {@code 6.4.43484}
 */
record LibraryVersion(String product, String version) implements CompilerVersion {
  private static final String NUMBERS = "([4-9]|[1-9]\\d{1,3})\\.(0|[1-9]\\d{0,3})\\.\\d{1,12}";

  /** Returns the version that a text is; empty if it is none. */
  static Optional<CompilerVersion> parse(String product, String text) {
    return text.matches(NUMBERS)
        ? Optional.of(new LibraryVersion(product, text))
        : Optional.empty();
  }

  @Override
  public String text() {
    return version;
  }

  @Override
  public ToolchainLabel label() {
    return new ToolchainLabel(product + version.substring(0, version.lastIndexOf('.')));
  }

  /** Returns the version with these lines; empty if they are none that {@link #toLines} makes. */
  static Optional<CompilerVersion> ofLines(String product, List<List<String>> lines) {
    return lines.size() == 1
            && lines.get(0).size() == 2
            && lines.get(0).get(0).equals(lines.get(0).get(1))
        ? parse(product, lines.get(0).get(0))
        : Optional.empty();
  }
}
