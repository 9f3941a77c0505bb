// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.pch.DirectCompilation;
import dev.kcache.toolchain.pch.DirectPlan;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** One compile of one job, and the checks of its result. */
public final class Compilation {
  /** Each of the two steps of making a header may take a quarter of a compile's time. */
  private static final int HEADER_SHARE = 4;

  /** Far more than a compile needs: a thousand dependencies take about 150 KiB. */
  private static final int MOST_LIST_BYTES = 8 << 20;

  private final Toolchain.Job job;
  private final Dialect dialect;
  private final DriverQuery query;
  private final DriverProbe probe;
  private final FileDigests digests;
  private final List<String> command;
  private final CompileOutcome outcomes;

  /**
   * Prepares the compile; runs nothing.
   *
   * @throws CompilationException if an option of the job has no meaning for the compiler
   */
  public Compilation(
      Toolchain.Job job, DriverSession session, DriverProbe probe, FileDigests digests) {
    this.job = job;
    this.dialect = session.dialect();
    this.query = session.query();
    this.probe = probe;
    this.digests = digests;
    this.command = dialect.command(job);
    this.outcomes = new CompileOutcome(job, command);
  }

  /**
   * Compiles and checks.
   *
   * @param direct plans compiles without the driver
   * @throws CompilationException if the compile gave no code object that may be kept
   */
  public Toolchain.Output run(DirectCompilation direct) throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (Staging staging = query.stage()) {
      Optional<DirectPlan> plan = plan(direct, staging);
      Duration left = job.timeout().minusNanos(System.nanoTime() - start);
      return run(staging, plan, left, () -> direct.abandon(job));
    }
  }

  private Optional<DirectPlan> plan(DirectCompilation direct, Staging staging)
      throws InterruptedException {
    if (!dialect.runsAsPrinted()) {
      return Optional.empty();
    }
    return direct.find(
        job,
        staging,
        () -> probe.isDescribed(job.target(), job.options()),
        () -> probe.exactDescription(job.target(), job.options()),
        job.timeout().dividedBy(HEADER_SHARE));
  }

  private Toolchain.Output run(
      Staging staging, Optional<DirectPlan> plan, Duration limit, Runnable misled)
      throws IOException, InterruptedException {
    Predicate<Path> ownHeaders = probe.ownHeaders(job.target(), job.options());
    for (Toolchain.SourceFile file : job.source().files()) {
      staging.put(file);
    }
    for (Toolchain.SourceFile header : dialect.headers()) {
      staging.putHeader(header);
    }
    ProgramResult outcome =
        plan.isPresent()
            ? compile(staging, plan.get(), limit, misled)
            : query.compile(List.of(command), staging, limit);
    boolean quiet = query.facts().has(Trait.LOGS_TO_STANDARD_ERROR);
    String said = quiet ? outcome.errors() : outcome.log();
    String log = CompilerLog.of(said, job, dialect.headers(), staging.temporary().toString());
    if (!outcome.succeeded()) {
      throw outcomes.failure(
          outcome, log, outcomes.reason(staging, outcome, log, dialect.problem(outcome, log)));
    }
    Set<Path> precompiled = plan.map(DirectPlan::sources).orElse(Set.of());
    List<Toolchain.File> dependencies =
        dependencies(staging, outcome, log, precompiled, ownHeaders);
    return new Toolchain.Output(
        outcomes.codeObject(staging, outcome, log, ""),
        command,
        log,
        outcome.elapsed(),
        dependencies);
  }

  /**
   * A compile that fails without the driver is repeated with it, so that users never see a fault of
   * ours.
   */
  private ProgramResult compile(Staging staging, DirectPlan plan, Duration limit, Runnable misled)
      throws IOException, InterruptedException {
    ProgramResult quick = query.compile(plan.commands(), staging, limit);
    Duration left = limit.minus(quick.elapsed());
    if (quick.end() == ProgramResult.End.CLOSED
        || quick.excess().isPresent()
        || left.isNegative()
        || left.isZero()
        || dialect.failsAnyhow(quick)
        || (quick.succeeded() && isWhatTheDriverMakes(staging, plan))) {
      return quick;
    }
    System.getLogger(Compilation.class.getName())
        .log(
            System.Logger.Level.DEBUG,
            () -> "%s needs its driver: %s".formatted(job.source().name(), quick));
    Files.deleteIfExists(staging.resolve(OutputNames.CODE_OBJECT));
    Files.deleteIfExists(staging.resolve(OutputNames.DEPENDENCIES));
    ProgramResult plain = query.compile(List.of(command), staging, left);
    if (plain.succeeded() && !quick.succeeded()) {
      misled.run();
    }
    return plain;
  }

  private boolean isWhatTheDriverMakes(Staging staging, DirectPlan plan) throws IOException {
    Path image = staging.resolve(OutputNames.CODE_OBJECT);
    return plan.header().isEmpty()
        || (Files.exists(image)
            && plan.header()
                .get()
                .isInvisibleIn(BoundedFile.read(image, CompileOutcome.mostBytes())));
  }

  private List<Toolchain.File> dependencies(
      Staging staging,
      ProgramResult outcome,
      String log,
      Set<Path> precompiled,
      Predicate<Path> ownHeaders)
      throws IOException {
    Path list = staging.resolve(OutputNames.DEPENDENCIES);
    byte[] rule = Files.exists(list) ? BoundedFile.read(list, MOST_LIST_BYTES) : new byte[0];
    Path headers = staging.resolve(OutputNames.HEADERS);
    ReadFiles read = new ReadFiles(job, outcomes, outcome, log);
    Set<Path> own =
        read.own(
            rule,
            name -> ToolchainPaths.normalise(staging.work().resolve(name)),
            file -> file.startsWith(headers) || precompiled.contains(file),
            ownHeaders,
            dialect::mayRead);
    return read.digested(own, digests::digest);
  }
}
