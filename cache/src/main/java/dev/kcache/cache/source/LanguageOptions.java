// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.toolchain.Language;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;

/** Which compiler options serve a source that is not HIP: those that decide how code is made. */
public final class LanguageOptions {
  /** What every source has that asks for nothing else. */
  private static final String OPTIMIZATION = "-O3";

  private static final String STANDARD = "-std=c++17";

  private static final String CODE_OBJECT = "-mcode-object-version=[4-9]";
  private static final String MODES = "-m(no-)?(cumode|wavefrontsize64|tgsplit)";

  private static final Pattern OF_IR =
      Pattern.compile(
          "-O[0-3gsz]?|-ffp-contract=[a-z-]+|-f(no-)?(unroll-loops|(slp-)?vectorize)|"
              + CODE_OBJECT
              + "|"
              + MODES);

  private static final Pattern OF_ASSEMBLY = Pattern.compile(CODE_OBJECT + "|" + MODES);

  private LanguageOptions() {}

  /**
   * Returns the options of a source in a language: those of HIP without its defaults that mean
   * nothing there.
   *
   * @param options of HIP, in canonical order
   * @throws IllegalArgumentException if one is not for the language
   */
  public static List<String> of(Language language, List<String> options) {
    boolean compiles = language == Language.LLVM_IR;
    List<String> found = new ArrayList<>();
    for (Iterator<String> rest = options.iterator(); rest.hasNext(); ) {
      String option = rest.next();
      if (option.equals(STANDARD) || (!compiles && option.equals(OPTIMIZATION))) {
        continue;
      }
      if (compiles && option.equals(LlvmOptions.FLAG)) {
        found.addAll(List.of(option, rest.next()));
      } else if ((compiles ? OF_IR : OF_ASSEMBLY).matcher(option).matches()) {
        found.add(option);
      } else {
        throw new IllegalArgumentException(
            "option %s is not for %s, which takes %s"
                .formatted(
                    option,
                    language,
                    compiles
                        ? "-O, -mllvm and options that choose how code is made, such as"
                            + " -ffp-contract=fast"
                        : "-mcode-object-version=, -mwavefrontsize64, -mcumode and -mtgsplit"));
      }
    }
    return List.copyOf(found);
  }
}
