// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.regex.Pattern;

/** Recognises assembler directives that read files; no compiler lists those as dependencies. */
final class AssemblerText {
  /** The assembler ignores case here. */
  private static final Pattern READS_FILE =
      Pattern.compile(
          "(?<![A-Za-z0-9_.$])\\.(incbin|include)(?![A-Za-z0-9_.$])", Pattern.CASE_INSENSITIVE);

  private AssemblerText() {}

  /** Returns whether the text, its escapes already resolved, reads a file when assembled. */
  static boolean readsFile(CharSequence text) {
    return READS_FILE.matcher(text).find();
  }
}
