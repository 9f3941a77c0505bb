// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A count by many threads, of which some have a place of their own. */
class HitCounterTest {
  private final HitCounter counter = new HitCounter(new HitCounter.Rows());

  /** Lets threads count at once, and waits for their end. */
  private void countWith(int threads, int times) throws InterruptedException {
    countWith(threads, times, 1);
  }

  /** Takes one thread of so many that are made one after the other. */
  private void countWith(int threads, int times, int oneOf) throws InterruptedException {
    CountDownLatch begin = new CountDownLatch(1);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads * oneOf; i++) {
      Thread thread =
          new Thread(
              () -> {
                await(begin);
                for (int count = 0; count < times; count++) {
                  counter.increment();
                }
              });
      if (i % oneOf == 0) {
        thread.start();
        all.add(thread);
      }
    }
    begin.countDown();
    for (Thread thread : all) {
      thread.join();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void sum_ofOneThread_isExactBeforeAndAfterItHasANumber() {
    for (int count = 1; count <= 5000; count++) {
      counter.increment();
      assertThat(counter.sum()).isEqualTo(count);
    }
  }

  @Test
  void sum_ofManyThreads_missesNothing() throws InterruptedException {
    countWith(16, 200_000);
    assertThat(counter.sum()).isEqualTo(16L * 200_000);
  }

  /** Their IDs are 64 apart. */
  @Test
  void sum_ofThreadsInOnePlace_missesNothing() throws InterruptedException {
    for (int round = 1; round <= 5; round++) {
      countWith(4, 500_000, 64);
      assertThat(counter.sum()).isEqualTo(round * 4L * 500_000);
    }
  }

  /** Rows get longer while they are counted in. */
  @Test
  void sum_ofManyCountersOfTheSameThreads_isEachOnesOwn() throws InterruptedException {
    HitCounter.Rows rows = new HitCounter.Rows();
    List<HitCounter> counters = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 40; i++) {
        counters.add(new HitCounter(rows));
      }
      List<HitCounter> all = List.copyOf(counters);
      for (int i = 0; i < 3; i++) {
        threads.add(new Thread(() -> countUnlike(all)));
      }
      threads.subList(3 * round, 3 * round + 3).forEach(Thread::start);
      countUnlike(all);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    for (int i = 0; i < counters.size(); i++) {
      int rounds = 3 - i / 40;
      assertThat(counters.get(i).sum()).isEqualTo(4L * rounds * (200 + i));
    }
  }

  private static void countUnlike(List<HitCounter> counters) {
    for (int i = 0; i < counters.size(); i++) {
      for (int count = 0; count < 200 + i; count++) {
        counters.get(i).increment();
      }
    }
  }

  @Test
  void sum_besideThreadsThatCount_neverFalls() throws InterruptedException {
    List<Long> sums = new ArrayList<>();
    Thread reader =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                sums.add(counter.sum());
              }
            });
    reader.start();
    countWith(4, 500_000);
    reader.interrupt();
    reader.join();
    assertThat(sums).isSorted();
    assertThat(counter.sum()).isEqualTo(4L * 500_000);
  }
}
