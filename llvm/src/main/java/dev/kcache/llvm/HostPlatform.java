// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import java.util.Locale;

/** This machine's platform, by the classifiers of org.bytedeco's artifacts. */
final class HostPlatform {
  private HostPlatform() {}

  /** Returns the classifier, such as {@code linux-x86_64}. */
  static String name() {
    return system(property("os.name")) + "-" + architecture(property("os.arch"));
  }

  /** Returns whether a platform's artifact is too large to be fetched unless it is asked for. */
  static boolean isLarge(String platform) {
    return platform.startsWith("windows-");
  }

  /** Returns the size of a platform's artifact: Windows' has each program's libraries in it. */
  static int megabytes(String platform) {
    return isLarge(platform) ? 904 : 147;
  }

  private static String property(String name) {
    return System.getProperty(name, "").toLowerCase(Locale.ROOT);
  }

  private static String system(String name) {
    if (name.startsWith("mac")) {
      return "macosx";
    }
    return name.startsWith("windows") ? "windows" : name;
  }

  private static String architecture(String name) {
    return switch (name) {
      case "amd64", "x86_64" -> "x86_64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }
}
