// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.Toolchain;
import dev.kcache.cache.ToolchainNotFoundException;
import dev.kcache.cache.toolchain.ProgramOutcome.End;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The {@linkplain ForkServer fork servers} of a compiler and its linker, for a batch: a program
 * that is started anew spends a quarter of a small kernel's time on its start. The compiler itself
 * makes what they need. Until they are there, and wherever they can't be had, each run is one of
 * {@link CompilerDriver#runAll}.
 *
 * <p>Safe for use by any number of threads.
 */
final class ForkServers implements AutoCloseable {
  private static final String SOURCE = "fork-server.c";

  private final CompilerDriver driver;
  private volatile Map<String, ForkServer> servers = Map.of();
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile boolean closed;

  /** Creates none yet. */
  ForkServers(CompilerDriver driver) {
    this.driver = driver;
  }

  /** As {@link CompilerDriver#runAll}. */
  ProgramOutcome runAll(List<List<String>> commands, Staging staging, Duration timeout)
      throws InterruptedException {
    long start = System.nanoTime();
    OptionalInt status = OptionalInt.of(0);
    try {
      // What an earlier run in the same directory said is not this one's.
      staging.forgetOutput();
      for (List<String> command : commands) {
        ForkServer server = servers.get(command.get(0));
        status =
            server == null
                ? OptionalInt.empty()
                : server.run(command, staging, timeout.minusNanos(System.nanoTime() - start));
        if (!status.equals(OptionalInt.of(0))) {
          break;
        }
      }
    } catch (IOException e) {
      status = OptionalInt.empty();
    } catch (TimeoutException e) {
      return outcome(End.TIMED_OUT, -1, staging, start);
    }
    if (status.isPresent()) {
      return outcome(End.EXITED, status.getAsInt(), staging, start);
    }
    return closed
        ? outcome(End.CLOSED, -1, staging, start)
        : driver.runAll(commands, staging, timeout.minusNanos(System.nanoTime() - start));
  }

  private static ProgramOutcome outcome(End end, int exitCode, Staging staging, long start) {
    return new ProgramOutcome(
        end,
        exitCode,
        BoundedText.read(staging.beside(Staging.OUTPUT)),
        BoundedText.read(staging.beside(Staging.ERRORS)),
        Duration.ofNanos(System.nanoTime() - start));
  }

  /**
   * Starts the servers, the first time that this is called. Another thread goes on without them
   * meanwhile.
   *
   * @param timeout how long the compiler may take to make what they need
   */
  void start(DirectCommands direct, Duration timeout) throws InterruptedException {
    if (begun.getAndSet(true)) {
      return;
    }
    Map<String, ForkServer> made = new HashMap<>();
    try (Staging staging = driver.stage()) {
      Optional<Path> library = library(direct, staging, timeout);
      if (library.isPresent()) {
        for (String program : Set.of(direct.compiler().get(0), direct.linker().get(0))) {
          driver.serve(Path.of(program), library.get()).ifPresent(s -> made.put(program, s));
        }
      }
    } catch (IOException | ToolchainNotFoundException e) {
      System.getLogger(ForkServers.class.getName())
          .log(System.Logger.Level.DEBUG, "no fork server can be made", e);
    } finally {
      keep(made);
    }
  }

  private synchronized void keep(Map<String, ForkServer> made) {
    servers = Map.copyOf(made);
    if (closed) {
      close();
    }
  }

  /** Returns what {@code fork-server.c} is compiled to, in {@code staging}. */
  Optional<Path> library(DirectCommands direct, Staging staging, Duration timeout)
      throws IOException, InterruptedException {
    try (InputStream source = ForkServers.class.getResourceAsStream(SOURCE)) {
      byte[] content = Objects.requireNonNull(source).readAllBytes();
      staging.put(new Toolchain.SourceFile(SOURCE, ByteBuffer.wrap(content)));
    }
    Path object = staging.beside("fork-server.o");
    Path library = staging.beside("fork-server.so");
    String compiler = direct.compiler().get(0);
    List<String> linker = direct.linker();
    List<String> link = new ArrayList<>(linker.subList(0, linker.get(1).equals("-flavor") ? 3 : 1));
    link.addAll(List.of("-shared", "-o", library.toString(), object.toString()));
    List<String> compile = List.of(compiler, "-fPIC", "-w", "-c", "-o", object.toString(), SOURCE);
    ProgramOutcome outcome = driver.runAll(List.of(compile, link), staging, timeout);
    if (!outcome.succeeded()) {
      System.getLogger(ForkServers.class.getName())
          .log(System.Logger.Level.DEBUG, () -> "no fork server can be made: " + outcome);
    }
    return outcome.succeeded() && Files.exists(library) ? Optional.of(library) : Optional.empty();
  }

  /** Ends the servers and what they run. Closing twice has no effect. */
  @Override
  public synchronized void close() {
    closed = true;
    servers.values().forEach(ForkServer::close);
  }
}
