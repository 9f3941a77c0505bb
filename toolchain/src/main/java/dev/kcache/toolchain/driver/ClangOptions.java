// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.ReproducibleOptions;
import java.util.ArrayList;
import java.util.List;

/** The options of a kernel as they are given to a clang. */
final class ClangOptions {
  private static final String NO_WARNINGS = "-w";

  private ClangOptions() {}

  /**
   * Returns the options, without {@code -w}: that would silence {@link
   * ReproducibleOptions#DATE_TIME} too, wherever it stands. What takes its place is undone by the
   * options that follow.
   */
  static List<String> of(List<String> options) {
    if (!options.contains(NO_WARNINGS)) {
      return options;
    }
    List<String> words = new ArrayList<>(options);
    words.removeIf(NO_WARNINGS::equals);
    words.add("-Wno-everything");
    return words;
  }
}
