// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.toolchain.Language;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;

/** Which compiler options serve a source that is not HIP: those that decide how code is made. */
public final class LanguageOptions {
  /** What is compiled with if nobody asks for another optimization; not for assembly. */
  public static final String OPTIMIZATION = "-O3";

  /** The standard of a HIP source if nobody asks for another. */
  public static final String STANDARD = "-std=c++17";

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
   * Returns the options of a source in a language, with the defaults that it has.
   *
   * @param given those that were given, in canonical order
   * @throws IllegalArgumentException if one is not for the language
   */
  public static List<String> of(Language language, List<String> given) {
    boolean compiles = language == Language.LLVM_IR;
    List<String> found = new ArrayList<>();
    if (compiles && given.stream().noneMatch(option -> option.startsWith("-O"))) {
      found.add(OPTIMIZATION);
    }
    for (Iterator<String> rest = given.iterator(); rest.hasNext(); ) {
      String option = rest.next();
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
