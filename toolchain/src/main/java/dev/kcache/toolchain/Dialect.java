// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How to talk to one kind of compiler: what to ask it, what its answers mean, and which command
 * compiles a job. It runs nothing itself and remembers nothing: {@link CompilerQuery} asks.
 *
 * <p>Implementations are safe for use by any number of threads.
 */
public interface Dialect {
  /**
   * Asks for the version.
   *
   * @param query runs the compiler's programs
   * @return the version that the compiler tells
   * @throws ToolchainNotFoundException if the compiler can't be run or says something else
   */
  CompilerVersion version(CompilerQuery query);

  /**
   * Asks which processors it compiles for.
   *
   * @param query runs the compiler's programs
   * @return at least one
   * @throws ToolchainNotFoundException if the compiler can't be run or does not tell
   */
  Set<Processor> processors(CompilerQuery query);

  /**
   * Asks whether it compiles for one processor, which may be quicker than asking for all.
   *
   * @param query runs the compiler's programs
   * @param processor one of the compiler's platform
   * @return whether {@link #processors} has it
   * @throws ToolchainNotFoundException if the compiler can't be run or does not tell
   */
  default boolean compilesFor(CompilerQuery query, Processor processor) {
    return processors(query).contains(processor);
  }

  /**
   * Asks which commands it would run for a target and options; compiles nothing.
   *
   * @param query runs the compiler's programs
   * @param target what would be compiled for
   * @param options the options of the kernel
   * @return the commands that the driver would run, in order
   * @throws CompilationException if it refuses them
   */
  PlannedCommands plan(CompilerQuery query, TargetId target, List<String> options);

  /**
   * {@return the command that compiles a job in its staging directory} It writes what {@link
   * OutputNames} names.
   *
   * @param job what to compile, and how
   * @throws CompilationException if an option of the job has no meaning for this compiler
   */
  List<String> command(Toolchain.Job job);

  /**
   * {@return the driver's own files, whether they are there or not: scripts, settings, version}
   *
   * @param query tells about the driver; nothing is run
   */
  Set<Path> files(CompilerQuery query);

  /**
   * {@return those of its own files whose content decides a result beside what it prints}
   *
   * @param query tells about the driver; nothing is run
   */
  default Set<Path> identityFiles(CompilerQuery query) {
    return files(query);
  }

  /**
   * {@return the headers that the compiler lacks, by their paths in {@link OutputNames#HEADERS}}
   */
  default List<Toolchain.SourceFile> headers() {
    return List.of();
  }

  /**
   * {@return the directories in which the compiler looks for its own headers, if that is known
   * without asking; otherwise its commands tell}
   */
  default Optional<Set<Path>> includeDirectories() {
    return Optional.empty();
  }

  /**
   * {@return whether a header of the system is one for this compiler}
   *
   * @param header the header's absolute path
   */
  default boolean mayRead(Path header) {
    return true;
  }

  /**
   * {@return whether the commands that it prints give what it makes, if they are run without it}
   */
  default boolean runsAsPrinted() {
    return false;
  }

  /**
   * {@return the problem of a run that failed, if this knows better than the first error of a log}
   *
   * @param result how the run ended
   * @param log with the user's names for the files
   */
  default Optional<String> problem(ProgramResult result, String log) {
    return Optional.empty();
  }

  /**
   * {@return whether a run of the printed commands failed for a reason that the driver has too}
   *
   * @param result how the run ended
   */
  default boolean failsAnyhow(ProgramResult result) {
    return false;
  }
}
