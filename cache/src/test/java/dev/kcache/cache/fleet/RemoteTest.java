// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import static org.assertj.core.api.Assertions.assertThat;

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
  private final AtomicLong clock = new AtomicLong();
  private final Remote remote = new Remote(new Pending(), MINUTE, MINUTE, clock::get);

  /** A store whose answers the test gives. */
  private final class Pending implements RemoteStore {
    @Override
    public String describe() {
      return "pending";
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
      reads.add(new CompletableFuture<>());
      return reads.get(reads.size() - 1);
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

  @Test
  void failure_letsGoAllWhoWait() {
    CompletableFuture<?> first = get();
    CompletableFuture<?> second = get();
    reads.get(0).completeExceptionally(new IOException("gone"));
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isCompletedExceptionally();
    assertThat(reads.get(1)).isCancelled();
    assertThat(get()).isCompletedExceptionally();
    assertThat(put()).isCompletedExceptionally();
    assertThat(reads).hasSize(2);
    assertThat(writes).isEmpty();
  }

  @Test
  void afterThePause_oneTriesAndTheOthersGoOn() {
    CompletableFuture<?> failed = get();
    reads.get(0).completeExceptionally(new IOException("gone"));
    assertThat(failed).isCompletedExceptionally();
    clock.addAndGet(MINUTE.toNanos());
    CompletableFuture<?> trying = get();
    assertThat(trying).isNotDone();
    assertThat(get()).isCompletedExceptionally();
    reads.get(1).complete(Optional.empty());
    assertThat(trying).isCompleted();
    assertThat(get()).isNotDone();
  }

  @Test
  void failedWrite_endsWritingAlone() {
    CompletableFuture<?> reading = get();
    CompletableFuture<?> written = put();
    writes.get(0).completeExceptionally(new IOException("may not write"));
    assertThat(written).isCompletedExceptionally();
    assertThat(put()).isCompletedExceptionally();
    assertThat(reading).isNotDone();
    reads.get(0).complete(Optional.empty());
    assertThat(get()).isNotDone();
  }

  @Test
  void firstAnswer_mayTakeLonger() {
    Remote loading = new Remote(new Pending(), MINUTE, Duration.ofMillis(10), MINUTE, clock::get);
    CompletableFuture<Optional<byte[]>> first = loading.get("a", 1);
    reads.get(0).complete(Optional.empty());
    assertThat(first).isCompleted();
    assertThat(loading.get("a", 1)).failsWithin(20, TimeUnit.SECONDS);
  }

  @Test
  void silence_isAFailure() {
    Remote hasty = new Remote(new Pending(), Duration.ofMillis(10), MINUTE, clock::get);
    assertThat(hasty.get("a", 1)).failsWithin(20, TimeUnit.SECONDS);
    assertThat(reads.get(0)).isCancelled();
    assertThat(hasty.get("a", 1)).isCompletedExceptionally();
    assertThat(reads).hasSize(1);
  }
}
