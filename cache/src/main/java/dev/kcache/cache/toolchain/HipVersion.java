// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.ToolchainLabel;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code hipcc --version} says.
 *
 * @param version HIP's version, such as {@code 6.4.43484-9999}
 * @param text everything on standard output
 */
record HipVersion(String version, String text) {
  private static final Pattern LINE =
      Pattern.compile("^HIP version\\s*:\\s*(\\d+\\.\\d+\\.\\d+(?:-\\S+)?)", Pattern.MULTILINE);

  /** Returns the version in {@code text}, unless that is not what hipcc prints. */
  static Optional<HipVersion> parse(String text) {
    Matcher matcher = LINE.matcher(text);
    return matcher.find() ? Optional.of(new HipVersion(matcher.group(1), text)) : Optional.empty();
  }

  ToolchainLabel label() {
    return ToolchainLabel.ofVersion(version);
  }
}
