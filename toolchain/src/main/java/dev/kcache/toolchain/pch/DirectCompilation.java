// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.CompilerDescription;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Plans compiles without the driver where they give the same bytes sooner: the driver's own
 * commands for compiler and linker are run, with the HIP header precompiled.
 *
 * <p>The preparation costs more than it saves the first time, so it is made when a job on this host
 * has the options and target of an earlier one.
 *
 * <p>Safe for use by any number of threads.
 */
public final class DirectCompilation {
  private final ProbeQuestions questions;
  private final RepeatedJobs jobs;
  private final PrecompiledHeaders headers;
  private final boolean batch;

  /** Whether the header for any source is made first, as the base of HIP's. */
  private final boolean makesBase;

  /**
   * Creates a planner.
   *
   * @param batch whether many compiles with the same options will follow, so that the preparation
   *     pays at once
   * @param largePrefix whether the compiler puts a large header of its own before each source
   */
  public DirectCompilation(
      ProbeQuestions questions,
      ProbeCache cache,
      PrecompiledHeaders headers,
      boolean batch,
      boolean largePrefix) {
    this.questions = questions;
    this.jobs = new RepeatedJobs(cache);
    this.headers = headers;
    this.batch = batch;
    makesBase = !batch || largePrefix;
  }

  /**
   * Returns a plan for compiling a job in its staging directory; empty if the driver has to be run.
   *
   * @param asked tells whether the driver's commands for this job are known; examines the files
   *     that they depend on
   * @param description returns the driver's commands
   * @param limit the time limit for making a header
   */
  public Optional<DirectPlan> find(
      Toolchain.Job job,
      Staging staging,
      BooleanSupplier asked,
      Supplier<CompilerDescription> description,
      Duration limit)
      throws InterruptedException {
    PchKind beginning = PchKind.of(job);
    boolean pays =
        (batch && (beginning != PchKind.ANY || makesBase))
            || jobs.isRepeated(question("wanted", job, beginning));
    if (!pays && !batch && !asked.getAsBoolean()) {
      return Optional.empty();
    }
    CompilerDescription described;
    try {
      described = description.get();
    } catch (CompilationException | ToolchainNotFoundException e) {
      // The driver's own message is better.
      return Optional.empty();
    }
    Optional<DirectCommands> direct = DirectCommands.of(described.commands());
    if (direct.isEmpty()) {
      return Optional.empty();
    }
    Optional<PrecompiledHeader> header = Optional.empty();
    if (direct.get().isOptimizing() && PrecompiledHeader.maySuit(job.options())) {
      header = headers.find(question("header", job, beginning));
      if (header.isEmpty() && pays) {
        header = make(job, beginning, direct.get(), described.watched(), limit);
      }
    }
    header = header.filter(made -> made.isApartFrom(job));
    return Optional.of(
        new DirectPlan(
            direct.get().compile(job, header.map(PrecompiledHeader::file), staging), header));
  }

  /**
   * HIP's header continues the one for any source, which is made first and serves other sources
   * too. While another thread makes that one, there is none. A batch in which few other sources
   * would use it makes HIP's alone.
   */
  private Optional<PrecompiledHeader> make(
      Toolchain.Job job,
      PchKind beginning,
      DirectCommands direct,
      Set<Path> watched,
      Duration limit)
      throws InterruptedException {
    Optional<PrecompiledHeader> base = Optional.empty();
    if (beginning != PchKind.ANY) {
      base =
          makesBase
              ? make(job, PchKind.ANY, direct, watched, limit)
              : headers.find(question("header", job, PchKind.ANY));
      if (base.isEmpty() && makesBase) {
        return base;
      }
    }
    Digest question = question("header", job, beginning);
    return headers.findOrMake(question, beginning, base, direct, watched, limit);
  }

  /** Stops using the header for jobs of this kind, since a job failed only with it. */
  public void abandon(Toolchain.Job job) {
    headers.drop(question("header", job, PchKind.of(job)));
  }

  private Digest question(String kind, Toolchain.Job job, PchKind beginning) {
    List<String> words = new ArrayList<>();
    words.add(job.target().toString());
    words.addAll(job.options());
    return questions.of(kind + " " + beginning.fileName(), words);
  }
}
