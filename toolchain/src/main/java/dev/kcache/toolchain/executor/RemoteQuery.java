// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.compile.DriverQuery;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Asks a compiler on an executor's machines. */
final class RemoteQuery implements CompilerQuery {
  private final DialectFacts facts;
  private final RemoteMachine machine;
  private final ProbeResults results;
  private final ProbeQuestions questions;
  private final Duration time;

  /**
   * Asks nothing yet.
   *
   * @param time the limit for an answer
   */
  RemoteQuery(
      DialectFacts facts,
      RemoteMachine machine,
      ProbeResults results,
      ProbeQuestions questions,
      Duration time) {
    this.facts = facts;
    this.machine = machine;
    this.results = results;
    this.questions = questions;
    this.time = time;
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
    RemoteMachine.Run run = run(command, text, limit);
    ProgramResult result = run.result();
    return new ProgramResult(
        result.end(),
        result.exitCode(),
        anywhere(result.output(), run),
        anywhere(result.errors(), run),
        result.elapsed(),
        result.excess());
  }

  private RemoteMachine.Run run(List<String> command, String text, Duration limit) {
    SourceFile file = new SourceFile(PlannedCommands.FILE, UTF_8.encode(text));
    return machine.ask(command, List.of(file), List.of(), limit);
  }

  private static String anywhere(String printed, RemoteMachine.Run run) {
    return printed
        .replace(run.temporary().toString(), PlannedCommands.TEMPORARY)
        .replace(run.work().toString(), "(work)");
  }

  @Override
  public PlannedCommands printedCommands(List<String> command) {
    RemoteMachine.Run run = run(command, "", time);
    return DriverQuery.commands(facts, command, run.result(), run.temporary().toString());
  }

  @Override
  public List<List<String>> remembered(
      String kind, Predicate<List<List<String>>> sound, Supplier<Answer> ask) {
    return results
        .get(
            questions.of(kind, List.of()),
            known -> sound.test(known.lines()),
            () -> new ProbeResult(ask.get().lines(), Map.of(), true))
        .lines();
  }

  @Override
  public CompilationException refusal(List<String> command, ProgramResult result) {
    return DriverQuery.refusal(facts, command, result);
  }
}
