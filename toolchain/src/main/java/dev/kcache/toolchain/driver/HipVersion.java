// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What {@code hipcc --version} says.
 *
 * @param version HIP's version, such as {@code 6.4.43484-9999}
 * @param text everything on standard output
 */
record HipVersion(String version, String text) implements CompilerVersion {
  /**
   * The line may come after warnings of Perl or the locale, end as on Windows, and have blanks
   * before its colon as hipconfig's. Before 4.0 the platform was another one (HCC).
   */
  private static final String LINE =
      "^HIP version\\s*:\\s*((?:[4-9]|[1-9]\\d{1,3})\\.(?:0|[1-9]\\d{0,3})\\.\\d{1,12}(?!\\d)(?:-[0-9A-Za-z.-]{1,48})?)";

  private static final String NVCC = "nvcc: NVIDIA";

  /**
   * Returns the version that hipcc printed; empty if there is none of AMD's compiler in 4.0 or
   * later. Some wrappers print it to standard error.
   */
  static Optional<HipVersion> parse(ProgramResult outcome) {
    if (drivesNvcc(outcome)) {
      return Optional.empty();
    }
    Pattern line = Pattern.compile(LINE, Pattern.MULTILINE);
    return Stream.of(outcome.output(), outcome.errors())
        .map(line::matcher)
        .filter(Matcher::find)
        .findFirst()
        .map(found -> new HipVersion(found.group(1), outcome.output()));
  }

  /** Returns whether what answered describes NVIDIA's compiler. */
  static boolean drivesNvcc(ProgramResult outcome) {
    return outcome.log().contains(NVCC);
  }

  @Override
  public String product() {
    return "HIP";
  }

  @Override
  public ToolchainLabel label() {
    return ToolchainLabel.ofVersion(Platform.AMD, version);
  }

  /** Returns the version with these lines; empty if they are none that {@link #toLines} makes. */
  static Optional<CompilerVersion> ofLines(List<List<String>> lines) {
    return lines.size() == 1 && lines.get(0).size() == 2 && hasLabel(lines.get(0).get(0))
        ? Optional.of(new HipVersion(lines.get(0).get(0), lines.get(0).get(1)))
        : Optional.empty();
  }

  /** Also a label has a label; that of another compiler begins with its name. */
  private static boolean hasLabel(String version) {
    try {
      return ToolchainLabel.ofVersion(Platform.AMD, version).text().charAt(0) <= '9';
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
