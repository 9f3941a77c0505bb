// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.ZstandardUnavailableException;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.pch.DirectCompilation;
import dev.kcache.toolchain.pch.DirectPlan;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.MakeRule;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** One compile of one job, and the checks of what it gave. */
public final class Compilation {
  /** Each of the two steps of making a header may take this part of a compile's time. */
  private static final int HEADER_SHARE = 4;

  /** The most that a code object may have in the store, too. */
  private static final long MOST_BYTES = 1 << 30;

  /** Far above what a compile leaves: a thousand dependencies take about 150 KiB. */
  private static final int MOST_LIST_BYTES = 8 << 20;

  private final Toolchain.Job job;
  private final Dialect dialect;
  private final DriverQuery query;
  private final DriverProbe probe;
  private final FileDigests digests;
  private final List<String> command;

  /**
   * Runs nothing yet.
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
  }

  /**
   * Compiles and checks.
   *
   * @param direct knows how to do it without the driver, if there is a way
   * @throws CompilationException if there is no code object that may be kept
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
    String log = CompilerLog.of(said, job, dialect.headers(), staging);
    if (!outcome.succeeded()) {
      throw failure(outcome, log, reason(staging, outcome, log));
    }
    Set<Path> precompiled = plan.map(DirectPlan::sources).orElse(Set.of());
    List<Toolchain.File> dependencies =
        dependencies(staging, outcome, log, precompiled, ownHeaders);
    return new Toolchain.Output(
        codeObject(staging, outcome, log), command, log, outcome.elapsed(), dependencies);
  }

  /** What fails without the driver is compiled with it, so that nobody meets a fault of ours. */
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
            && plan.header().get().isInvisibleIn(BoundedFile.read(image, mostBytes())));
  }

  private String reason(Staging staging, ProgramResult outcome, String log) {
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
          staging.isFull()
              ? "there is no room left in "
                  + staging.parent()
                  + "; make room there, or set TMPDIR to a directory that has some"
              : "the compiler was killed by something else, such as a lack of memory; run fewer at"
                  + " once";
      case EXITED ->
          dialect
              .problem(outcome, log)
              .or(() -> Diagnostic.firstError(log))
              .orElseGet(
                  () ->
                      log.isBlank()
                          ? DriverQuery.wordless("the compiler", outcome)
                          : "the compiler failed with exit code " + outcome.exitCode());
    };
  }

  /** A hipcc that is not AMD's own may bundle whatever it is told, and compress the bundle too. */
  private CodeObject codeObject(Staging staging, ProgramResult outcome, String log)
      throws IOException {
    CodeObject code;
    try {
      byte[] image = BoundedFile.read(staging.resolve(OutputNames.CODE_OBJECT), mostBytes());
      if (image.length == 0) {
        throw nothing(outcome, log);
      }
      code = OffloadBundle.unpack(image, job.target());
    } catch (BoundedFile.TooLongException e) {
      throw failure(
          outcome,
          log,
          "the compiler wrote more than the "
              + mostBytes() / 1_000_000
              + " MB that Java has room for; give it more memory with KCACHE_JAVA_OPTS=-Xmx...");
    } catch (FileNotFoundException e) {
      throw nothing(outcome, log);
    } catch (MalformedCodeObjectException e) {
      throw failure(outcome, log, "the compiler wrote no code object: " + e.getMessage());
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

  /** A code object is copied when it is checked, and again when it is unpacked. */
  private static int mostBytes() {
    return (int) Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / 4);
  }

  private CompilationException nothing(ProgramResult outcome, String log) {
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

  private List<Toolchain.File> dependencies(
      Staging staging,
      ProgramResult outcome,
      String log,
      Set<Path> precompiled,
      Predicate<Path> ownHeaders)
      throws IOException {
    Set<Path> staged =
        job.source().files().stream()
            .map(file -> staging.work().resolve(file.path()).normalize())
            .collect(Collectors.toSet());
    Path headers = staging.resolve(OutputNames.HEADERS);
    Set<Path> own = new TreeSet<>();
    for (String name : listed(staging, outcome, log)) {
      Path file = ToolchainPaths.normalise(staging.work().resolve(name));
      boolean ours =
          staged.contains(file) || file.startsWith(headers) || precompiled.contains(file);
      if (!ours) {
        if (!ownHeaders.test(file)) {
          throw failure(outcome, log, undeclared(name));
        }
        if (!dialect.mayRead(file)) {
          throw failure(
              outcome,
              log,
              "the compile read "
                  + name
                  + ", which is for AMD's compiler; include it only where __HIP_PLATFORM_AMD__ is"
                  + " defined");
        }
        own.add(file);
      }
    }
    List<Toolchain.File> files = new ArrayList<>();
    for (Path file : own) {
      Digest content =
          digests
              .digest(file)
              .orElseThrow(() -> failure(outcome, log, file + ": gone after the compile read it"));
      files.add(new Toolchain.File(file.toString(), content));
    }
    return files;
  }

  private List<String> listed(Staging staging, ProgramResult outcome, String log)
      throws IOException {
    Path list = staging.resolve(OutputNames.DEPENDENCIES);
    List<String> names =
        Files.exists(list)
            ? MakeRule.prerequisites(new String(BoundedFile.read(list, MOST_LIST_BYTES), UTF_8))
            : List.of();
    // No file has a name with a NUL.
    if (names.isEmpty() || names.stream().anyMatch(name -> name.indexOf('\0') >= 0)) {
      throw failure(
          outcome, log, "the compiler did not list the files it read, so the result can't be kept");
    }
    return names;
  }

  private String undeclared(String file) {
    return place(file)
        + "the compile read "
        + file
        + ", which is neither declared nor the toolchain's; declare it with --header or withHeader";
  }

  /** Returns where the sources name a file, as the beginning of a message, if one does. */
  private String place(String name) {
    String last = name.substring(name.lastIndexOf('/') + 1);
    for (String wanted : List.of(name, last)) {
      for (Toolchain.SourceFile file : job.source().files()) {
        List<String> lines =
            ISO_8859_1.decode(file.content().duplicate()).toString().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
          if (lines.get(i).contains(wanted) && lines.get(i).contains("#")) {
            String display =
                job.source().displayNames().getOrDefault(file.path(), job.source().name());
            return display + ":" + (i + 1) + ": ";
          }
        }
      }
    }
    return "";
  }

  private CompilationException failure(ProgramResult outcome, String log, String problem) {
    if (outcome.end() == ProgramResult.End.TIMED_OUT) {
      return new CompilationTimeoutException(
          job.source().name(), problem, command, log, job.timeout());
    }
    return new CompilationException(job.source().name(), problem, command, outcome.exitCode(), log);
  }
}
