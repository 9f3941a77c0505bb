// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads what {@code hipcc --version} says. */
public final class HipVersion {
  /**
   * The line may come after warnings of Perl or the locale, end as on Windows, and have blanks
   * before its colon as hipconfig's. Before 4.0 the platform was another one (HCC).
   */
  private static final String LINE =
      "^HIP version\\s*:\\s*((?:[4-9]|[1-9]\\d{1,3})\\.(?:0|[1-9]\\d{0,3})\\.\\d{1,12}(?!\\d)(?:-[0-9A-Za-z.-]{1,48})?)";

  private static final String NVCC = "nvcc: NVIDIA";

  private HipVersion() {}

  /**
   * Returns the version that hipcc printed; empty if there is none of AMD's compiler in 4.0 or
   * later. Some wrappers print it to standard error.
   */
  public static Optional<CompilerVersion> parse(ProgramResult outcome) {
    if (drivesNvcc(outcome)) {
      return Optional.empty();
    }
    Pattern line = Pattern.compile(LINE, Pattern.MULTILINE);
    return Stream.of(outcome.output(), outcome.errors())
        .map(line::matcher)
        .filter(Matcher::find)
        .findFirst()
        .map(found -> version(found.group(1), outcome.output()));
  }

  /** Returns whether what answered describes NVIDIA's compiler. */
  public static boolean drivesNvcc(ProgramResult outcome) {
    return outcome.log().contains(NVCC);
  }

  private static CompilerVersion version(String version, String text) {
    return new CompilerVersion(
        "HIP", version, text, ToolchainLabel.ofVersion(Platform.AMD, version));
  }
}
