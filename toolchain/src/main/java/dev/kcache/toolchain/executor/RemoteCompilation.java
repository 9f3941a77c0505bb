// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.compile.CompileOutcome;
import dev.kcache.toolchain.compile.CompilerLog;
import dev.kcache.toolchain.compile.ReadFiles;
import dev.kcache.toolchain.probe.LinuxPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** One compile of one job on an executor's machines, and the checks of its result. */
final class RemoteCompilation {
  private final Toolchain.Job job;
  private final Dialect dialect;
  private final RemoteMachine machine;
  private final RemoteFiles files;
  private final List<String> command;
  private final CompileOutcome outcomes;

  /**
   * Prepares the compile; runs nothing.
   *
   * @throws dev.kcache.toolchain.CompilationException if an option of the job has no meaning for
   *     the compiler
   */
  RemoteCompilation(Toolchain.Job job, Dialect dialect, RemoteMachine machine, RemoteFiles files) {
    this.job = job;
    this.dialect = dialect;
    this.machine = machine;
    this.files = files;
    command = dialect.command(job);
    outcomes = new CompileOutcome(job, command);
  }

  /**
   * Compiles and checks.
   *
   * @param ownHeaders whether a file is one of the compiler's headers
   * @throws IOException if no machine has compiled it
   * @throws dev.kcache.toolchain.CompilationException if the compile gave no code object that may
   *     be kept
   */
  Toolchain.Output run(Predicate<LinuxPath> ownHeaders) throws IOException, InterruptedException {
    String image = beside(OutputNames.CODE_OBJECT);
    String list = beside(OutputNames.DEPENDENCIES);
    RemoteMachine.Run run =
        machine.run(command, job.source().files(), List.of(image, list), job.timeout());
    ProgramResult outcome = run.result();
    String log = CompilerLog.of(outcome.log(), job, List.of(), run.temporary().toString());
    if (!outcome.succeeded()) {
      Optional<String> known = dialect.problem(outcome, log);
      throw outcomes.failure(outcome, log, outcomes.reason(outcome, log, known));
    }
    ReadFiles read = new ReadFiles(job, outcomes, outcome, log);
    Set<LinuxPath> own =
        read.own(
            run.files().getOrDefault(list, new byte[0]),
            name -> run.work().resolve(name).normalize(),
            file -> false,
            ownHeaders,
            file -> true);
    files.look(own);
    return new Toolchain.Output(
        outcomes.codeObject(run.files().getOrDefault(image, new byte[0]), outcome, log, ""),
        new ArrayList<>(command),
        log,
        outcome.elapsed(),
        read.digested(own, files::digest));
  }

  /** What lies beside the source for the program lies in the command's directory. */
  private static String beside(String name) {
    return name.substring("../".length());
  }
}
