// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.probe.SharedLibraries;
import dev.kcache.toolchain.process.CompilerPrograms;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Runs a compiler's programs in staging directories, to ask questions and to compile. */
public final class DriverQuery implements CompilerQuery {
  /** The longest time for an answer. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /**
   * An error that clang 15 prints for {@code -###} although it exits with 0. That it does not find
   * HIP's headers is no such error: hipcc names them, in Spack's prefixes too.
   */
  private static final Pattern LACK =
      Pattern.compile("(?m)^[^\"\n]*\\berror: (?!cannot find HIP runtime)");

  /** The shortest time after which a program that was ended at a limit is asked the same again. */
  private static final Duration PAUSE = Duration.ofSeconds(5);

  /** Advice for a program that was ended at its time limit: the options of command and builder. */
  static final String MORE_TIME = "allow it more time with --timeout or compileTimeout";

  /** The characters that are special to a shell within double quotes. */
  public static final Pattern SHELL = Pattern.compile("[$`\\\\\"]");

  private final DialectFacts facts;
  private final CompilerPrograms programs;
  private final ProbeResults results;
  private final Duration time;
  private final InstantSource clock;
  private final Map<List<String>, Overrun> overruns = new ConcurrentHashMap<>();

  /** The message about a program that was ended, and the time until which it is repeated. */
  private record Overrun(String message, Instant until) {}

  /**
   * Creates the object; runs nothing.
   *
   * @param timeout the time limit of a compile, which no question may exceed
   */
  public DriverQuery(
      DialectFacts facts,
      CompilerPrograms programs,
      ProbeResults results,
      Duration timeout,
      InstantSource clock) {
    this.facts = facts;
    this.programs = programs;
    this.results = results;
    this.time = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
    this.clock = clock;
  }

  @Override
  public DialectFacts facts() {
    return facts;
  }

  @Override
  public Duration time() {
    return time;
  }

  @Override
  public ProgramResult ask(List<String> command, String text, Duration limit) {
    try (Staging staging = stage()) {
      ProgramResult result = ask(command, text, staging, limit);
      return new ProgramResult(
          result.end(),
          result.exitCode(),
          anywhere(result.output(), staging),
          anywhere(result.errors(), staging),
          result.elapsed(),
          result.excess());
    }
  }

  private static String anywhere(String printed, Staging staging) {
    return printed
        .replace(staging.temporary().toString(), PlannedCommands.TEMPORARY)
        .replace(staging.work().toString(), "(work)");
  }

  /**
   * Repeats the message for a while: a batch must not wait for a hanging compiler once per kernel.
   */
  private ProgramResult ask(List<String> command, String text, Staging staging, Duration limit) {
    Overrun overrun = overruns.get(command);
    if (overrun != null && clock.instant().isBefore(overrun.until())) {
      throw new ToolchainNotFoundException(overrun.message());
    }
    put(staging, text);
    try {
      ProgramResult result = programs.run(List.of(command), staging, RunLimits.ofProbe(limit));
      if (result.excess().isPresent()) {
        String message =
            "%s: it %s; %s; %s"
                .formatted(
                    command.get(0), result.excess().get(), result.firstWords(), advice(result));
        Duration elapsed = result.elapsed();
        Duration pause = elapsed.compareTo(PAUSE) > 0 ? elapsed : PAUSE;
        overruns.put(List.copyOf(command), new Overrun(message, clock.instant().plus(pause)));
        throw new ToolchainNotFoundException(message);
      }
      if (result.log().indexOf('\0') >= 0) {
        throw unusable("asked what it is or would run, it prints a NUL, which no text has");
      }
      return result;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ToolchainNotFoundException(facts.program() + ": interrupted while it was asked");
    }
  }

  private String advice(ProgramResult result) {
    boolean mayHaveMore =
        result.end() == ProgramResult.End.TIMED_OUT && time.compareTo(LONGEST) < 0;
    return (mayHaveMore ? MORE_TIME + ", or " : "") + facts.repair();
  }

  @Override
  public PlannedCommands printedCommands(List<String> command) {
    try (Staging staging = stage()) {
      ProgramResult printed = ask(command, "", staging, time);
      return commands(facts, command, printed, staging.temporary().toString());
    }
  }

