// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LauncherChoiceTest {
  private static final KernelLauncher FIRST = (f, x, y, z, bx, by, bz, shared, s, p, e) -> 1;
  private static final KernelLauncher FASTER = (f, x, y, z, bx, by, bz, shared, s, p, e) -> 2;

  @Test
  void next_afterManyLaunches_isTheFasterWay() throws InterruptedException {
    AtomicInteger made = new AtomicInteger();
    AtomicReference<Thread> maker = new AtomicReference<>();
    CountDownLatch asked = new CountDownLatch(1);
    LauncherChoice choice =
        new LauncherChoice(
            FIRST,
            () -> {
              made.incrementAndGet();
              maker.set(Thread.currentThread());
              asked.countDown();
              return Optional.of(FASTER);
            });

    for (int i = 1; i < LauncherChoice.LAUNCHES; i++) {
      assertThat(choice.next()).isSameAs(FIRST);
    }
    assertThat(made).hasValue(0);
    KernelLauncher unused = choice.next();
    asked.await();
    maker.get().join();

    assertThat(choice.next()).isSameAs(FASTER);
    assertThat(made).hasValue(1);
    assertThat(maker.get().isDaemon()).isTrue();
  }
}
