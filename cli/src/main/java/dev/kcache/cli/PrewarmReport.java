// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cli.Outcome.Status;
import dev.kcache.toolchain.CompilationException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reports the progress of a prewarm: a line per task and a summary on standard output unless a
 * document is wanted there, and on standard error a progress bar, what compilers print, and a line
 * per problem. Not safe for use by several threads.
 */
final class PrewarmReport implements PrewarmRun.Observer {
  private static final int STATUS_WIDTH = 8;

  private final CliContext context;
  private final CommonOptions options;
  private final int total;
  private final int parallelism;
  private final ProgressBar bar;
  private final Set<String> toldProblems = new HashSet<>();
  private final CompilerOutput compilerOutput = new CompilerOutput();

  /** The problems of targets, whatever the kernel, with the number of kernels that met each. */
  private final Map<String, Integer> targetProblems = new LinkedHashMap<>();

  private int done;
  private int failed;
  private int compiled;
  private Duration compileTime = Duration.ZERO;
  private String current = "";
  private int exitCode = ExitCode.OK;

  PrewarmReport(CliContext context, CommonOptions options, int total, int parallelism) {
    this.context = context;
    this.options = options;
    this.total = total;
    this.parallelism = parallelism;
    this.bar = context.progressBar();
  }

  @Override
  public void started(Task task) {
    current = task.target() + " " + task.label();
    waiting();
  }

  @Override
  public void finished(Outcome outcome) {
    done++;
    bar.clear();
    if (outcome.failure() != null) {
      failed++;
      tellProblem(outcome.task(), outcome.failure());
    } else if (outcome.status() == Status.COMPILED) {
      compiled++;
      compileTime = compileTime.plus(outcome.compileTime());
      tellLog(outcome.log(), "");
    }
    if (!options.json()) {
      context.out().println(line(outcome));
    }
    waiting();
  }

  @Override
  public void waiting() {
    if (done < total) {
      bar.update(new Progress(done, failed, total, remaining(), current));
    }
  }

  /** Ends the report of a run that may have been interrupted; returns its exit code. */
  int end(List<Outcome> outcomes, Duration elapsed, boolean interrupted, Optional<Path> directory) {
    bar.clear();
    targetProblems.forEach(
        (problem, kernels) ->
            context.problem(problem + (kernels == 1 ? "" : " (" + kernels + " kernels)")));
    Summary summary = Summary.of(outcomes, total);
    if (!options.json()) {
      context.out().println(summary.line(elapsed));
    }
    if (summary.notKept() > 0) {
      boolean disabled = KcacheVariables.isSet("KCACHE_DISABLE", context.environment());
      context.problem(notKept(summary.notKept(), directory, disabled));
      exitCode = ExitCode.worse(exitCode, ExitCode.UNAVAILABLE);
    }
    if (interrupted) {
      context.problem("interrupted; what is finished is kept, run it again to do the rest");
      exitCode = ExitCode.INTERRUPTED;
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
      context.problem(task.target() + ": " + problem.line());
    } else if (toldProblems.add(problem.line())) {
      context.problem(problem.line());
    }
    if (options.stackTrace()) {
      failure.printStackTrace(context.err());
    }
  }

  /** Returns whether the problem may differ by target: a refused source is refused for all. */
  private static boolean isOfOneTarget(Throwable failure, Problem problem) {
    return problem.exitCode() == ExitCode.FAILED
        && !(Problem.unwrap(failure) instanceof InvalidKernelSourceException);
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

  private @Nullable Duration remaining() {
    int rest = total - done;
    if (compiled == 0) {
      return null;
    }
    // Not by Duration's division, which takes BigDecimal and its classes.
    long each = compileTime.toMillis() / compiled;
    return Duration.ofMillis(each * rest / Math.min(parallelism, rest));
  }

  private static String padded(String status) {
    return status + " ".repeat(Math.max(0, STATUS_WIDTH - status.length()));
  }

  private static String line(Outcome outcome) {
    Task task = outcome.task();
    String line =
        padded(outcome.status().name().toLowerCase(Locale.ROOT))
            + "  "
            + task.target()
            + "  "
            + Text.oneLine(task.label());
    if (outcome.codeObject() == null) {
      return line;
    }
    if (!outcome.compileTime().isZero()) {
      // A hit spared this time.
      String saved = outcome.status() == Status.HIT ? "saved " : "";
      line += "  " + saved + Text.duration(outcome.compileTime());
    }
    return line + "  " + Text.bytes(outcome.size()) + "  " + outcome.codeObject();
  }

  private static String notKept(long count, Optional<Path> directory, boolean disabled) {
    String kept = Text.count(count, "code object") + " could not be kept";
    return directory
        .map(
            path ->
                kept
                    + " in '"
                    + Text.oneLine(path.toString())
                    + "'; make sure that it is a directory that you own and can write to,"
                    + " with room on its disk")
        .orElse(
            kept
                + (disabled
                    ? ": KCACHE_DISABLE is set; unset it"
                    : ": there is no cache directory; set KCACHE_DIR"));
  }
}
