// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a store: one for all requests, until one of these fails. The next request makes
 * another; those that use the old one may finish. Threads start with the first request.
 *
 * <p>Safe for use by any number of threads.
 */
final class Connections implements AutoCloseable {
  private static final int THREADS = 2;
  private static final long IDLE_SECONDS = 10;

  private final GrpcAddress address;
  private final ThreadPoolExecutor executor;
  private @Nullable CompletableFuture<Engine> engine;
  private @Nullable Connection current;

  /** The current one, and those that were before it. */
  private final List<Connection> all = new ArrayList<>();

  private boolean closed;

  Connections(GrpcAddress address) {
    this.address = address;
    executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "kcache-grpc");
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a task that takes a while, but does not wait for the network.
   *
   * @throws RejectedExecutionException after the end
   */
  void execute(Runnable task) {
    executor.execute(task);
  }

  /** Returns the connection to use until it is {@link #release}d, or none after the end. */
  synchronized Optional<Connection> use() {
    if (closed) {
      return Optional.empty();
    }
    if (engine == null) {
      // To load gRPC and Netty takes half a second, for which the lock is not to be held.
      engine = CompletableFuture.supplyAsync(() -> new Engine(address, executor), executor);
    }
    if (current == null) {
      CompletableFuture<ManagedChannel> channel =
          engine.thenApplyAsync(Engine::newChannel, executor);
      current = new Connection(address.instance(), channel);
      all.removeIf(Connection::isOver);
      all.add(current);
    }
    current.users++;
    return Optional.of(current);
  }

  /**
   * Ends the use of a connection.
   *
   * @param failed whether the next request is to make another one
   */
  void release(Connection used, boolean failed) {
    synchronized (this) {
      used.users--;
      if (failed && current == used) {
        current = null;
      }
      if (used.users > 0 || current == used) {
        return;
      }
    }
    used.retire();
  }

  @Override
  public void close() {
    List<Connection> open;
    CompletableFuture<Engine> started;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      current = null;
      open = List.copyOf(all);
      started = engine;
    }
    CompletableFuture<?>[] ends =
        open.stream().map(Connection::close).toArray(CompletableFuture[]::new);
    if (started != null) {
      var unused =
          CompletableFuture.allOf(ends)
              .whenComplete(
                  (done, failure) -> {
                    var unusedToo = started.thenAccept(each -> each.end(executor::shutdown));
                  });
    }
  }
}
