// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider.Surroundings;
import dev.kcache.toolchain.pch.DirectCompilation;
import dev.kcache.toolchain.pch.DirectPlan;
import dev.kcache.toolchain.pch.PrecompiledHeaders;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.probe.CompiledProcessors;
import dev.kcache.toolchain.probe.CompilerDescription;
import dev.kcache.toolchain.probe.DriverLocator;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.probe.Recurrences;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.process.ProgramRunner;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The toolchain behind a compiler driver: hipcc for AMD, nvcc for NVIDIA. It starts no process
 * before it is asked something, and none at all for a question whose answer the memo holds.
 *
 * <p>Safe for use by any number of threads. Closing it ends running compiles.
 */
public final class DriverToolchain implements Toolchain {
  private record Identity(Digest digest, FileStamps.Round round) {}

  /**
   * What the driver said that it runs, read once in a round.
   *
   * @param includeDirectories where the compiler looks for its own headers, links followed too
   */
  private record Described(
      List<List<String>> lines,
      FileStamps.Round round,
      CompilerDescription description,
      Set<Path> includeDirectories) {}

  private record Version(CompilerVersion version, FileStamps.Round round) {}

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** Each of the two steps of making a header may take this part of a compile's time. */
  private static final int HEADER_SHARE = 4;

  /** No less than any question takes. */
  private static final Duration ANY_TIME = Duration.ofHours(1);

  private final Surroundings surroundings;
  private final CompilerDriver driver;
  private final ProgramRunner runner;
  private final Optional<RequestedLabel> requested;
  private final List<Path> searchPath;
  private final InstantSource clock;
  private final FileStamps stamps;
  private final ProbeResults answers;
  private final FileDigests digests;
  private final ProbeCache memo;
  private final AtomicBoolean compiles = new AtomicBoolean();
  private final ConcurrentHashMap<List<String>, Identity> identities = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Digest, Described> descriptions = new ConcurrentHashMap<>();
  private volatile @Nullable Version version;
  private @Nullable DirectCompilation shortcuts;

  private DriverToolchain(
      DriverFactory factory,
      Surroundings surroundings,
      Optional<RequestedLabel> requested,
      ProbeCache memo,
      InstantSource clock) {
    Environment variables = new Environment(surroundings.environment());
    this.surroundings = surroundings;
    this.searchPath = variables.searchPath();
    this.runner = ProgramRunner.create(searchPath);
    this.driver =
        factory.create(
            variables,
            new CompilerDriver.Workshop(
                runner, surroundings.stagingParent(), surroundings.timeout()));
    this.requested = requested;
    this.clock = clock;
    this.stamps = new FileStamps(clock, INTERVAL);
    this.answers = new ProbeResults(memo, stamps);
    this.digests = new FileDigests(memo, stamps);
    this.memo = memo;
  }

  /**
   * Finds the compiler of a platform. hipcc: {@code KCACHE_HIPCC}, {@code ROCM_PATH}, {@code
   * HIP_PATH}, PATH, {@code /opt/rocm*}. nvcc: {@code KCACHE_NVCC}, {@code CUDA_HOME}, {@code
   * CUDA_PATH}, PATH, {@code /usr/local/cuda*}.
   *
   * @throws ToolchainNotFoundException if there is none, or a variable names what is not there
   * @throws IllegalArgumentException if a variable holds no path, or one that the driver would have
   *     a shell run
   */
  public static DriverToolchain find(Platform platform, Surroundings surroundings) {
    return find(platform, surroundings, InstantSource.system());
  }

  /** As {@link #find(Platform, Surroundings)}, for compiles now and then. */
  static DriverToolchain find(
      Platform platform,
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      Optional<Path> memoDirectory) {
    return find(platform, environment, stagingParent, memoDirectory, InstantSource.system());
  }

  static DriverToolchain find(
      Platform platform,
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      Optional<Path> memoDirectory,
      InstantSource clock) {
    return find(
        platform,
        new Surroundings(
            environment, stagingParent, Optional::empty, memoDirectory, false, ANY_TIME),
        clock);
  }

  private static DriverToolchain find(
      Platform platform, Surroundings surroundings, InstantSource clock) {
    CompilerVariables.fault(platform, surroundings.environment())
        .ifPresent(
            fault -> {
              throw new ToolchainNotFoundException(fault);
            });
    return new DriverToolchain(
        platform == Platform.AMD ? DriverToolchain::hipcc : DriverToolchain::nvcc,
        surroundings,
        RequestedLabel.in(surroundings.environment(), platform),
        ProbeCache.in(surroundings.memoDirectory(), Host.local()),
        clock);
  }

