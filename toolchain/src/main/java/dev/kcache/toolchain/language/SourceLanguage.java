// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.language;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.Toolchain;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a source that is not HIP becomes a code object: which commands compile it, and which results
 * of a compiler that claims success are of no use. An instance is for one compile.
 *
 * <p>The identity of a toolchain has the programs, not these words: whoever changes what they make
 * bumps the schema of the identity.
 */
public interface SourceLanguage {
  /** Where the command of {@link #printing} writes. */
  String PRINTED = "../module.ll";

  /** Where a compiler leaves the object for the linker. */
  String OBJECT = "../module.o";

  /**
   * Has clang (since 16) read no configuration file. One for the GPU's target is not read for HIP,
   * so the identity of the driver does not have it; of older clangs, none is read by that name.
   */
  Map<String, String> ENVIRONMENT = Map.of("CLANG_NO_DEFAULT_CONFIG", "1");

  /** The oldest code object version that is kept: older ones fix every feature of their target. */
  int OLDEST = 4;

  /**
   * Returns how a job is compiled.
   *
   * @param programs what compiles and links it
   */
  static SourceLanguage of(Toolchain.Job job, ClangPrograms programs) {
    return switch (job.source().language()) {
      case LLVM_IR -> new LlvmIr(job, programs);
      case ASSEMBLY -> new Assembly(job, programs);
      case HIP, RUST ->
          throw new IllegalArgumentException(
              job.source().language() + " has a compiler of its own");
    };
  }

  /**
   * Returns the command that prints in {@link #PRINTED} what the compiler understands of a source
   * that hides it, to be seen by {@link #check(String)} before anything else is run.
   */
  default Optional<List<String>> printing() {
    return Optional.empty();
  }

  /** Returns why a source is refused, by what the compiler printed. */
  default Optional<String> check(String printed) {
    return Optional.empty();
  }

  /** Returns the commands that compile and link, each run when the one before has succeeded. */
  List<List<String>> compiling();

  /**
   * Returns the problem of a command that failed, if this knows better than the first error of a
   * log.
   */
  default Optional<String> problem(String log) {
    return Optional.empty();
  }

  /** Returns what a source needs so that its result has a kernel, as the end of a sentence. */
  String advice();

  /** Returns why a result is refused that HIP's compiler would never give. */
  default Optional<String> check(CodeObject code) {
    return unusable(code, advice());
  }

  /**
   * Returns why a result is of no use, whatever it was written in.
   *
   * @param advice what a source needs so that its result has a kernel, as the end of a sentence
   */
  static Optional<String> unusable(CodeObject code, String advice) {
    if (code.abiVersion() < OLDEST) {
      return Optional.of(
          "the source asks for code object version "
              + code.abiVersion()
              + ", which is too old; ask for version 4, 5 or 6");
    }
    return code.kernels().isEmpty()
        ? Optional.of("the result has no kernel; " + advice)
        : Optional.empty();
  }

  /**
   * Returns what in a printed module lets assembler code read files, which no compiler lists, as
   * the end of a sentence.
   */
  static Optional<String> readingAssembler(String printed) {
    return LlvmIr.readingAssembler(printed);
  }
}
