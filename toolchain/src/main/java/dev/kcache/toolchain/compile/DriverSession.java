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
 * What it takes to ask a compiler or to run it, made when that has to be done: a process that has
 * hits only loads none of it.
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

  /** Loads and starts nothing. */
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

  /** Returns what is known of the compiler without asking it. */
  public DialectFacts facts() {
    return facts;
  }

  /** Returns what makes the questions by which the compiler's answers are remembered. */
  public ProbeQuestions questions() {
    return new ProbeQuestions(facts.program(), facts.environment(), facts.keyWords());
  }

  /** Returns how to talk to the compiler. */
  public Dialect dialect() {
    return ready().dialect();
  }

  /** Returns what runs the compiler's programs. */
  public CompilerPrograms programs() {
    return ready().programs();
  }

  DriverQuery query() {
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

  /** Ends what runs and has nothing run any more. */
  @Override
  public synchronized void close() {
    closed = true;
    if (ready != null) {
      ready.programs().close();
    }
  }
}
