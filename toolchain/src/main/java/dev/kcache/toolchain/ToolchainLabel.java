// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import java.util.Comparator;

/**
 * The version of a toolchain as it stands in cache paths: {@code major.minor} of HIP, such as
 * {@code 6.4}, or of another compiler behind its name in lower-case letters, such as {@code
 * cuda13.0}. Patch releases share a label; what tells them apart is the toolchain's identity.
 *
 * <p>The order is that of the versions, those of HIP first and then by the names.
 *
 * @param text the canonical text form, such as {@code 6.4}
 */
public record ToolchainLabel(String text) implements Comparable<ToolchainLabel> {
  /** HIP's versions before those of other compilers, and of each compiler the newest first. */
  public static final Comparator<ToolchainLabel> NEWEST_OF_EACH_COMPILER =
      Comparator.comparing((ToolchainLabel label) -> name(label.text))
          .thenComparing(Comparator.reverseOrder());

  private static final String CUDA = "cuda";

  /** The platform of versions without a name, whose own name no label has. */
  private static final String ROCM = "rocm";

  /** No compiler's name is longer. */
  private static final int LETTERS = 32;

  /** No number of a version is longer. */
  private static final int DIGITS = 4;

  /** More than follows the first two numbers of any version. */
  private static final int REST = 64;

  /**
   * Checks the text form.
   *
   * @param text such as {@code 6.4} or {@code cuda13.0}
   * @throws IllegalArgumentException if it is not canonical
   */
  public ToolchainLabel {
    requireNonNull(text, "text");
    if (!isCanonical(text)) {
      throw new IllegalArgumentException("not a toolchain label like 6.4: '" + text + "'");
    }
  }

  /**
   * {@return the label of a version of a platform's compiler, such as {@code 6.4} or {@code
   * 6.4.43484-9999} of ROCm and HIP, or {@code 13.0.88} of CUDA, or the label itself, be it that of
   * another compiler}
   *
   * @param platform whose compiler has the version
   * @param version what a variable, a file or the compiler itself tells
   * @throws IllegalArgumentException if {@code version} does not begin with {@code major.minor}
   */
  public static ToolchainLabel ofVersion(Platform platform, String version) {
    requireNonNull(platform, "platform");
    requireNonNull(version, "version");
    String name = name(version);
    if (!name.isEmpty() && !name.equals(CUDA) && !name.equals(ROCM) && isCanonical(version)) {
      return new ToolchainLabel(version);
    }
    String numbers =
        (platform == Platform.NVIDIA && name.equals(CUDA) ? withoutName(version) : version).strip();
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
   * {@return whether this and another label have the same name, and so are of one compiler}
   *
   * @param other a label of any compiler
   */
  public boolean isOfSameCompiler(ToolchainLabel other) {
    requireNonNull(other, "other");
    return name(text).equals(name(other.text));
  }

  @Override
  public int compareTo(ToolchainLabel other) {
    int order = name(text).compareTo(name(other.text));
    if (order == 0) {
      order = Integer.compare(number(0), other.number(0));
    }
    return order == 0 ? Integer.compare(number(1), other.number(1)) : order;
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
    int end = 0;
    while (end < text.length() && text.charAt(end) >= 'a' && text.charAt(end) <= 'z') {
      end++;
    }
    return text.substring(0, end);
  }

  private static String withoutName(String text) {
    return text.substring(name(text).length());
  }

  private static boolean isCanonical(String text) {
    String version = withoutName(text);
    int dot = version.indexOf('.');
    return text.length() - version.length() <= LETTERS
        && dot >= 0
        && isNumber(version, 0, dot)
        && isNumber(version, dot + 1, version.length());
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
