// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The options that hipcc.exe may be given, which runs clang by Windows' cmd.exe. */
final class CmdOptions {
  /** What cmd.exe replaces, or takes for an end of what is quoted, and then for its own. */
  private static final Pattern CHANGED = Pattern.compile("[%^&|<>!\"]");

  private CmdOptions() {}

  /** Returns whether a hipcc is that of Windows. */
  static boolean concern(Path hipcc) {
    return hipcc.getFileSystem().getSeparator().equals("\\");
  }

  /** Returns why hipcc.exe can't be given one of the options, if there is such a one. */
  static Optional<String> objection(List<String> options) {
    return options.stream()
        .filter(option -> CHANGED.matcher(option).find())
        .findFirst()
        .map(
            option ->
                "hipcc.exe would give "
                    + option
                    + " to cmd.exe, which changes % ^ & | < > ! and quotes; define it in the source"
                    + " instead, or set KCACHE_TOOLCHAIN=amdclang");
  }
}
