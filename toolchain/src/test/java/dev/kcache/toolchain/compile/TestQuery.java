// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.process.CompilerPrograms;
import dev.kcache.toolchain.process.ProgramRunner;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** What a test asks a compiler with; it remembers nothing. */
public final class TestQuery implements AutoCloseable {
  private final CompilerPrograms programs;
  private final DriverQuery query;

  public TestQuery(DialectFacts facts, Path stagings) {
    InstantSource clock = InstantSource.system();
    programs =
        new CompilerPrograms(ProgramRunner.create(List.of()), facts.environment(), () -> stagings);
    ProbeResults results =
        new ProbeResults(ProbeCache.in(Optional.empty(), Host.local()), new FileStamps(clock));
    query = new DriverQuery(facts, programs, results, Duration.ofMinutes(1), clock);
  }

  public DriverQuery query() {
    return query;
  }

  @Override
  public void close() {
    programs.close();
  }
}
