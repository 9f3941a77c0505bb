// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.ToolchainLabel;
import java.util.List;
import java.util.Optional;

/**
 * The version of a clang that stands for itself.
 *
 * @param version LLVM's version, such as {@code 20.1.7}
 */
record LlvmVersion(String version) implements CompilerVersion {
  private static final String NUMBERS = "[1-9]\\d{0,3}\\.\\d{1,4}\\.\\d{1,6}";

  @Override
  public String product() {
    return "LLVM";
  }

  @Override
  public String text() {
    return version;
  }

  @Override
  public ToolchainLabel label() {
    return new ToolchainLabel("llvm" + version.substring(0, version.lastIndexOf('.')));
  }

  /** Returns the version with these lines; empty if they are none that {@link #toLines} makes. */
  static Optional<CompilerVersion> ofLines(List<List<String>> lines) {
    return lines.size() == 1
            && lines.get(0).size() == 2
            && lines.get(0).get(0).matches(NUMBERS)
            && lines.get(0).get(0).equals(lines.get(0).get(1))
        ? Optional.of(new LlvmVersion(lines.get(0).get(0)))
        : Optional.empty();
  }
}
