// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.Compilation;
import dev.kcache.toolchain.compile.DriverProbe;
import dev.kcache.toolchain.compile.DriverSession;
import dev.kcache.toolchain.compile.GuardedCompile;
import dev.kcache.toolchain.compile.LanguageCompilation;
import dev.kcache.toolchain.pch.DirectCompilation;
import dev.kcache.toolchain.pch.PrecompiledHeaders;
import dev.kcache.toolchain.probe.CompilerVariables;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.probe.UnchangedFiles;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The toolchain behind a compiler that is a program: hipcc for AMD, nvcc for NVIDIA, or one that a
 * provider describes by its {@link Dialect}. It starts no process before it is asked something, and
 * none at all for a question whose answer is remembered.
 *
 * <p>Safe for use by any number of threads. Closing it ends running compiles.
 */
public final class DriverToolchain implements Toolchain {
  private final ToolchainContext context;
  private final DriverSession session;
  private final InstantSource clock;
  private final ProbeCache memo;
  private final ProbeResults results;
  private final FileDigests digests;
  private final UnchangedFiles unchanged;
  private final DriverProbe probe;
  private @Nullable DirectCompilation direct;

  private DriverToolchain(
      DialectFacts facts,
      Supplier<? extends Dialect> dialect,
      ToolchainContext context,
      Optional<RequestedLabel> requested,
      InstantSource clock) {
    this.context = context;
    this.clock = clock;
    memo = ProbeCache.in(context.memoDirectory(), Host.local());
    FileStamps stamps = new FileStamps(clock);
    results = new ProbeResults(memo, stamps);
    digests = new FileDigests(memo, stamps);
    unchanged = new UnchangedFiles(digests, memo, clock);
    List<Path> searchPath = new Environment(context.environment()).searchPath();
    session = new DriverSession(facts, dialect, context, searchPath, results, clock);
    probe = new DriverProbe(session, requested, searchPath, stamps, results, digests, clock);
  }

  /**
   * Finds the compiler of a platform. AMD's: {@code KCACHE_COMPILER}, {@code ROCM_PATH}, {@code
   * HIP_PATH}, PATH, {@code /opt/rocm*}, and of each ROCm hipcc, else amdclang++. nvcc: {@code
   * KCACHE_NVCC}, {@code CUDA_HOME}, {@code CUDA_PATH}, PATH, {@code /usr/local/cuda*}.
   *
   * @param platform whose compiler is looked for
   * @param context the environment, and what the toolchain may use
   * @return the toolchain, of which nothing was run yet
   * @throws ToolchainNotFoundException if there is none, or a variable names what is not there
   * @throws IllegalArgumentException if a variable holds no path, or one that the driver would have
   *     a shell run
   */
  public static DriverToolchain find(Platform platform, ToolchainContext context) {
    requireNonNull(platform, "platform");
    requireNonNull(context, "context");
    return find(DriverKind.of(platform), context, InstantSource.system());
  }

  /**
   * As {@link #find(Platform, ToolchainContext)}, with only some kinds of driver.
   *
   * @throws IllegalArgumentException also if a variable names a program of another kind
   */
  static DriverToolchain find(
      List<DriverKind> kinds, ToolchainContext context, InstantSource clock) {
    Platform platform = kinds.get(0).platform();
    CompilerVariables.fault(platform, context.environment())
        .ifPresent(
            fault -> {
              throw new ToolchainNotFoundException(fault);
            });
    Environment variables = new Environment(context.environment());
    FoundDriver found = FoundDriver.find(kinds, variables, Path.of("/"));
    DialectFacts facts = DriverFacts.of(found.kind(), found.program(), variables);
    return new DriverToolchain(
        facts,
        () -> found.kind().dialect(facts),
        context,
        RequestedLabel.in(context.environment(), platform),
        clock);
  }

  /**
   * {@return the toolchain of another compiler} Loads and starts nothing.
   *
   * @param facts what is known of the compiler without running it
   * @param dialect returns how to talk to it, when that has to be known
   * @param context what the toolchain may use
   */
  public static DriverToolchain of(
      DialectFacts facts, Supplier<? extends Dialect> dialect, ToolchainContext context) {
    requireNonNull(facts, "facts");
    requireNonNull(dialect, "dialect");
    requireNonNull(context, "context");
    return new DriverToolchain(facts, dialect, context, Optional.empty(), InstantSource.system());
  }

  /** {@return the absolute path of the compiler} */
  public Path program() {
    return session.facts().program();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException as {@link #label}
   */
  @Override
  public String describe() {
    CompilerVersion version = probe.version();
    return program() + ", " + version.product() + " " + version.version();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the variable for the version asks for another one
   */
  @Override
  public ToolchainLabel label() {
    return probe.version().label();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException as {@link #label}
   */
  @Override
  public Set<Processor> processors() {
    label();
    return probe.processors();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException as {@link #label}
   */
  @Override
  public boolean compilesFor(Processor processor) {
    requireNonNull(processor, "processor");
    label();
    return probe.compilesFor(processor);
  }

  @Override
  public Set<Language> languages() {
    return session.facts().has(Trait.HAS_CLANG) ? Language.OF_CLANG : Toolchain.super.languages();
  }

  @Override
  public boolean isKnownToLack(Processor processor) {
    requireNonNull(processor, "processor");
    return probe.isKnownToLack(processor);
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    requireNonNull(target, "target");
    requireNonNull(options, "options");
    return probe.identity(target, options);
  }

  @Override
  public List<File> identityFiles(TargetId target, List<String> options) {
    requireNonNull(target, "target");
    requireNonNull(options, "options");
    return probe.identityFiles(target, options);
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    requireNonNull(files, "files");
    return unchanged.have(files);
  }

  @Override
  public void rememberUnchanged(Digest list, List<File> files) {
    requireNonNull(list, "list");
    requireNonNull(files, "files");
    unchanged.remember(list, files);
  }

  @Override
  public boolean isStillUnchanged(Digest list) {
    requireNonNull(list, "list");
    return unchanged.areStill(list);
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    requireNonNull(job, "job");
    return GuardedCompile.run(
        job,
        program(),
        () -> {
          label();
          Output output =
              job.source().language() == Language.HIP
                  ? new Compilation(job, session, probe, digests).run(direct())
                  : compileOther(job);
          digests.save();
          return output;
        });
  }

  private Output compileOther(Job job) throws IOException, InterruptedException {
    // Leftovers are removed.
    var unused = direct();
    return new LanguageCompilation(job, session, probe).run();
  }

  /** What only a compile needs is made with the first one, and leftovers are removed. */
  private synchronized DirectCompilation direct() {
    DirectCompilation made = direct;
    if (made == null) {
      session.facts().notice().ifPresent(DriverToolchain::tell);
      Staging.sweep(context.stagingParent().get(), clock.instant());
      made =
          new DirectCompilation(
              session.questions(),
              memo,
              new PrecompiledHeaders(session.programs(), results, digests, memo, clock),
              context.batch(),
              session.facts().has(Trait.HAS_LARGE_PREFIX));
      direct = made;
    }
    return made;
  }

  private static void tell(String notice) {
    Notices.warn(System.getLogger(DriverToolchain.class.getName()), notice);
  }

  /** Ends running compiles. Closing twice has no effect. */
  @Override
  public void close() {
    session.close();
  }
}
