// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.remote.RemoteHealth;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.remote.RemoteStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * Tries whether a remote can be used. What may be written gets one small value, always of the same
 * name, which no lookup asks for.
 */
final class RemoteCheck {
  static final String NAME = "doctor";

  private static final String VALUE = "written by kcache doctor";
  private static final int MOST_BYTES = 1024;

  private final RemoteStore store;
  private final Duration deadline;
  private final RemoteMode mode;
  private final Jitter jitter;
  private Optional<Duration> latency = Optional.empty();

  RemoteCheck(RemoteStore store, Duration deadline, RemoteMode mode, Jitter jitter) {
    this.store = store;
    this.deadline = deadline;
    this.mode = mode;
    this.jitter = jitter;
  }

  /**
   * Asks the remote; waits for one deadline if it does not answer. What fails in passing is
   * repeated once.
   */
  RemoteHealth run() {
    Optional<String> problem = problem();
    return new RemoteHealth(store.describe(), mode, latency, problem);
  }

  private Optional<String> problem() {
    try {
      // The first connects.
      Optional<byte[]> unused = get();
      long begin = System.nanoTime();
      unused = get();
      latency = Optional.of(Duration.ofNanos(System.nanoTime() - begin));
    } catch (ExecutionException | CancellationException e) {
      return Optional.of(reason(e) + "; check the address, the network and the credentials");
    } catch (InterruptedException e) {
      return interrupted();
    }
    return mode == RemoteMode.READ ? Optional.empty() : problemOfWriting();
  }

  private Optional<String> problemOfWriting() {
    byte[] value = VALUE.getBytes(UTF_8);
    try {
      wait(() -> store.put(NAME, value));
      return get().filter(read -> Arrays.equals(read, value)).isPresent()
          ? Optional.empty()
          : Optional.of(
              "gives back something else than was written; see what stands between, and whether it"
                  + " has room");
    } catch (ExecutionException | CancellationException e) {
      return Optional.of(
          "cannot be written: "
              + reason(e)
              + "; get credentials that may write, or set KCACHE_REMOTE_MODE=read");
    } catch (InterruptedException e) {
      return interrupted();
    }
  }

  private static Optional<String> interrupted() {
    Thread.currentThread().interrupt();
    return Optional.of("interrupted before it answered; try again");
  }

  private Optional<byte[]> get() throws ExecutionException, InterruptedException {
    return wait(() -> store.get(NAME, MOST_BYTES));
  }

  private <T> T wait(Supplier<CompletableFuture<T>> request)
      throws ExecutionException, InterruptedException {
    return new Request<>(request, jitter, Request.soon(System::nanoTime, deadline))
        .send(deadline)
        .get();
  }

  private String reason(Exception failure) {
    Throwable cause = failure.getCause();
    return Remote.reason(cause == null ? failure : cause, deadline);
  }
}
