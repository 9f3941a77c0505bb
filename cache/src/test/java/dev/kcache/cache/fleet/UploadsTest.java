// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.remote.RemoteStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queue of what is to be written, before a remote that answers when the test says so. */
@Timeout(60)
class UploadsTest {
  private static final int MOST_AT_ONCE = 3;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Slow store = new Slow();

  /** For each entry that has ended, whether it was written. */
  private final List<Boolean> ended = new CopyOnWriteArrayList<>();

  private final Semaphore inFlight = new Semaphore(MOST_AT_ONCE);
  private final Remote remote =
      new Remote(store, MINUTE, MINUTE, MINUTE, System::nanoTime, Jitter.DEFAULT);
  private final Uploads uploads = new Uploads(List.of(remote), inFlight, 60_000);

  private static final class Slow implements RemoteStore {
    final List<CompletableFuture<Void>> writes = new CopyOnWriteArrayList<>();
    final List<String> names = new CopyOnWriteArrayList<>();
    volatile boolean answers;

    @Override
    public String describe() {
      return "slow";
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
      throw new AssertionError("nobody reads");
    }

    @Override
    public synchronized CompletableFuture<Void> put(String name, byte[] bytes) {
      CompletableFuture<Void> answer = new CompletableFuture<>();
      names.add(name);
      writes.add(answer);
      notifyAll();
      if (answers) {
        answer.complete(null);
      }
      return answer;
    }

    /** Waits for a number of writes, and answers them and all later ones. */
    synchronized void answerAfter(int number) throws InterruptedException {
      while (writes.size() < number) {
        wait();
      }
      answers = true;
      List.copyOf(writes).forEach(write -> write.complete(null));
    }

    @Override
    public void close() {}
  }

  private void add(String name, long size) {
    uploads.add(
        List.of(new Uploads.Part(List.of(name, name + "/any"), false, () -> new byte[1])),
        size,
        ended::add);
  }

  @Test
  void queue_holdsSoManyEntries() throws InterruptedException {
    for (int i = 0; i < Uploads.MOST_ENTRIES + 44; i++) {
      add("e" + i, 1);
    }
    assertThat(uploads.dropped()).isEqualTo(44);
    store.answerAfter(MOST_AT_ONCE);
    uploads.close();
    assertThat(store.names).hasSize(2 * Uploads.MOST_ENTRIES).doesNotContain("e256");
    assertThat(uploads.dropped()).isEqualTo(44);
    assertThat(ended.stream().filter(written -> written)).hasSize(Uploads.MOST_ENTRIES);
    assertThat(ended.stream().filter(written -> !written)).hasSize(44);
  }

  @Test
  void close_dropsAndTellsWhatWaits() {
    Uploads hasty = new Uploads(List.of(remote), new Semaphore(1), 1);
    for (String name : List.of("a", "b", "c", "d")) {
      Uploads.Part part = new Uploads.Part(List.of(name), false, () -> new byte[1]);
      hasty.add(List.of(part), 1, ended::add);
    }
    hasty.close();
    assertThat(ended).hasSizeGreaterThanOrEqualTo(2).containsOnly(false);
  }

  @Test
  void queue_holdsSoManyBytes() throws InterruptedException {
    add("a", Uploads.MOST_BYTES - 1);
    add("b", 2);
    add("c", 1);
    assertThat(uploads.dropped()).isEqualTo(1);
    store.answerAfter(2);
    uploads.close();
    assertThat(store.names).containsExactlyInAnyOrder("a", "a/any", "c", "c/any");
  }

  @Test
  void writes_areFewAtOnceAndInOrder() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      add("e" + i, 1);
    }
    store.answerAfter(MOST_AT_ONCE);
    uploads.close();
    assertThat(store.names).hasSize(20).startsWith("e0", "e1", "e2", "e0/any", "e1/any", "e2/any");
    for (int i = 0; i < 10; i++) {
      assertThat(store.names).containsSubsequence("e" + i, "e" + i + "/any");
    }
    assertThat(inFlight.availablePermits()).isEqualTo(MOST_AT_ONCE);
  }

  @Test
  void failedValueOrWrite_isCountedAndStopsNothing() throws InterruptedException {
    Uploads.Value none =
        () -> {
          throw new IOException("no value");
        };
    uploads.add(List.of(new Uploads.Part(List.of("a"), false, none)), 1, ended::add);
    add("b", 1);
    store.answerAfter(1);
    uploads.close();
    assertThat(store.names).containsExactly("b", "b/any");
    assertThat(uploads.dropped()).isEqualTo(1);
    add("late", 1);
    assertThat(uploads.dropped()).isEqualTo(2);
  }
}
