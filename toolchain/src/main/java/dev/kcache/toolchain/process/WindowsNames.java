// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import java.nio.file.FileSystem;
import java.util.Optional;
import java.util.regex.Pattern;

/** Which names of a source's files Windows has no files for. */
final class WindowsNames {
  /** With an extension, too; and three digits that are written high. */
  private static final Pattern DEVICE =
      Pattern.compile(
          "(con|prn|aux|nul|conin\\$|conout\\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])( *\\..*)?",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern FORBIDDEN = Pattern.compile("[<>:\"|?*\\\\\\p{Cntrl}]");

  private WindowsNames() {}

  static boolean areThoseOf(FileSystem system) {
    return system.getSeparator().equals("\\");
  }

  /**
   * Checks that a relative path can be one on a file system.
   *
   * @throws UnusableNameException if it can't; the message is one line
   */
  static void check(FileSystem system, String path) throws UnusableNameException {
    if (!areThoseOf(system)) {
      return;
    }
    for (String name : path.split("/", -1)) {
      Optional<String> problem = problem(name);
      if (problem.isPresent()) {
        throw new UnusableNameException(
            "Windows has no file '%s', since '%s' %s; rename it, or compile in WSL"
                .formatted(path, name, problem.get()));
      }
    }
  }

  private static Optional<String> problem(String name) {
    if (DEVICE.matcher(name).matches()) {
      return Optional.of("is a device");
    }
    if (FORBIDDEN.matcher(name).find()) {
      return Optional.of("has a character that no name may have");
    }
    boolean isSpecial = name.equals(".") || name.equals("..");
    return !isSpecial && (name.endsWith(".") || name.endsWith(" "))
        ? Optional.of("ends in a dot or a blank")
        : Optional.empty();
  }

  /** Returns what to say of a file that is there already under a name that seems another. */
  static UnusableNameException clash(String path) {
    return new UnusableNameException(
        "Windows has one file for '%s' and for another name that differs in case only; rename one of them, or compile in WSL"
            .formatted(path));
  }
}
