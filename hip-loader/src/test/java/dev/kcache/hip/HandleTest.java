// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandleTest {
  private final Leaks leaks = new Leaks(false);

  @Test
  void close_inUse_leavesItToTheLastUser() {
    AtomicInteger destroyed = new AtomicInteger();
    Handle handle = Handle.of("thing", 42, leaks, value -> destroyed.incrementAndGet());
    assertThat(handle.acquire() + handle.acquire()).isEqualTo(84);
    handle.close();
    handle.close();
    assertThatIllegalStateException().isThrownBy(handle::acquire);
    handle.release();
    assertThat(destroyed).hasValue(0);
    handle.release();
    assertThat(destroyed).hasValue(1);
  }

  /** Users and closers of one handle at once: it is destroyed once, and never during a use. */
  @Test
  void usersAndClosers_atOnce() throws Exception {
    int threads = 16;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (int round = 0; round < 500; round++) {
        race(executor, threads, round);
      }
    } finally {
      executor.shutdown();
    }
  }

  private void race(ExecutorService executor, int threads, int round) throws Exception {
    AtomicInteger ends = new AtomicInteger();
    AtomicInteger users = new AtomicInteger();
    AtomicInteger endsInUse = new AtomicInteger();
    Handle contended =
        Handle.of(
            "thing",
            1,
            leaks,
            value -> {
              ends.incrementAndGet();
              if (users.get() > 0) {
                endsInUse.incrementAndGet();
              }
            });
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Future<?>> futures = new ArrayList<>();
    IntStream.range(0, threads)
        .forEach(
            thread ->
                futures.add(
                    executor.submit(
                        () -> {
                          start.await();
                          for (int i = 0; i < 50; i++) {
                            if (thread % 8 == 0 && i == round % 50) {
                              contended.close();
                            }
                            use(contended, users);
                          }
                          return null;
                        })));
    for (Future<?> future : futures) {
      future.get();
    }
    assertThat(ends).hasValue(1);
    assertThat(endsInUse).hasValue(0);
  }

  private static void use(Handle handle, AtomicInteger users) {
    try {
      long unused = handle.acquire();
    } catch (IllegalStateException e) {
      return;
    }
    users.incrementAndGet();
    Thread.onSpinWait();
    users.decrementAndGet();
    handle.release();
  }
}
