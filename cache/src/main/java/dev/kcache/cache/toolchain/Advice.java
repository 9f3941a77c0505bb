// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.Diagnostic;
import java.util.regex.Pattern;

/** What to do about an error whose own words speak of other things than a HIP source does. */
final class Advice {
  /** Names with two underscores are the compiler's and its libraries'. */
  private static final Pattern UNDEFINED = Pattern.compile("undefined (\\w+ )?symbol: (?!__).*");

  private static final Pattern SHARED_MEMORY =
      Pattern.compile("local memory \\(\\d+\\) exceeds limit \\(\\d+\\).*");

  private Advice() {}

  /** Returns a clause to follow the error's line, empty for most errors. */
  static String on(Diagnostic error) {
    if (UNDEFINED.matcher(error.message()).matches()) {
      return "; it is declared but not defined, and each source is compiled and linked by itself:"
          + " define it in this source or in a file that it includes";
    }
    if (SHARED_MEMORY.matcher(error.message()).matches()) {
      return "; this is the kernel's shared memory, in bytes: make its __shared__ variables smaller";
    }
    return "";
  }
}