  private static CompilerDriver hipcc(Environment variables, CompilerDriver.Workshop workshop) {
    Path program = DriverLocator.of(Platform.AMD, variables).locate();
    return new HipccDialect(program, variables, workshop);
  }

  private static CompilerDriver nvcc(Environment variables, CompilerDriver.Workshop workshop) {
    Path program = DriverLocator.of(Platform.NVIDIA, variables).locate();
    return new NvccDialect(program, variables, workshop);
  }

  /** Returns the toolchain behind a driver whose place is known. */
  static DriverToolchain of(DriverFactory factory, Surroundings surroundings) {
    return new DriverToolchain(
        factory,
        surroundings,
        Optional.empty(),
        ProbeCache.in(surroundings.memoDirectory(), Host.local()),
        InstantSource.system());
  }

  /** Returns the toolchain behind another driver, with this one's environment and memo. */
  DriverToolchain with(DriverFactory factory) {
    return new DriverToolchain(factory, surroundings, requested, memo, clock);
  }

  /**
   * Returns the toolchain of a compiler that is a library. Loads and starts nothing.
   *
   * @throws IllegalArgumentException if a variable of the environment holds what it can't
   */
  public static DriverToolchain of(CompilerLibrary library, Surroundings surroundings) {
    return of((variables, workshop) -> new LibraryCompiler(library, workshop), surroundings);
  }

  /** Makes the driver that a toolchain runs. */
  @FunctionalInterface
  interface DriverFactory {
    CompilerDriver create(Environment variables, CompilerDriver.Workshop workshop);
  }

