// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.ZstandardUnavailableException;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What the runs of a job's compiler came to: its code object, or why there is none. */
public final class CompileOutcome {
  /** The largest code object, as in the store. */
  private static final long MOST_BYTES = 1 << 30;

  private final Toolchain.Job job;
  private final List<String> command;

  /**
   * Knows of a job.
   *
   * @param command what failures name
   */
  public CompileOutcome(Toolchain.Job job, List<String> command) {
    this.job = job;
    this.command = command;
  }

  /**
   * Returns why a run failed.
   *
   * @param known what the compiler's dialect knows of it
   */
  public String reason(Staging staging, ProgramResult outcome, String log, Optional<String> known) {
    return outcome.end() == ProgramResult.End.KILLED && staging.isFull()
        ? "there is no room left in "
            + staging.parent()
            + "; make room there, or set TMPDIR to a directory that has some"
        : reason(outcome, log, known);
  }

  /**
   * Returns why a run failed on a machine that has room.
   *
   * @param known what the compiler's dialect knows of it
   */
  public String reason(ProgramResult outcome, String log, Optional<String> known) {
    return switch (outcome.end()) {
      case TIMED_OUT ->
          "the compiler "
              + RunLimits.ofCompile(job.timeout()).explain(outcome.end())
              + "; "
              + DriverQuery.MORE_TIME;
      case PRINTED_TOO_MUCH, WROTE_TOO_MUCH ->
          "the compiler "
              + command.get(0)
              + " "
              + outcome.excess().orElseThrow()
              + "; "
              + outcome.firstWords();
      case CLOSED -> "the compiler was ended because the cache was closed";
      case KILLED ->
          "the compiler was killed by something else, such as a lack of memory; run fewer at once";
      case EXITED ->
          known
              .or(() -> Diagnostic.firstError(log))
              .orElseGet(
                  () ->
                      log.isBlank()
                          ? DriverQuery.wordless("the compiler", outcome)
                          : "the compiler failed with exit code " + outcome.exitCode());
    };
  }

  /**
   * Returns the code object that a run wrote here.
   *
   * @param advice what to do about one that is malformed, as the end of a sentence, or nothing
   * @throws CompilationException if it wrote none that may be kept
   */
  public CodeObject codeObject(Staging staging, ProgramResult outcome, String log, String advice)
      throws IOException {
    byte[] image;
    try {
      image = BoundedFile.read(staging.resolve(OutputNames.CODE_OBJECT), mostBytes());
    } catch (BoundedFile.TooLongException e) {
      throw failure(
          outcome,
          log,
          "the compiler wrote more than the "
              + mostBytes() / 1_000_000
              + " MB that Java has room for; give it more memory with KCACHE_JAVA_OPTS=-Xmx...");
    } catch (FileNotFoundException e) {
      throw nothing(outcome, log);
    }
    return codeObject(image, outcome, log, advice);
  }

  /**
   * Returns the code object in what a run wrote. A hipcc that is not AMD's own may bundle it
   * against its options, and compress the bundle too.
   *
   * @param advice what to do about one that is malformed, as the end of a sentence, or nothing
   * @throws CompilationException if it is none that may be kept
   */
  public CodeObject codeObject(byte[] image, ProgramResult outcome, String log, String advice) {
    if (image.length == 0) {
      throw nothing(outcome, log);
    }
    CodeObject code;
    try {
      code = OffloadBundle.unpack(image, job.target());
    } catch (MalformedCodeObjectException e) {
      throw failure(outcome, log, "the compiler wrote no code object: " + e.getMessage() + advice);
    } catch (ZstandardUnavailableException e) {
      throw failure(outcome, log, "the compiler's result cannot be read: " + e.getMessage());
    } catch (IncompatibleTargetException e) {
      throw wrongTarget(outcome, log, String.join(", ", e.contents()));
    }
    if (!code.target().equals(job.target())) {
      throw wrongTarget(outcome, log, code.target().toString());
    }
    if (code.isStripped()) {
      throw failure(
          outcome,
          log,
          "the compiler's result cannot be loaded: " + code.whyNotLoadable().orElseThrow());
    }
    return code;
  }

  /**
   * A quarter of the heap, since a code object is copied when it is checked and when it is
   * unpacked.
   */
  static int mostBytes() {
    return (int) Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / 4);
  }

  /** Returns the exception for a compile that wrote no code object. */
  public CompilationException nothing(ProgramResult outcome, String log) {
    return failure(outcome, log, "the compiler succeeded but wrote no code object");
  }

  private CompilationException wrongTarget(ProgramResult outcome, String log, String made) {
    return failure(
        outcome,
        log,
        "the compiler made a code object for "
            + made
            + ", not for "
            + job.target()
            + "; ask for that target, and leave options such as -mxnack away");
  }

  /** Returns the exception for a compile that gave nothing to keep. */
  public CompilationException failure(ProgramResult outcome, String log, String problem) {
    if (outcome.end() == ProgramResult.End.TIMED_OUT) {
      return new CompilationTimeoutException(
          job.source().name(), problem, command, log, job.timeout());
    }
    return new CompilationException(job.source().name(), problem, command, outcome.exitCode(), log);
  }
}
