// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.source.LanguageOptions;
import dev.kcache.cache.source.LlvmOptions;
import dev.kcache.cache.source.OptionRules;
import dev.kcache.cache.source.Trigraphs;
import dev.kcache.toolchain.Language;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * The compiler options of a kernel, from an allow-list of those that neither read nor write files:
 * {@code -D -U -O -std= -f… -m… -W… -w -g…} less what a deny-list names, and {@code -mllvm} with
 * those of LLVM's options that only decide how code is made.
 *
 * <pre>{@code
 * CompileOptions options = CompileOptions.of("-DTILE=32", "-ffast-math", "-O2");
 * List<String> arguments = options.arguments(); // [-O2, -std=c++17, -DTILE=32, -ffast-math]
 * }</pre>
 *
 * <p>The form is canonical. One {@code -O} and one {@code -std=} stand first, the last ones given
 * or else {@code -O3} and {@code -std=c++17}, since their place among other options means nothing
 * to the compiler; all others follow in the order given, where the last one wins.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class CompileOptions {
  /** {@code -O3 -std=c++17}. */
  public static final CompileOptions DEFAULT = of();

  private final List<String> arguments;

  /** The arguments that somebody gave: those without the defaults. */
  private final List<String> given;

  private CompileOptions(List<String> arguments, List<String> given) {
    this.arguments = List.copyOf(arguments);
    this.given = List.copyOf(given);
  }

  /**
   * {@return the defaults, replaced and followed by {@code options} as the class says}
   *
   * @param options one argument each: {@code -DNAME=VALUE}, not {@code -D NAME=VALUE}; one of
   *     LLVM's own follows {@code -mllvm}, as the next argument or after {@code =}
   * @throws IllegalArgumentException if an option is outside the allow-list; the message names what
   *     serves instead
   */
  public static CompileOptions of(String... options) {
    requireNonNull(options, "options");
    return of(Arrays.asList(options));
  }

  /**
   * {@return the defaults, replaced and followed by {@code options} as the class says}
   *
   * @param options as {@link #of(String...)} takes them; copied
   * @throws IllegalArgumentException if an option is outside the allow-list; the message names what
   *     serves instead
   */
  public static CompileOptions of(List<String> options) {
    requireNonNull(options, "options");
    Optional<String> optimization = Optional.empty();
    Optional<String> standard = Optional.empty();
    List<String> others = new ArrayList<>();
    for (Iterator<String> rest = options.iterator(); rest.hasNext(); ) {
      String option = rest.next();
      if (LlvmOptions.isFlag(option)) {
        others.addAll(List.of(LlvmOptions.FLAG, passed(option, rest)));
        continue;
      }
      OptionRules.check(option);
      if (option.startsWith("-O")) {
        optimization = Optional.of(option);
      } else if (option.startsWith("-std=")) {
        standard = Optional.of(option);
      } else {
        others.add(option);
      }
    }
    List<String> arguments = new ArrayList<>();
    arguments.add(optimization.orElse(LanguageOptions.OPTIMIZATION));
    arguments.add(standard.orElse(LanguageOptions.STANDARD));
    arguments.addAll(others);
    List<String> given = new ArrayList<>();
    optimization.ifPresent(given::add);
    standard.ifPresent(given::add);
    given.addAll(others);
    return new CompileOptions(arguments, given);
  }

  /** Returns what {@code -mllvm=X} passes, or {@code -mllvm} and the next option. */
  private static String passed(String option, Iterator<String> rest) {
    if (!option.equals(LlvmOptions.FLAG)) {
      return LlvmOptions.check(option, option.substring(LlvmOptions.FLAG.length() + 1).strip());
    }
    String next = rest.hasNext() ? rest.next() : "";
    return LlvmOptions.check((option + " " + next).strip(), next);
  }

  /**
   * Returns these options for a source in a language, which has the defaults that mean something
   * there.
   *
   * @throws IllegalArgumentException if one that was given is not for the language
   */
  CompileOptions in(Language language) {
    return language == Language.HIP
        ? this
        : new CompileOptions(LanguageOptions.of(language, given), given);
  }

  /**
   * {@return the arguments for the compiler, in order: the optimization and the standard first,
   * where the language has them}
   */
  public List<String> arguments() {
    return arguments;
  }

  /** Returns those of the arguments that change what a source means: macros and the standard. */
  List<String> decisive() {
    return arguments.stream()
        .filter(argument -> argument.startsWith("-D") || Trigraphs.areReplacedBy(argument))
        .toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CompileOptions options && arguments.equals(options.arguments);
  }

  @Override
  public int hashCode() {
    return arguments.hashCode();
  }

  @Override
  public String toString() {
    return String.join(" ", arguments);
  }
}