  /** Returns the absolute path of the driver. */
  public Path program() {
    return driver.program();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException as {@link #label}
   */
  @Override
  public String describe() {
    CompilerVersion version = version();
    check(version);
    return driver.program() + ", " + version.product() + " " + version.version();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the variable for the version asks for another one
   */
  @Override
  public ToolchainLabel label() {
    CompilerVersion version = version();
    check(version);
    return version.label();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException as {@link #label}
   */
  @Override
  public Set<Processor> processors() {
    label();
    ProbeResult answer =
        answers.get(
            driver.question("processors", CompiledProcessors.words(driver.platform())),
            given -> CompiledProcessors.isAnswer(driver.platform(), given),
            this::askProcessors);
    return CompiledProcessors.ofLines(driver.platform(), answer.lines()).processors();
  }

  private ProbeResult askProcessors() {
    Instant asked = clock.instant();
    CompiledProcessors compiled = new CompiledProcessors(driver.processors());
    TargetId any = TargetId.of(compiled.processors().iterator().next());
    Set<Path> watched = compiled.watched(describe(any, ProcessorQuery.OPTIONS));
    watched.addAll(driver.wrappers());
    return ProbeResult.dependingOn(watched, compiled.toLines(), asked);
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    List<String> words = words(target, decisive(options));
    FileStamps.Round round = stamps.round();
    Identity known = identities.get(words);
    if (known != null && known.round() == round) {
      return known.digest();
    }
    label();
    Digest identity = rememberedIdentity(words, target, options);
    identities.put(words, new Identity(identity, round));
    return identity;
  }

  /** The files that decide it are watched: while their stamps hold, so do their digests. */
  private Digest rememberedIdentity(List<String> words, TargetId target, List<String> options) {
    Digest question = identityQuestion(words);
    Optional<ProbeResult> known = answers.ifKnown(question);
    return known.isPresent() && CompilerDescription.isIdentity(known.get())
        ? CompilerDescription.identity(known.get())
        : askIdentity(question, target, options);
  }

  private Digest askIdentity(Digest question, TargetId target, List<String> options) {
    ProbeResult answer =
        answers.get(
            question,
            CompilerDescription::isIdentity,
            () -> {
              Instant asked = clock.instant();
              CompilerDescription description = describe(target, options);
              digests.readAhead(description.files());
              Digest identity = description.identity(digests::digest, driver.headers());
              digests.save();
              Set<Path> watched = description.watched();
              watched.addAll(driver.wrappers());
              return ProbeResult.dependingOn(watched, List.of(List.of(identity.toString())), asked);
            });
    return CompilerDescription.identity(answer);
  }

  @Override
  public List<File> identityFiles(TargetId target, List<String> options) {
    List<File> files = new ArrayList<>();
    for (String file : describe(target, options).files()) {
      digests.digest(Path.of(file)).ifPresent(digest -> files.add(new File(file, digest)));
    }
    return files;
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    boolean unchanged = digests.areUnchanged(files);
    digests.save();
    return unchanged;
  }

  /** The stamps have to be older than any look at the files that told their digests. */
  @Override
  public void rememberUnchanged(Digest list, List<File> files) {
    Set<Path> paths = new LinkedHashSet<>();
    for (File file : files) {
      paths.add(Path.of(file.path()));
    }
    ProbeResult known = ProbeResult.dependingOn(paths, List.of(), clock.instant().minus(INTERVAL));
    if (known.settled()) {
      memo.writeStamps(list, known);
    }
  }

  @Override
  public boolean isStillUnchanged(Digest list) {
    Optional<ProbeResult> known = memo.readStamps(list);
    return known.isPresent() && known.get().holds();
  }

  private static void tell(String notice) {
    Notices.warn(System.getLogger(DriverToolchain.class.getName()), notice);
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    try {
      label();
      if (compiles.compareAndSet(false, true)) {
        driver.notice().ifPresent(DriverToolchain::tell);
        Staging.sweep(surroundings.stagingParent().get(), clock.instant());
      }
      return compileStaged(job);
    } catch (IOException e) {
      throw new CompilationException(
          job.sourceName(),
          "its files could not be written (" + e + "); make room in the temporary directory",
          driver.command(job),
          -1,
          "");
    } catch (ToolchainNotFoundException e) {
      // The compiler is there: it was ended while it was asked something.
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
      }
      throw e;
    }
  }

  private Output compileStaged(Job job) throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (Staging staging = Staging.create(surroundings.stagingParent())) {
      CompileRun run = new CompileRun(job, driver, staging);
      DirectCompilation shortcuts = shortcuts();
      Optional<DirectPlan> shortcut = shortcut(shortcuts, job, staging);
      Duration left = job.timeout().minusNanos(System.nanoTime() - start);
      Output output =
          run.run(shortcut, left, () -> shortcuts.abandon(job), ownHeaders(job), digests::digest);
      digests.save();
      return output;
    }
  }

  /** What only a compile needs is made with the first one. */
  private synchronized DirectCompilation shortcuts() {
    DirectCompilation made = shortcuts;
    if (made == null) {
      PrecompiledHeaders headers = new PrecompiledHeaders(driver, answers, digests, memo, clock);
      made = new DirectCompilation(driver, new Recurrences(memo), headers, surroundings.batch());
      shortcuts = made;
    }
    return made;
  }

  private Optional<DirectPlan> shortcut(DirectCompilation shortcuts, Job job, Staging staging)
      throws InterruptedException {
    List<String> decisive = decisive(job.options());
    boolean exact = decisive.equals(job.options());
    return shortcuts.find(
        job,
        staging,
        () -> exact && answers.ifKnown(commandsQuestion(words(job.target(), decisive))).isPresent(),
        () -> exact ? describe(job.target(), job.options()) : describeExactly(job),
        // Not by Duration's division, which takes BigDecimal and its classes.
        Duration.ofMillis(job.timeout().toMillis() / HEADER_SHARE));
  }

  /** Ends running compiles. Closing twice has no effect. */
  @Override
  public void close() {
    runner.close();
  }

  /**
   * Checks that this is the compiler that was asked for.
   *
   * @throws IllegalArgumentException if it has another label
   */
  private void check(CompilerVersion version) {
    if (requested.isEmpty() || version.label().equals(requested.get().label())) {
      return;
    }
    throw new IllegalArgumentException(
        "%s=%s contradicts %s, which is %s %s; unset the variable or set %s of that version"
            .formatted(
                requested.get().variable(),
                requested.get().value(),
                driver.program(),
                version.product(),
                version.version(),
                driver.platform() == Platform.AMD
                    ? "KCACHE_HIPCC to the hipcc"
                    : "KCACHE_NVCC to the nvcc"));
  }

  private CompilerVersion version() {
    FileStamps.Round round = stamps.round();
    Version known = version;
    if (known == null || known.round() != round) {
      known = new Version(rememberedVersion(), round);
      version = known;
    }
    return known.version();
  }

  private CompilerVersion rememberedVersion() {
    Digest question = driver.question("version", List.of());
    Optional<ProbeResult> known = answers.ifKnown(question);
    Optional<CompilerVersion> said =
        known.isEmpty() ? Optional.empty() : driver.version(known.get());
    return said.isPresent() ? said.get() : askVersion(question);
  }

  private CompilerVersion askVersion(Digest question) {
    ProbeResult answer =
        answers.get(
            question,
            given -> driver.version(given).isPresent(),
            () -> {
              Instant asked = clock.instant();
              CompilerVersion version = driver.version();
              // Before it is remembered: a request that is wrong leaves nothing behind.
              check(version);
              return ProbeResult.dependingOn(driver.wrappers(), version.toLines(), asked);
            });
    return driver.version(answer).orElseThrow();
  }

  private CompilerDescription describe(TargetId target, List<String> options) {
    return described(target, options).description();
  }

  private Described described(TargetId target, List<String> options) {
    List<String> decisive = decisive(options);
    Digest question = commandsQuestion(words(target, decisive));
    FileStamps.Round round = stamps.round();
    ProbeResult answer =
        answers.get(question, CompilerDescription::isAnswer, () -> ask(target, decisive));
    Described known = descriptions.get(question);
    if (known == null || known.round() != round || !known.lines().equals(answer.lines())) {
      CompilerDescription description = CompilerDescription.ofLines(answer.lines());
      Set<Path> directories =
          withRealPaths(CommandLines.includeDirectories(description.commands().commands()));
      known = new Described(answer.lines(), round, description, directories);
      descriptions.put(question, known);
    }
    return known;
  }

  private ProbeResult ask(TargetId target, List<String> options) {
    Instant asked = clock.instant();
    PlannedCommands commands = driver.driverCommands(target, options);
    Set<Path> files = new LinkedHashSet<>(CommandLines.files(commands));
    Set<Path> wrappers = driver.wrappers();
    wrappers.stream().filter(Files::isRegularFile).forEach(files::add);
    for (Path program : CommandLines.programs(commands.commands())) {
      files.addAll(driver.libraries(program, searchPath));
    }
    List<String> names = files.stream().map(Path::toString).sorted().distinct().toList();
    return answer(new CompilerDescription(commands, names), asked);
  }

  /** As {@link #describe}, with the macros and warnings, which stand in the commands. */
  private CompilerDescription describeExactly(Job job) {
    List<String> options = job.options();
    ProbeResult answer =
        answers.get(
            driver.question("exact commands", words(job.target(), options)),
            CompilerDescription::isAnswer,
            () -> {
              Instant asked = clock.instant();
              PlannedCommands commands = driver.driverCommands(job.target(), options);
              List<String> files = describe(job.target(), job.options()).files();
              return answer(new CompilerDescription(commands, files), asked);
            });
    return CompilerDescription.ofLines(answer.lines());
  }

  private ProbeResult answer(CompilerDescription description, Instant asked) {
    Set<Path> watched = description.watched();
    watched.addAll(driver.wrappers());
    return ProbeResult.dependingOn(watched, description.toLines(), asked);
  }

  /** A header that is not in the directories known so far may be in those of a newer library. */
  private Predicate<Path> ownHeaders(Job job) {
    Optional<Set<Path>> given = driver.ownIncludeDirectories();
    if (given.isPresent()) {
      Set<Path> all = withRealPaths(given.get());
      return file -> isBelow(all, file);
    }
    Set<Path> directories = new HashSet<>(includeDirectories(job));
    return file -> {
      if (!isBelow(directories, file)) {
        List<String> words = words(job.target(), decisive(job.options()));
        answers.forget(commandsQuestion(words));
        answers.forget(identityQuestion(words));
        directories.addAll(includeDirectories(job));
      }
      return isBelow(directories, file);
    };
  }

  private static boolean isBelow(Set<Path> directories, Path file) {
    for (Path directory : directories) {
      if (file.startsWith(directory)) {
        return true;
      }
    }
    return false;
  }

  private Set<Path> includeDirectories(Job job) {
    return described(job.target(), job.options()).includeDirectories();
  }

  /** A directory behind a link is there twice: gcc lists what it read there by its real name. */
  private static Set<Path> withRealPaths(Set<Path> directories) {
    Set<Path> all = new HashSet<>(directories);
    directories.forEach(directory -> all.add(ToolchainPaths.real(directory)));
    return all;
  }

  private Digest commandsQuestion(List<String> words) {
    return driver.question("commands", words);
  }

  /** What the compiler is given is ours, so that another version of this library asks anew. */
  private Digest identityQuestion(List<String> words) {
    List<String> all = new ArrayList<>(words);
    for (SourceFile header : driver.headers()) {
      all.add(header.path());
      all.add(Digest.of(header.content()).toString());
    }
    return driver.question(CompilerDescription.SCHEMA, all);
  }

  private static List<String> words(TargetId target, List<String> options) {
    List<String> words = new ArrayList<>();
    words.add(target.toString());
    words.addAll(options);
    return words;
  }

  /** Macros and warnings choose no program, library or bitcode, and the request has them anyway. */
  private static List<String> decisive(List<String> options) {
    List<String> decisive = new ArrayList<>();
    for (String option : options) {
      boolean warning = option.startsWith("-W") || option.equals("-w");
      if (!option.startsWith("-D") && !option.startsWith("-U") && !warning) {
        decisive.add(option);
      }
    }
    return decisive;
  }
}
