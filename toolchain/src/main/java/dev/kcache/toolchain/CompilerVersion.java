// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.util.List;
import java.util.Optional;

/**
 * What a compiler says that it is.
 *
 * @param product the product that the version is one of, such as {@code HIP}
 * @param version the version, such as {@code 6.4.43484-9999}
 * @param text everything that the compiler printed when it was asked
 * @param label the label under which this version's results are kept
 */
public record CompilerVersion(String product, String version, String text, ToolchainLabel label) {
  /** Returns this version as the lines by which it is remembered. */
  public List<List<String>> toLines() {
    return List.of(List.of(product, version, text, label.text()));
  }

  /** Returns the version with these lines; empty if they are none that {@link #toLines} makes. */
  public static Optional<CompilerVersion> ofLines(List<List<String>> lines) {
    if (lines.size() != 1 || lines.get(0).size() != 4) {
      return Optional.empty();
    }
    List<String> words = lines.get(0);
    try {
      ToolchainLabel label = new ToolchainLabel(words.get(3));
      return Optional.of(new CompilerVersion(words.get(0), words.get(1), words.get(2), label));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
