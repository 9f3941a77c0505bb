// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of a toolchain as it stands in cache paths: {@code major.minor} of HIP, such as
 * {@code 6.4}. Patch releases share a label; what tells them apart is the toolchain's identity.
 *
 * @param text the canonical text form, such as {@code 6.4}
 */
public record ToolchainLabel(String text) implements Comparable<ToolchainLabel> {
  private static final Pattern CANONICAL = Pattern.compile("(0|[1-9]\\d{0,3})\\.(0|[1-9]\\d{0,3})");
  private static final Pattern VERSION =
      Pattern.compile("\\s*(\\d{1,4})\\.(\\d{1,4})(?:[.-][0-9A-Za-z.-]{1,64})?\\s*");

  /**
   * Checks the text form.
   *
   * @throws IllegalArgumentException if it is not canonical
   */
  public ToolchainLabel {
    if (!CANONICAL.matcher(text).matches()) {
      throw new IllegalArgumentException("not a toolchain label like 6.4: '" + text + "'");
    }
  }

  /**
   * Returns the label of a ROCm or HIP version such as {@code 6.4}, {@code 6.4.43484-9999}.
   *
   * @throws IllegalArgumentException if {@code version} does not begin with {@code major.minor}
   */
  public static ToolchainLabel ofVersion(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + version + "' is not a ROCm version; write it as major.minor, such as 6.4");
    }
    return new ToolchainLabel(
        Integer.parseInt(matcher.group(1)) + "." + Integer.parseInt(matcher.group(2)));
  }

  @Override
  public int compareTo(ToolchainLabel other) {
    int major = Integer.compare(part(0), other.part(0));
    return major != 0 ? major : Integer.compare(part(1), other.part(1));
  }

  /** Returns the canonical text form. */
  @Override
  public String toString() {
    return text;
  }

  private int part(int index) {
    int dot = text.indexOf('.');
    return Integer.parseInt(index == 0 ? text.substring(0, dot) : text.substring(dot + 1));
  }
}
