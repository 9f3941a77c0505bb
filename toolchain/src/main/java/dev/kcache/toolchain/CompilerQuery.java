// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Runs a compiler's programs to ask questions, each in a directory of its own. Answers have {@code
 * (work)} instead of that directory, and {@code (temporary)} instead of temporary files.
 *
 * <p>Safe for use by any number of threads.
 */
public interface CompilerQuery {
  /** {@return the facts about the compiler that are known without running it} */
  DialectFacts facts();

  /** {@return the time limit for an answer} */
  Duration time();

  /**
   * Runs a command that answers a question. Its working directory contains an empty {@link
   * PlannedCommands#FILE}.
   *
   * @param command the program's absolute path, then its arguments
   * @return how the program ended and what it printed, whatever its exit code
   * @throws ToolchainNotFoundException if it can't be run, or was ended at a limit
   */
  default ProgramResult ask(List<String> command) {
    return ask(command, "", time());
  }

  /**
   * As {@link #ask(List)}, with a text in that file and a shorter time limit.
   *
   * @param command the program's absolute path, then its arguments
   * @param text what {@link PlannedCommands#FILE} contains
   * @param limit how long the program may run; no longer than {@link #time}
   * @return how the program ended and what it printed, whatever its exit code
   */
  ProgramResult ask(List<String> command, String text, Duration limit);

  /**
   * {@return the commands that a clang driver prints for a command with {@code -###}}
   *
   * @param command the driver's absolute path, then its arguments without {@code -###}
   * @throws CompilationException if the driver refuses the command
   */
  PlannedCommands printedCommands(List<String> command);

  /**
   * An answer to store.
   *
   * @param lines the answer, each line a list of words
   * @param files the files whose change invalidates the answer
   */
  record Answer(List<List<String>> lines, Set<Path> files) {
    /**
     * Copies the collections.
     *
     * @param lines the answer, each line a list of words
     * @param files the files whose change invalidates the answer
     */
    public Answer {
      lines = lines.stream().map(List::copyOf).toList();
      files = Set.copyOf(files);
    }
  }

  /**
   * {@return the lines of an answer, which is stored and holds while its files and the dynamic
   * linker's index of libraries are unchanged}
   *
   * @param kind the kind of question, unique for the compiler
   * @param sound tells whether lines have the form of an answer, since stored ones may be damaged
   * @param ask asks the compiler, where no answer is stored or it no longer holds
   */
  List<List<String>> remembered(
      String kind, Predicate<List<List<String>>> sound, Supplier<Answer> ask);

  /**
   * {@return the exception for a compiler that ran and gave no answer, with its output}
   *
   * @param result what the compiler was asked last
   * @param problem what is wrong with its answer, as a phrase
   */
  default ToolchainNotFoundException unusable(ProgramResult result, String problem) {
    return unusable(problem + result.complaint().map(line -> ": " + line).orElse(""));
  }

  /**
   * {@return the exception for a compiler that can't be used}
   *
   * @param problem what is wrong with it, as a phrase
   */
  default ToolchainNotFoundException unusable(String problem) {
    return new ToolchainNotFoundException(
        facts().program() + ": " + problem + "; " + facts().repair());
  }

  /**
   * {@return the exception for a driver that does not print its commands}
   *
   * @param command what was run, the program first
   * @param result how it ended
   */
  CompilationException refusal(List<String> command, ProgramResult result);
}
