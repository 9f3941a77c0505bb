// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a compiler before it is asked anything.
 *
 * @param program the absolute path of the program, or of the library that a program loads
 * @param environment what it always runs in, without TMPDIR: reduced to what decides which compiler
 *     it finds, so that flags which the user's variables would add never reach it
 * @param platform the platform whose code objects it makes
 * @param keyWords what its answers depend on beside the program and the environment
 * @param repair what to do about one that is of no use, as the end of a sentence
 * @param notice what to tell users once when it compiles in place of the platform's own compiler
 * @param traits what it does otherwise than most
 */
public record DialectFacts(
    Path program,
    Map<String, String> environment,
    Platform platform,
    List<String> keyWords,
    String repair,
    Optional<String> notice,
    Set<Trait> traits) {
  /** What a compiler does otherwise than most. */
  public enum Trait {
    /** Needs the headers that {@link Dialect#headers} returns. */
    LACKS_HEADERS,
    /** Puts a large header of its own before each source, which takes long to read. */
    HAS_LARGE_PREFIX,
    /** Prints its log to standard error only; what its program prints besides is none of it. */
    LOGS_TO_STANDARD_ERROR,
    /** Depends on no shared library of the machine that would decide a result. */
    IS_SELF_CONTAINED,
    /** Runs a clang and an lld, which compile LLVM IR and assembly for AMD's processors too. */
    HAS_CLANG,
    /** Gives the name of the temporary directory to a shell, between double quotes. */
    USES_A_SHELL
  }

  /**
   * Copies the collections.
   *
   * @param program the absolute path of the program, or of the library that a program loads
   * @param environment what it always runs in, without TMPDIR: reduced to what decides which
   *     compiler it finds, so that flags which the user's variables would add never reach it
   * @param platform the platform whose code objects it makes
   * @param keyWords what its answers depend on beside the program and the environment
   * @param repair what to do about one that is of no use, as the end of a sentence
   * @param notice what to tell users once when it compiles in place of the platform's own compiler
   * @param traits what it does otherwise than most
   */
  public DialectFacts {
    requireNonNull(program, "program");
    requireNonNull(environment, "environment");
    requireNonNull(platform, "platform");
    requireNonNull(keyWords, "keyWords");
    requireNonNull(repair, "repair");
    requireNonNull(notice, "notice");
    requireNonNull(traits, "traits");
    environment = Map.copyOf(environment);
    keyWords = List.copyOf(keyWords);
    traits = Set.copyOf(traits);
  }

  /**
   * {@return whether the compiler has a trait}
   *
   * @param trait one that this compiler may lack
   */
  public boolean has(Trait trait) {
    requireNonNull(trait, "trait");
    return traits.contains(trait);
  }

  /** {@return the name of the program without its place} */
  public String name() {
    return program.getFileName().toString();
  }
}