  /**
   * Returns the commands that a clang driver has printed.
   *
   * @param command what was run, the program first
   * @param temporary the directory of temporary files, whose names are random
   * @throws CompilationException if the driver has refused the command
   */
  public static PlannedCommands commands(
      DialectFacts facts, List<String> command, ProgramResult result, String temporary) {
    PlannedCommands commands = CommandLines.parse(result.log(), temporary);
    if (!result.succeeded() || commands.commands().isEmpty() || LACK.matcher(result.log()).find()) {
      throw refusal(facts, command, result);
    }
    return commands;
  }

  @Override
  public List<List<String>> remembered(
      String kind, Predicate<List<List<String>>> sound, Supplier<Answer> ask) {
    return results
        .get(
            new ProbeQuestions(facts.program(), facts.environment(), facts.keyWords())
                .of(kind, List.of()),
            known -> sound.test(known.lines()),
            () -> {
              Instant asked = clock.instant();
              Answer answer = ask.get();
              Set<Path> watched = new LinkedHashSet<>(answer.files());
              watched.add(SharedLibraries.CACHE);
              return ProbeResult.dependingOn(watched, answer.lines(), asked);
            })
        .lines();
  }

  /**
   * Returns the shared libraries that a program is loaded with; none if they can't be found out.
   */
  public Set<Path> libraries(Path binary, List<Path> searchPath) {
    if (facts.has(Trait.IS_SELF_CONTAINED)) {
      return Set.of();
    }
    Optional<List<String>> ldd = SharedLibraries.command(binary, searchPath);
    return ldd.isEmpty() ? Set.of() : SharedLibraries.in(ask(ldd.get()).output());
  }

  /**
   * Returns a new staging directory.
   *
   * @throws ToolchainNotFoundException if it can't be created, or the compiler can't use its path
   */
  public Staging stage() {
    Staging staging = programs.stage();
    if (facts.has(Trait.USES_A_SHELL) && SHELL.matcher(staging.temporary().toString()).find()) {
      staging.close();
      throw new ToolchainNotFoundException(
          facts.name()
              + " would give the temporary directory "
              + staging.temporary()
              + " to a shell; set TMPDIR to a path without $, `, \\ and \"");
    }
    return staging;
  }

  /** Writes the file that a question is about. */
  private static void put(Staging staging, String text) {
    try {
      staging.put(new Toolchain.SourceFile(PlannedCommands.FILE, UTF_8.encode(text)));
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          "cannot run a program: cannot write its files ("
              + FileFault.describe(e)
              + "); make room in the temporary directory");
    }
  }

  /** Compiles by commands in {@code staging}, one after the other until one fails. */
  public ProgramResult compile(List<List<String>> commands, Staging staging, Duration limit)
      throws InterruptedException {
    return programs.run(commands, staging, RunLimits.ofCompile(limit));
  }

  /** Compiles as above, with more variables in the environment. */
  ProgramResult compile(
      List<List<String>> commands, Staging staging, Map<String, String> more, Duration limit)
      throws InterruptedException {
    return programs.run(commands, staging, more, RunLimits.ofCompile(limit));
  }

  @Override
  public CompilationException refusal(List<String> command, ProgramResult result) {
    return refusal(facts, command, result);
  }

  /** As {@link CompilerQuery#refusal}, of any driver. */
  public static CompilationException refusal(
      DialectFacts facts, List<String> command, ProgramResult result) {
    String problem =
        result.succeeded() && Diagnostic.firstError(result.log()).isEmpty()
            ? "it names no command that it would run; is it really a compiler?"
            : Diagnostic.firstError(result.log())
                .map(error -> error + " (one of another version may know it)")
                .orElseGet(() -> wordless("it", result));
    return new CompilationException(facts.name(), problem, command, result.exitCode(), "");
  }

  /** Returns the message for a program that failed without an error message. */
  static String wordless(String program, ProgramResult result) {
    return program
        + " failed with exit code "
        + result.exitCode()
        + result
            .complaint()
            .map(line -> ": " + line)
            .orElse(" and said nothing; is there room in the temporary directory?");
  }
}
