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
 * Knows how to compile without the driver where that gives the same bytes sooner: the compiler and
 * the linker behind it are run as it said that it would run them, and the HIP header comes in
 * precompiled.
 *
 * <p>What that takes costs more than it saves the first time, so it is found out the second time
 * that anybody on this host compiles with the same options for the same target.
 *
 * <p>Safe for use by any number of threads.
 */
public final class DirectCompilation {
  private final ProbeQuestions questions;
  private final RepeatedJobs jobs;
  private final PrecompiledHeaders headers;
  private final boolean batch;

  /** Whether the header for any source is made for the sake of HIP's. */
  private final boolean makesBase;

  /**
   * Creates what finds such ways.
   *
   * @param batch whether many compiles with the same options are to come, so that everything pays
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
   * Returns how to compile a job in its staging directory with a driver that runs what it prints;
   * empty if the driver has to be run.
   *
   * @param asked tells whether the driver has been asked what it runs for this job, which takes a
   *     look at the files that its answer depends on
   * @param description what it says
   * @param limit how long it may take to make a header
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
      // The driver itself says better what it does not like.
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
   * HIP's is made upon the one for any source, which is made first and then serves others too;
   * while another thread makes that, there is none. A batch in which few others would want it makes
   * HIP's alone.
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

  /**
   * Has later jobs like this one do without the header, with which it failed and should not have.
   */
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
