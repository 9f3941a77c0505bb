// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.Platform;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The version of a toolchain as it stands in cache paths: {@code major.minor} of HIP, such as
 * {@code 6.4}, or of CUDA, such as {@code cuda13.0}. Patch releases share a label; what tells them
 * apart is the toolchain's identity.
 *
 * <p>The order is that of the versions, those of HIP first.
 *
 * @param text the canonical text form, such as {@code 6.4}
 */
public record ToolchainLabel(String text) implements Comparable<ToolchainLabel> {
  private static final Pattern CANONICAL =
      Pattern.compile("((?:cuda)?)(0|[1-9]\\d{0,3})\\.(0|[1-9]\\d{0,3})");
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
   * Returns the label of a version of a platform's compiler, such as {@code 6.4} or {@code
   * 6.4.43484-9999} of ROCm and HIP, or {@code 13.0.88} of CUDA, or the label itself.
   *
   * @throws IllegalArgumentException if {@code version} does not begin with {@code major.minor}
   */
  public static ToolchainLabel ofVersion(Platform platform, String version) {
    boolean cudaLabel = platform == Platform.NVIDIA && version.startsWith("cuda");
    Matcher matcher = VERSION.matcher(cudaLabel ? version.substring("cuda".length()) : version);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a %s version; write it as major.minor, such as %s"
              .formatted(
                  version,
                  platform == Platform.AMD ? "ROCm" : "CUDA",
                  platform == Platform.AMD ? "6.4" : "13.0"));
    }
    return new ToolchainLabel(
        (platform == Platform.AMD ? "" : "cuda")
            + Integer.parseInt(matcher.group(1))
            + "."
            + Integer.parseInt(matcher.group(2)));
  }

  @Override
  public int compareTo(ToolchainLabel other) {
    return Comparator.comparing((Matcher label) -> label.group(1))
        .thenComparing(label -> Integer.valueOf(label.group(2)))
        .thenComparing(label -> Integer.valueOf(label.group(3)))
        .compare(parts(), other.parts());
  }

  /** By hand, as {@link #hashCode}: the JVM's own take a process 25 ms when first called. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ToolchainLabel that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** Returns the canonical text form. */
  @Override
  public String toString() {
    return text;
  }

  private Matcher parts() {
    Matcher parts = CANONICAL.matcher(text);
    if (!parts.matches()) {
      throw new AssertionError("checked when it was made: " + text);
    }
    return parts;
  }
}
