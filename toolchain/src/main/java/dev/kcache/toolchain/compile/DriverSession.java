// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.process.CompilerPrograms;
import dev.kcache.toolchain.process.ProgramRunner;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The objects that run a compiler, created when they are first needed: a process that only has hits
 * loads none of their classes.
 *
 * <p>Safe for use by any number of threads.
 */
public final class DriverSession implements AutoCloseable {
  private record Ready(Dialect dialect, CompilerPrograms programs, DriverQuery query) {}

  private final DialectFacts facts;
  private final Supplier<? extends Dialect> dialect;
  private final ToolchainContext context;
  private final List<Path> searchPath;
  private final ProbeResults results;
  private final InstantSource clock;
  private @Nullable Ready ready;
  private boolean closed;

  /** Creates a session; loads and starts nothing. */
  public DriverSession(
      DialectFacts facts,
      Supplier<? extends Dialect> dialect,
      ToolchainContext context,
      List<Path> searchPath,
      ProbeResults results,
      InstantSource clock) {
    this.facts = facts;
    this.dialect = dialect;
    this.context = context;
    this.searchPath = searchPath;
    this.results = results;
    this.clock = clock;
  }

  /** Returns the facts about the compiler that are known without running it. */
  public DialectFacts facts() {
    return facts;
  }

  /** Returns the factory of the questions under which the compiler's answers are stored. */
  public ProbeQuestions questions() {
    return new ProbeQuestions(facts.program(), facts.environment(), facts.keyWords());
  }

  /** Returns the compiler's dialect. */
  public Dialect dialect() {
    return ready().dialect();
  }

  /** Returns the runner of the compiler's programs. */
  public CompilerPrograms programs() {
    return ready().programs();
  }

  /** Returns what asks the compiler and compiles with it. */
  public DriverQuery query() {
    return ready().query();
  }

  private synchronized Ready ready() {
    Ready made = ready;
    if (made == null) {
      CompilerPrograms programs =
          new CompilerPrograms(
              ProgramRunner.create(searchPath), facts.environment(), context.stagingParent());
      DriverQuery query = new DriverQuery(facts, programs, results, context.timeout(), clock);
      made = new Ready(dialect.get(), programs, query);
      ready = made;
      if (closed) {
        programs.close();
      }
    }
    return made;
  }

  /** Ends all running programs, and refuses to run more. */
  @Override
  public synchronized void close() {
    closed = true;
    if (ready != null) {
      ready.programs().close();
    }
  }
}
