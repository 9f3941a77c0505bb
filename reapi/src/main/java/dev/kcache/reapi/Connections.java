// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
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
   * Makes requests; returns at once. The future fails with a {@link RequestException}; whoever
   * cancels it ends the calls.
   *
   * @param work makes the calls, and does not block
   */
  <T> CompletableFuture<T> ask(BiFunction<Server, Calls, CompletableFuture<T>> work) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      // No caller waits until gRPC is loaded, or a value is hashed.
      executor.execute(() -> start(work, answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(closed());
    }
    return answer;
  }

  private <T> void start(
      BiFunction<Server, Calls, CompletableFuture<T>> work, CompletableFuture<T> answer) {
    try {
      use()
          .ifPresentOrElse(
              connection -> start(connection, work, answer),
              () -> answer.completeExceptionally(closed()));
    } catch (RuntimeException | LinkageError e) {
      answer.completeExceptionally(new RequestException("gRPC can't be used: " + e, null));
    }
  }

  private <T> void start(
      Connection connection,
      BiFunction<Server, Calls, CompletableFuture<T>> work,
      CompletableFuture<T> answer) {
    Context.CancellableContext context = Context.ROOT.withCancellation();
    var unused =
        answer.whenComplete(
            (value, failure) -> {
              context.cancel(null);
              release(connection, failure != null);
            });
    var unusedToo =
        connection
            .server()
            .thenCompose(server -> work.apply(server, new Calls(server.channel(), context)))
            .whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    answer.complete(value);
                  } else {
                    answer.completeExceptionally(
                        new RequestException(
                            address.withoutCredentials(Failures.line(failure)),
                            Failures.code(failure).orElse(null)));
                  }
                });
  }

  private static RequestException closed() {
    return new RequestException("closed", null);
  }

  /** Returns the connection to use until it is {@link #release}d, or none after the end. */
  private synchronized Optional<Connection> use() {
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
  private void release(Connection used, boolean failed) {
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
