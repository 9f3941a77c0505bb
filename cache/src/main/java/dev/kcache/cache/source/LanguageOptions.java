// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.toolchain.CrateOptions;
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

  /** What {@code -D} defines is a condition for {@code #[cfg]}, with a value or without. */
  private static final Pattern OF_RUST =
      Pattern.compile("-O[0-3gsz]?|-D[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.,:+-]*)?|" + CODE_OBJECT);

  private LanguageOptions() {}

  /**
   * Returns the options of a source in a language, with the defaults that it has.
   *
   * @param given those that were given, in canonical order
   * @throws IllegalArgumentException if one is not for the language
   */
  public static List<String> of(Language language, List<String> given) {
    boolean compiles = language != Language.ASSEMBLY;
    List<String> found = new ArrayList<>();
    if (compiles && given.stream().noneMatch(option -> option.startsWith("-O"))) {
      found.add(OPTIMIZATION);
    }
    for (Iterator<String> rest = given.iterator(); rest.hasNext(); ) {
      String option = rest.next();
      if (compiles && option.equals(LlvmOptions.FLAG)) {
        found.addAll(List.of(option, rest.next()));
      } else if (allowed(language).matcher(option).matches()
          || (language == Language.RUST && CrateOptions.is(option))) {
        found.add(option);
      } else {
        throw new IllegalArgumentException(
            "option %s is not for %s, which takes %s".formatted(option, language, taken(language)));
      }
    }
    return List.copyOf(found);
  }

  private static Pattern allowed(Language language) {
    return switch (language) {
      case RUST -> OF_RUST;
      case ASSEMBLY -> OF_ASSEMBLY;
      case HIP, LLVM_IR -> OF_IR;
    };
  }

  private static String taken(Language language) {
    return switch (language) {
      case RUST -> "-O, -mllvm, -mcode-object-version= and -DNAME or -DNAME=VALUE for a cfg";
      case ASSEMBLY -> "-mcode-object-version=, -mwavefrontsize64, -mcumode and -mtgsplit";
      case HIP, LLVM_IR ->
          "-O, -mllvm and options that choose how code is made, such as -ffp-contract=fast";
    };
  }
}
