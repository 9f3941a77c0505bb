// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.codeobject.Platform;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The version of a toolchain as it stands in cache paths: {@code major.minor} of HIP, such as
 * {@code 6.4}, or of another compiler behind its name, such as {@code cuda13.0} or {@code
 * llvm20.1}. Patch releases share a label; what tells them apart is the toolchain's identity.
 *
 * <p>The order is that of the versions, those of HIP first and then by the names.
 *
 * @param text the canonical text form, such as {@code 6.4}
 */
public record ToolchainLabel(String text) implements Comparable<ToolchainLabel> {
  private static final String CUDA = "cuda";
  private static final List<String> NAMES = List.of(CUDA, "hiprtc", "llvm");

  /** No number of a version is longer. */
  private static final int DIGITS = 4;

  /** More than follows the first two numbers of any version. */
  private static final int REST = 64;

  /**
   * Checks the text form.
   *
   * @throws IllegalArgumentException if it is not canonical
   */
  public ToolchainLabel {
    String version = withoutName(text);
    int dot = version.indexOf('.');
    if (dot < 0 || !isNumber(version, 0, dot) || !isNumber(version, dot + 1, version.length())) {
      throw new IllegalArgumentException("not a toolchain label like 6.4: '" + text + "'");
    }
  }

  /**
   * Returns the label of a version of a platform's compiler, such as {@code 6.4} or {@code
   * 6.4.43484-9999} of ROCm and HIP, or {@code 13.0.88} of CUDA, or the label itself, be it that of
   * another compiler.
   *
   * @throws IllegalArgumentException if {@code version} does not begin with {@code major.minor}
   */
  public static ToolchainLabel ofVersion(Platform platform, String version) {
    if (!name(version).isEmpty() && !name(version).equals(CUDA)) {
      return new ToolchainLabel(version);
    }
    String numbers = (platform == Platform.NVIDIA ? withoutName(version) : version).strip();
    int dot = digitsEnd(numbers, 0);
    int end = dot < numbers.length() ? digitsEnd(numbers, dot + 1) : dot;
    if (dot == 0
        || dot > DIGITS
        || end <= dot + 1
        || end > dot + 1 + DIGITS
        || numbers.charAt(dot) != '.'
        || !isRest(numbers, end)) {
      throw new IllegalArgumentException(
          "'%s' is not a %s version; write it as major.minor, such as %s"
              .formatted(
                  version,
                  platform == Platform.AMD ? "ROCm" : "CUDA",
                  platform == Platform.AMD ? "6.4" : "13.0"));
    }
    return new ToolchainLabel(
        (platform == Platform.AMD ? "" : CUDA)
            + Integer.parseInt(numbers.substring(0, dot))
            + "."
            + Integer.parseInt(numbers.substring(dot + 1, end)));
  }

  /**
   * Returns whether this and another label are of versions of one compiler: both hipcc's, both
   * nvcc's, or both of the one that their name stands for.
   */
  public boolean isOfSameCompiler(ToolchainLabel other) {
    return name(text).equals(name(other.text));
  }

  /** Returns whether this is a label of the compiler that has a name, such as {@code hipcc}. */
  public boolean isOf(String compiler) {
    String name = name(text);
    return switch (compiler) {
      case "hipcc" -> name.isEmpty();
      case "nvcc" -> name.equals(CUDA);
      default -> name.equals(compiler);
    };
  }

  @Override
  public int compareTo(ToolchainLabel other) {
    int order = name(text).compareTo(name(other.text));
    if (order == 0) {
      order = Integer.compare(number(0), other.number(0));
    }
    return order == 0 ? Integer.compare(number(1), other.number(1)) : order;
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

  /** Returns the major or the minor number. */
  private int number(int index) {
    return Integer.parseInt(withoutName(text).split("\\.", -1)[index]);
  }

  /** Returns the name that a label begins with; empty if it is one of HIP. */
  private static String name(String text) {
    for (int i = 0; i < NAMES.size(); i++) {
      if (text.startsWith(NAMES.get(i))) {
        return NAMES.get(i);
      }
    }
    return "";
  }

  private static String withoutName(String text) {
    return text.substring(name(text).length());
  }

  /** Returns whether a part of a text is a number as it is usually written. */
  private static boolean isNumber(String text, int start, int end) {
    return end > start
        && end - start <= DIGITS
        && (text.charAt(start) != '0' || end == start + 1)
        && digitsEnd(text, start) >= end;
  }

  /** Returns where the digits end that begin at {@code start}. */
  private static int digitsEnd(String text, int start) {
    int end = start;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  /** Returns whether nothing follows in a version, or more that begins with a point or a dash. */
  private static boolean isRest(String version, int start) {
    if (start == version.length()) {
      return true;
    }
    boolean sound = ".-".indexOf(version.charAt(start)) >= 0 && start + 1 < version.length();
    for (int i = start + 1; i < version.length(); i++) {
      char c = version.charAt(i);
      sound &= c == '.' || c == '-' || (c < 0x80 && Character.isLetterOrDigit(c));
    }
    return sound && version.length() - start - 1 <= REST;
  }
}
