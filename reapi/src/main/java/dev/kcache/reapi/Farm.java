// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.executor.CommandExecutor.Platform;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** What the commands of an executor have in common. Safe for use by any number of threads. */
final class Farm {
  private static final long SHORTEST_PAUSE_MILLIS = 50;
  private static final int DOUBLINGS = 5;
  private static final long CLOSING_SECONDS = 2;

  final GrpcAddress address;
  final Platform platform;
  final ExecutionBounds bounds;
  final Connections connections;

  /** Whether the server has ever answered: the address is right then. */
  volatile boolean answered;

  /** Whether a worker has run a command: there are some, and another command is in turn later. */
  volatile boolean served;

  /** Whether commands are ended. */
  volatile boolean closed;

  private final Pause pause;
  private CompletableFuture<Void> cancelling = CompletableFuture.completedFuture(null);
  private ExecutorLoad load = new ExecutorLoad(0, 0, 0);

  Farm(GrpcAddress address, Platform platform, ExecutionBounds bounds, Pause pause) {
    this.address = address;
    this.platform = platform;
    this.bounds = bounds;
    this.pause = pause;
    connections = new Connections(address);
  }

  /** Lets time pass. */
  interface Pause {
    void millis(long millis) throws InterruptedException;
  }

  /**
   * Waits before a command is tried again: about 50 ms, then twice as long each time, up to 2 s.
   * Many who lost the same server come back at different times.
   */
  void pause(int earlier) throws InterruptedException {
    long millis = SHORTEST_PAUSE_MILLIS << Math.min(earlier, DOUBLINGS);
    pause.millis(millis * 3 / 4 + ThreadLocalRandom.current().nextLong(millis / 2));
  }

  synchronized ExecutorLoad load() {
    return load;
  }

  /** Counts a command that goes from one place to another. */
  synchronized void move(int queued, int running, int done) {
    load = new ExecutorLoad(load.queued() + queued, load.running() + running, load.done() + done);
  }

  /** The server is told that nobody waits for a command any longer. */
  synchronized void cancelling(CompletableFuture<?> request) {
    cancelling = CompletableFuture.allOf(cancelling, request.exceptionally(failure -> null));
  }

  /** Ends all requests; those that cancel commands have some time. */
  void close() {
    CompletableFuture<Void> last;
    synchronized (this) {
      last = cancelling;
    }
    last.completeOnTimeout(null, CLOSING_SECONDS, TimeUnit.SECONDS).join();
    connections.close();
  }

  static void sleep(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }
}
