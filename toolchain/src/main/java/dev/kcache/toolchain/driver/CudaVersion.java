// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code nvcc --version} says.
 *
 * @param version CUDA's version, such as {@code 13.0.88}
 * @param text everything on standard output
 */
record CudaVersion(String version, String text) implements CompilerVersion {
  private static final String NUMBERS = "[1-9]\\d{0,3}\\.\\d{1,4}\\.\\d{1,6}";

  private static final Pattern LINE =
      Pattern.compile(
          "^Cuda compilation tools, release [\\d.]{1,16}, V(" + NUMBERS + ")$", Pattern.MULTILINE);

  /** Returns the version that nvcc printed, if it did. */
  static Optional<CudaVersion> parse(ProgramResult outcome) {
    Matcher line = LINE.matcher(outcome.output());
    return line.find()
        ? Optional.of(new CudaVersion(line.group(1), outcome.output()))
        : Optional.empty();
  }

  @Override
  public String product() {
    return "CUDA";
  }

  @Override
  public ToolchainLabel label() {
    return ToolchainLabel.ofVersion(Platform.NVIDIA, version);
  }

  /** Returns the version with these lines; empty if they are none that {@link #toLines} makes. */
  static Optional<CompilerVersion> ofLines(List<List<String>> lines) {
    return lines.size() == 1 && lines.get(0).size() == 2 && lines.get(0).get(0).matches(NUMBERS)
        ? Optional.of(new CudaVersion(lines.get(0).get(0), lines.get(0).get(1)))
        : Optional.empty();
  }
}
