// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.language.ClangPrograms;
import dev.kcache.toolchain.language.SourceLanguage;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One compile of a source that is not HIP, by the clang and lld behind a driver. */
public final class LanguageCompilation {
  private final Toolchain.Job job;
  private final DriverQuery query;
  private final SourceLanguage language;

  /**
   * Asks the driver for its programs, if that is not known.
   *
   * @throws CompilationException if the driver refuses the target or the options
   */
  public LanguageCompilation(Toolchain.Job job, DriverSession session, DriverProbe probe) {
    this.job = job;
    this.query = session.query();
    ClangPrograms programs = probe.programs(job.target(), job.options());
    this.language = SourceLanguage.of(job, programs);
  }

  /**
   * Compiles and checks.
   *
   * @throws CompilationException if there is no code object that may be kept
   */
  public Toolchain.Output run() throws IOException, InterruptedException {
    try (Staging staging = query.stage()) {
      for (Toolchain.SourceFile file : job.source().files()) {
        staging.put(file);
      }
      Duration printing = Duration.ZERO;
      Optional<List<String>> command = language.printing();
      if (command.isPresent()) {
        printing = print(staging, command.get());
      }
      return compile(staging, printing);
    }
  }

  private Duration print(Staging staging, List<String> command)
      throws IOException, InterruptedException {
    CompileOutcome outcomes = new CompileOutcome(job, command);
    ProgramResult outcome =
        query.compile(List.of(command), staging, SourceLanguage.ENVIRONMENT, job.timeout());
    String log = succeeded(outcomes, staging, outcome);
    byte[] printed =
        BoundedFile.read(staging.resolve(SourceLanguage.PRINTED), CompileOutcome.mostBytes());
    Optional<String> refusal = language.check(new String(printed, ISO_8859_1));
    if (refusal.isPresent()) {
      throw outcomes.failure(outcome, log, refusal.get());
    }
    return outcome.elapsed();
  }

  private Toolchain.Output compile(Staging staging, Duration spent)
      throws IOException, InterruptedException {
    List<List<String>> commands = language.compiling();
    List<String> command = commands.get(0);
    CompileOutcome outcomes = new CompileOutcome(job, command);
    ProgramResult outcome =
        query.compile(commands, staging, SourceLanguage.ENVIRONMENT, job.timeout().minus(spent));
    String log = succeeded(outcomes, staging, outcome);
    CodeObject code = outcomes.codeObject(staging, outcome, log, "; " + language.advice());
    Optional<String> refusal = language.check(code);
    if (refusal.isPresent()) {
      throw outcomes.failure(outcome, log, refusal.get());
    }
    return new Toolchain.Output(code, command, log, outcome.elapsed().plus(spent), List.of());
  }

  /** Returns the log of a run that succeeded. */
  private String succeeded(CompileOutcome outcomes, Staging staging, ProgramResult outcome) {
    String display =
        job.source().displayNames().getOrDefault(job.source().mainFile(), job.source().name());
    String log =
        CompilerLog.of(outcome.log(), job, List.of(), staging.temporary().toString())
            .replace(SourceLanguage.OBJECT, display);
    if (!outcome.succeeded()) {
      throw outcomes.failure(
          outcome, log, outcomes.reason(staging, outcome, log, language.problem(log)));
    }
    return log;
  }
}
