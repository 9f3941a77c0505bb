// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.remote.RemoteStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RemoteTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final List<CompletableFuture<Optional<byte[]>>> reads = new ArrayList<>();
  private final List<CompletableFuture<Void>> writes = new ArrayList<>();
  private int lists;

  /** How many reads fail at once before the others are empty; -1 if the test answers. */
  private int failsNext = -1;

  private final AtomicLong clock = new AtomicLong();

  /** Which repeats are due, and after which delays. */
  private final List<Runnable> repeats = new ArrayList<>();

  private final List<Duration> delays = new ArrayList<>();
  private double random = 0.5;
  private final Jitter jitter =
      new Jitter(
          () -> random,
          (delay, task) -> {
            delays.add(delay);
            repeats.add(task);
          });
  private final Remote remote = remote(MINUTE, MINUTE);

  private Remote remote(Duration firstDeadline, Duration deadline) {
    return new Remote(new Pending(), firstDeadline, deadline, MINUTE, clock::get, jitter);
  }

  /** A store whose answers the test gives. */
  private final class Pending implements RemoteStore {
    @Override
    public String describe() {
      return "pending";
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
      reads.add(new CompletableFuture<>());
      if (failsNext > 0) {
        failLast(reads);
      } else if (failsNext == 0) {
        reads.get(reads.size() - 1).complete(Optional.empty());
      }
      failsNext -= failsNext > 0 ? 1 : 0;
      return reads.get(reads.size() - 1);
    }

    @Override
    public CompletableFuture<List<String>> list(String prefix) {
      lists++;
      return RemoteStore.super.list(prefix);
    }

    @Override
    public CompletableFuture<Void> put(String name, byte[] bytes) {
      writes.add(new CompletableFuture<>());
      return writes.get(writes.size() - 1);
    }

    @Override
    public void close() {}
  }

  private CompletableFuture<Optional<byte[]>> get() {
    return remote.get("a", 1);
  }

  private CompletableFuture<Void> put() {
    return remote.put("a", new byte[1]);
  }

  /** Has the store fail what it was asked last. */
  private static void failLast(List<? extends CompletableFuture<?>> asked) {
    asked.get(asked.size() - 1).completeExceptionally(new IOException("gone"));
  }

  private void repeatFirst() {
    repeats.remove(0).run();
  }

  /** Returns a read that fails, and its repeat too. */
  private CompletableFuture<?> failTwice() {
    CompletableFuture<?> failed = get();
    failLast(reads);
    repeatFirst();
    failLast(reads);
    return failed;
  }

  @Test
  void failedRequest_isRepeatedOnceAfterAWhile() {
    CompletableFuture<?> read = get();
    CompletableFuture<?> written = put();
    failLast(reads);
    failLast(writes);
    assertThat(read).isNotDone();
    assertThat(written).isNotDone();
    assertThat(reads).hasSize(1);
    repeatFirst();
    repeatFirst();
    reads.get(1).complete(Optional.empty());
    writes.get(1).complete(null);
    assertThat(read).isCompleted();
    assertThat(written).isCompleted();
    assertThat(get()).isNotDone();
    assertThat(failTwice()).isCompletedExceptionally();
    assertThat(repeats).isEmpty();
  }

  @Test
  void repeatsAndPauses_differFromMachineToMachine() {
    for (double each : List.of(0.0, 0.5, 0.999)) {
      random = each;
      var unused = get();
      failLast(reads);
    }
    assertThat(delays)
        .containsExactly(Duration.ofMillis(50), Duration.ofMillis(150), Duration.ofMillis(249));
    random = 0;
    assertThat(jitter.pause(1000)).isEqualTo(750);
    random = 0.5;
    assertThat(jitter.pause(1000)).isEqualTo(1000);
    random = 0.999;
    assertThat(jitter.pause(1000)).isEqualTo(1249);
  }

  @Test
  void pause_isAnotherEachTime() {
    random = 0;
    assertThat(failTwice()).isCompletedExceptionally();
    clock.addAndGet(Duration.ofSeconds(45).toNanos() - 1);
    assertThat(get()).isCompletedExceptionally();
    clock.addAndGet(1);
    random = 0.5;
    CompletableFuture<?> trying = get();
    assertThat(trying).isNotDone();
    failLast(reads);
    clock.addAndGet(Duration.ofSeconds(45).toNanos());
    assertThat(get()).isCompletedExceptionally();
    clock.addAndGet(Duration.ofSeconds(15).toNanos());
    assertThat(get()).isNotDone();
  }

  @Test
  void failure_letsGoAllWhoWait() {
    CompletableFuture<?> second = get();
    CompletableFuture<?> first = failTwice();
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isCompletedExceptionally();
    assertThat(reads.get(0)).isCancelled();
    assertThat(get()).isCompletedExceptionally();
    assertThat(put()).isCompletedExceptionally();
    assertThat(reads).hasSize(3);
    assertThat(writes).isEmpty();
  }

  @Test
  void manyFailures_costOneRepeat() {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      all.add(get());
      failLast(reads);
    }
    CompletableFuture<?> written = put();
    failLast(writes);
    assertThat(repeats).hasSize(65);
    repeatFirst();
    failLast(reads);
    assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
    List.copyOf(repeats).forEach(Runnable::run);
    assertThat(written).isCompletedExceptionally();
    assertThat(reads).hasSize(65);
    assertThat(writes).hasSize(1);
    assertThat(get()).isCompletedExceptionally();
    assertThat(repeats).hasSize(64);
  }

  @Test
  void slowFailure_isNotRepeated() {
    CompletableFuture<?> read = get();
    clock.addAndGet(MINUTE.toNanos() / 2);
    failLast(reads);
    assertThat(read).isCompletedExceptionally();
    assertThat(repeats).isEmpty();
  }

  @Test
  void deadline_isForBothTries() {
    Remote hasty = remote(Duration.ofMillis(10), Duration.ofMillis(10));
    CompletableFuture<?> read = hasty.get("a", 1);
    failLast(reads);
    assertThat(repeats).hasSize(1);
    assertThat(read).failsWithin(20, TimeUnit.SECONDS);
    repeatFirst();
    assertThat(reads).hasSize(1);
  }

  @Test
  void close_letsGoAndRepeatsNothing() {
    CompletableFuture<?> read = get();
    failLast(reads);
    remote.close();
    assertThat(read).isCompletedExceptionally();
    repeatFirst();
    assertThat(get()).isNotDone();
    failLast(reads);
    assertThat(reads).hasSize(2);
    assertThat(repeats).isEmpty();
  }

  @Test
  void afterThePause_oneTriesAndTheOthersGoOn() {
    assertThat(failTwice()).isCompletedExceptionally();
    clock.addAndGet(MINUTE.toNanos());
    CompletableFuture<?> trying = get();
    assertThat(trying).isNotDone();
    assertThat(get()).isCompletedExceptionally();
    // While it is on trial, nothing is repeated.
    failLast(reads);
    assertThat(trying).isCompletedExceptionally();
    assertThat(repeats).isEmpty();

    clock.addAndGet(MINUTE.toNanos());
    trying = get();
    reads.get(3).complete(Optional.empty());
    assertThat(trying).isCompleted();
    assertThat(get()).isNotDone();
  }

  @Test
  void failedWrite_endsWritingAlone() {
    CompletableFuture<?> reading = get();
    CompletableFuture<?> written = put();
    failLast(writes);
    repeatFirst();
    failLast(writes);
    assertThat(written).isCompletedExceptionally();
    assertThat(put()).isCompletedExceptionally();
    assertThat(reading).isNotDone();
    reads.get(0).complete(Optional.empty());
    assertThat(get()).isNotDone();

    clock.addAndGet(MINUTE.toNanos());
    CompletableFuture<Void> trying = put();
    failLast(writes);
    assertThat(trying).isCompletedExceptionally();
    assertThat(repeats).isEmpty();
  }

  /** As kcache sync does. */
  @Test
  void client_repeatsOnceUntilARepeatFails() throws Exception {
    Jitter atOnce = new Jitter(() -> 0.5, (delay, task) -> task.run());
    try (RemoteClient client = new RemoteClient(new Pending(), MINUTE, atOnce)) {
      failsNext = 1;
      assertThat(client.get("a")).isEmpty();
      assertThat(reads).hasSize(2);
      failsNext = 3;
      assertThatThrownBy(() -> client.get("a")).hasMessage("remote pending: gone");
      assertThatThrownBy(() -> client.get("a")).hasMessage("remote pending: gone");
      assertThat(reads).hasSize(5);
      assertThat(client.get("a")).isEmpty();
      failsNext = 1;
      assertThat(client.get("a")).isEmpty();
      assertThatThrownBy(() -> client.list("")).isInstanceOf(UnsupportedOperationException.class);
      assertThat(lists).isOne();
    }
  }

  @Test
  void firstAnswer_mayTakeLonger() {
    Remote loading = remote(MINUTE, Duration.ofMillis(10));
    CompletableFuture<Optional<byte[]>> first = loading.get("a", 1);
    reads.get(0).complete(Optional.empty());
    assertThat(first).isCompleted();
    assertThat(loading.get("a", 1)).failsWithin(20, TimeUnit.SECONDS);
  }

  @Test
  void silence_isAFailure() {
    Remote hasty = remote(Duration.ofMillis(10), Duration.ofMillis(10));
    assertThat(hasty.get("a", 1)).failsWithin(20, TimeUnit.SECONDS);
    assertThat(reads.get(0)).failsWithin(20, TimeUnit.SECONDS);
    assertThat(reads.get(0)).isCancelled();
    assertThat(hasty.get("a", 1)).isCompletedExceptionally();
    assertThat(reads).hasSize(1);
    assertThat(repeats).isEmpty();
  }
}
