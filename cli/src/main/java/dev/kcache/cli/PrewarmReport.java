// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cli.Outcome.Status;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ExecutorLoad;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reports the progress of a prewarm: a line per task and a summary on standard output unless a
 * document is wanted there, and on standard error a progress bar, what compilers print, and a line
 * per problem. Not safe for use by several threads.
 */
final class PrewarmReport implements PrewarmRun.Observer {
  private static final int STATUS_WIDTH = 8;
  private static final int LABEL = 2;

  private final Verb verb;
  private final CliContext context;
  private final int parallelism;
  private final Supplier<Optional<ExecutorLoad>> load;
  private final int columns;
  private final ProgressBar bar;
  private final Summary summary;
  private final Set<String> toldProblems = new HashSet<>();
  private final CompilerOutput compilerOutput = new CompilerOutput();

  /** The problems of targets, whatever the kernel, with the number of kernels that met each. */
  private final Map<String, Integer> targetProblems = new LinkedHashMap<>();

  private String current = "";
  private int exitCode = ExitCode.OK;

  /**
   * Creates a report.
   *
   * @param load tells where the compiles are, if an executor's machines run them
   * @param columns the width that the lines of tasks have to fit; 0 if they may have any
   */
  PrewarmReport(
      Verb verb, int total, int parallelism, Supplier<Optional<ExecutorLoad>> load, int columns) {
    this.verb = verb;
    this.context = verb.context;
    this.parallelism = parallelism;
    this.load = load;
    this.columns = columns;
    this.bar = context.progressBar();
    this.summary = new Summary(total);
  }

  @Override
  public void started(Task task) {
    current = task.target() + " " + task.label();
    waiting();
  }

  @Override
  public void finished(Outcome outcome) {
    summary.add(outcome);
    bar.clear();
    if (outcome.failure() != null) {
      tellProblem(outcome.task(), outcome.failure());
    } else if (outcome.status() == Status.COMPILED) {
      tellLog(outcome.log(), "");
    }
    if (!verb.json()) {
      Text.fit(List.of(cells(outcome)), LABEL, columns).forEach(context.out()::println);
    }
    waiting();
  }

  @Override
  public void waiting() {
    if (!summary.isComplete()) {
      Optional<ExecutorLoad> remote = load.get();
      int together = remote.map(each -> Math.max(1, each.running())).orElse(parallelism);
      bar.update(summary.progress(together, remote.map(PrewarmReport::describe).orElse(current)));
    }
  }

  private static String describe(ExecutorLoad load) {
    return load.running() + " running, " + load.queued() + " queued";
  }

  /** Returns the run in numbers, as far as it has come. */
  Summary summary() {
    return summary;
  }

  /** Takes the bar away and prints a line for each problem that is a target's. */
  void tellTargetProblems() {
    bar.clear();
    targetProblems.forEach(
        (problem, kernels) ->
            context.problem(problem + (kernels == 1 ? "" : " (" + kernels + " kernels)")));
  }

  /**
   * Prints what the user should know after the summary; returns the exit code of the run. Why code
   * objects could not be kept was said when the first one was not, unless it was asked for.
   */
  int end() {
    if (summary.notKept() > 0) {
      if (KcacheVariables.isSet("KCACHE_DISABLE", context.environment())) {
        context.problem("nothing is kept: KCACHE_DISABLE is set; unset it");
      }
      exitCode = ExitCode.worse(exitCode, ExitCode.UNAVAILABLE);
    }
    return exitCode;
  }

  private void tellProblem(Task task, Throwable failure) {
    Problem problem = Problem.of(failure);
    exitCode = ExitCode.worse(exitCode, problem.exitCode());
    tellLog(problem.log(), problem.line());
    if (isOfTarget(failure, task)) {
      targetProblems.merge(task.target() + ": " + problem.line(), 1, Integer::sum);
    } else if (isOfOneTarget(failure, problem)) {
      String line = compilerOutput.withoutShown(problem.line(), task.source().name());
      context.problem(task.target() + ": " + line);
    } else if (toldProblems.add(problem.line())) {
      context.problem(problem.line());
    }
    if (verb.stackTrace()) {
      failure.printStackTrace(context.err());
    }
  }

  /**
   * Returns whether the problem may differ by target and does not name it: a refused source is
   * refused for all.
   */
  private static boolean isOfOneTarget(Throwable failure, Problem problem) {
    Throwable cause = Problem.unwrap(failure);
    return problem.exitCode() == ExitCode.FAILED
        && !(cause instanceof InvalidKernelSourceException)
        && !(cause instanceof CacheMissException);
  }

  /** Returns whether the compiler failed before it was given the source. */
  private static boolean isOfTarget(Throwable failure, Task task) {
    return Problem.unwrap(failure) instanceof CompilationException compilation
        && !compilation.source().equals(task.source().name());
  }

  /** Prints what the compiler printed, unless the problem's line says all of it. */
  private void tellLog(String log, String problem) {
    if (!problem.contains(CompilerOutput.withoutClosing(log))) {
      compilerOutput.news(log).ifPresent(context.err()::println);
    }
  }

  private List<String> cells(Outcome outcome) {
    Task task = outcome.task();
    String status = Text.lower(outcome.status());
    List<String> cells = new ArrayList<>();
    cells.add(status + " ".repeat(STATUS_WIDTH - status.length()));
    cells.add(task.target().toString());
    cells.add(Text.oneLine(task.label()));
    Outcome.Made made = outcome.made();
    if (made == null) {
      return cells;
    }
    if (!outcome.compileTime().isZero()) {
      String of = outcome.status() == Status.HIT ? "saved " : "in ";
      cells.add(of + Text.duration(outcome.compileTime()));
    }
    cells.add(Text.bytes(made.size()));
    cells.add(columns == 0 ? made.codeObject().toString() : Text.digits(made.codeObject()));
    return cells;
  }
}
