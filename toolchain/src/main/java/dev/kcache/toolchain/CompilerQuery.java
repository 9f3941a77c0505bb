// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Asks a compiler's programs, each question in a directory of its own, which answers call {@code
 * (work)}, and its temporary files {@code (temporary)}.
 *
 * <p>Safe for use by any number of threads.
 */
public interface CompilerQuery {
  /** Returns what is known of the compiler without asking it. */
  DialectFacts facts();

  /** Returns how long an answer may take. */
  Duration time();

  /**
   * Runs a command that answers a question in words and names of files. The directory that it runs
   * in holds an empty {@link PlannedCommands#FILE}.
   *
   * @throws ToolchainNotFoundException if it can't be run, or was ended at a limit
   */
  default ProgramResult ask(List<String> command) {
    return ask(command, "", time());
  }

  /** As {@link #ask(List)}, with a text in that file, and less time. */
  ProgramResult ask(List<String> command, String text, Duration limit);

  /**
   * Returns the commands that a clang's driver prints for {@code -###}, which the command has.
   *
   * @throws CompilationException if it refuses the command
   */
  PlannedCommands printedCommands(List<String> command);

  /**
   * An answer to remember.
   *
   * @param lines the answer, each line a list of words
   * @param files those whose change makes the answer void
   */
  record Answer(List<List<String>> lines, Set<Path> files) {
    /** Copies the collections. */
    public Answer {
      lines = lines.stream().map(List::copyOf).toList();
      files = Set.copyOf(files);
    }
  }

  /**
   * Returns the lines of an answer, remembered for as long as its files and the dynamic linker's
   * choice of libraries are what they were.
   *
   * @param kind tells this question from others to the same compiler
   * @param sound whether lines have the form of an answer; what is remembered may be damaged
   */
  List<List<String>> remembered(
      String kind, Predicate<List<List<String>>> sound, Supplier<Answer> ask);

  /** Returns the failure of a compiler that ran and did not answer, with what it said instead. */
  default ToolchainNotFoundException unusable(ProgramResult result, String problem) {
    return unusable(problem + result.complaint().map(line -> ": " + line).orElse(""));
  }

  /** Returns the failure of a compiler that is of no use. */
  default ToolchainNotFoundException unusable(String problem) {
    return new ToolchainNotFoundException(
        facts().program() + ": " + problem + "; " + facts().repair());
  }

  /** Returns the failure of a driver that does not say what it would run. */
  CompilationException refusal(List<String> command, ProgramResult result);
}
