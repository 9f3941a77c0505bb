// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.CodeObjectVersions;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.DriverProbe;
import dev.kcache.toolchain.compile.DriverSession;
import dev.kcache.toolchain.compile.GuardedCompile;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.probe.UnchangedFiles;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The user's rustc, which compiles Rust for AMD's GPUs and nothing else. It starts no process for a
 * question whose answer is remembered.
 *
 * <p>Safe for use by any number of threads. Closing it ends running compiles.
 */
final class RustToolchain implements Toolchain {
  private static final String REPAIR =
      "repair it, or set " + RustPlaces.VARIABLE + " to a newer or complete one";

  private static final CodeObjectVersions NO_VERSION = new CodeObjectVersions(0);

  private final DriverSession session;
  private final RustDialect dialect;
  private final DriverProbe probe;
  private final FileDigests digests;
  private final UnchangedFiles unchanged;
  private final Optional<CoreLibrary> library;
  private final ToolchainContext context;
  private final InstantSource clock;
  private boolean swept;

  private RustToolchain(
      Path rustc, Path sysroot, ToolchainContext context, Remembered memory, InstantSource clock) {
    this.context = context;
    this.clock = clock;
    Environment variables = new Environment(context.environment());
    Map<String, String> environment =
        variables
            .get(RustPlaces.BOOTSTRAP)
            .map(value -> Map.of(RustPlaces.BOOTSTRAP, value))
            .orElse(Map.of());
    List<String> linker = RustPlaces.linker(sysroot, variables);
    dialect =
        new RustDialect(
            rustc,
            sysroot,
            linker,
            environment,
            CodeObjectVersions.in(context.environment()),
            variables.searchPathText());
    DialectFacts facts =
        new DialectFacts(
            rustc, environment, Platform.AMD, linker, REPAIR, Optional.empty(), Set.of());
    List<Path> searchPath = variables.searchPath();
    session = new DriverSession(facts, () -> dialect, context, searchPath, memory.results(), clock);
    digests = new FileDigests(memory.cache(), memory.stamps());
    unchanged = new UnchangedFiles(digests, memory.cache(), clock);
    probe =
        new DriverProbe(
            session,
            Optional.empty(),
            searchPath,
            memory.stamps(),
            memory.results(),
            digests,
            clock);
    library =
        RustPlaces.library(sysroot)
            .map(sources -> new CoreLibrary(sources, digests, context.directory()));
  }

  /** What is remembered of a rustc. */
  private record Remembered(ProbeCache cache, FileStamps stamps, ProbeResults results) {}

  /**
   * Finds rustc: {@code KCACHE_RUSTC}, else PATH. If it is rustup's, the one that rustup runs by
   * default.
   *
   * @throws ToolchainNotFoundException if there is none, or it can't be asked where it is
   * @throws IllegalArgumentException if the variable holds no path
   */
  static RustToolchain find(ToolchainContext context) {
    return find(context, InstantSource.system());
  }

  static RustToolchain find(ToolchainContext context, InstantSource clock) {
    ProbeCache cache = ProbeCache.in(context.memoDirectory(), Host.local());
    FileStamps stamps = new FileStamps(clock);
    Remembered memory = new Remembered(cache, stamps, new ProbeResults(cache, stamps));
    Environment variables = new Environment(context.environment());
    Path program = RustPlaces.program(variables);
    Path sysroot = sysroot(program, variables, context, memory, clock);
    Path own = sysroot.resolve("bin").resolve("rustc");
    Path rustc = Environment.isProgram(own) ? own : program;
    return new RustToolchain(rustc, sysroot, context, memory, clock);
  }

  private static Path sysroot(
      Path program,
      Environment variables,
      ToolchainContext context,
      Remembered memory,
      InstantSource clock) {
    Map<String, String> environment = RustPlaces.ofRustup(variables);
    ProbeResult answer =
        memory
            .results()
            .get(
                new ProbeQuestions(program, environment, List.of()).of("sysroot", List.of()),
                RustToolchain::isSysroot,
                () -> askSysroot(program, environment, context, memory, clock));
    return Path.of(answer.lines().get(0).get(0));
  }

  private static boolean isSysroot(ProbeResult answer) {
    return answer.lines().size() == 1
        && answer.lines().get(0).size() == 1
        && answer.lines().get(0).get(0).startsWith("/");
  }

  private static ProbeResult askSysroot(
      Path program,
      Map<String, String> environment,
      ToolchainContext context,
      Remembered memory,
      InstantSource clock) {
    Environment variables = new Environment(context.environment());
    DialectFacts facts =
        new DialectFacts(
            program, environment, Platform.AMD, List.of(), REPAIR, Optional.empty(), Set.of());
    try (DriverSession session =
        new DriverSession(
            facts,
            () -> new RustDialect(program, program, List.of(), environment, NO_VERSION, ""),
            context,
            variables.searchPath(),
            memory.results(),
            clock)) {
      Instant asked = clock.instant();
      ProgramResult result = session.query().ask(List.of(program.toString(), "--print=sysroot"));
      String said = result.output().strip();
      if (!result.succeeded() || !said.startsWith("/") || said.indexOf('\n') >= 0) {
        throw session.query().unusable(result, "it does not tell its sysroot");
      }
      Set<Path> watched = new LinkedHashSet<>(Set.of(program));
      RustPlaces.settings(variables).ifPresent(watched::add);
      return ProbeResult.dependingOn(watched, List.of(List.of(said)), asked);
    }
  }

  @Override
  public String describe() {
    CompilerVersion version = probe.version();
    return dialect.rustc() + ", " + version.product() + " " + version.version();
  }

  @Override
  public ToolchainLabel label() {
    return probe.version().label();
  }

  @Override
  public Set<Processor> processors() {
    return probe.processors();
  }

  @Override
  public boolean compilesFor(Processor processor) {
    return probe.compilesFor(processor);
  }

  @Override
  public boolean isKnownToLack(Processor processor) {
    return probe.isKnownToLack(processor);
  }

  @Override
  public Set<Language> languages() {
    return Set.of(Language.RUST);
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    return probe.identity(target, options);
  }

  @Override
  public List<File> identityFiles(TargetId target, List<String> options) {
    return probe.identityFiles(target, options);
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return unchanged.have(files);
  }

  @Override
  public void rememberUnchanged(Digest list, List<File> files) {
    unchanged.remember(list, files);
  }

  @Override
  public boolean isStillUnchanged(Digest list) {
    return unchanged.areStill(list);
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    return GuardedCompile.run(
        job,
        dialect.rustc(),
        () -> {
          sweep();
          Output output =
              new RustCompilation(
                      job,
                      session.query(),
                      dialect,
                      library,
                      () -> probe.identity(job.target(), DriverProbe.OPTIONS))
                  .run();
          digests.save();
          return output;
        });
  }

  /** Removes what killed processes left, once. */
  private synchronized void sweep() {
    if (!swept) {
      Staging.sweep(context.stagingParent().get(), clock.instant());
      swept = true;
    }
  }

  @Override
  public void close() {
    session.close();
  }
}
