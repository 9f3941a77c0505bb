// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/**
 * A compiler's version.
 *
 * @param product the product that has this version, such as {@code HIP}
 * @param version the version, such as {@code 6.4.43484-9999}
 * @param text the complete text that the compiler printed
 * @param label the label under which its results are stored
 */
public record CompilerVersion(String product, String version, String text, ToolchainLabel label) {
  /**
   * Refuses null.
   *
   * @param product the product that has this version, such as {@code HIP}
   * @param version the version, such as {@code 6.4.43484-9999}
   * @param text the complete text that the compiler printed
   * @param label the label under which its results are stored
   */
  public CompilerVersion {
    requireNonNull(product, "product");
    requireNonNull(version, "version");
    requireNonNull(text, "text");
    requireNonNull(label, "label");
  }

  /** {@return this version as the lines of an answer} */
  public List<List<String>> toLines() {
    return List.of(List.of(product, version, text, label.text()));
  }

  /**
   * {@return the version in the lines of {@link #toLines}; empty for other lines}
   *
   * @param lines the stored lines, maybe damaged
   */
  public static Optional<CompilerVersion> ofLines(List<List<String>> lines) {
    requireNonNull(lines, "lines");
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
