// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RequestLockTest {
  private static final Request REQUEST = Fixtures.request("vadd.hip", TargetId.parse("gfx90a"));

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @TempDir Path root;
  private DirectoryLayout directory;

  @BeforeEach
  void makeBeats() throws IOException {
    directory = new DirectoryLayout(root);
    Files.createDirectories(directory.beats());
  }

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void exclusively_finishedBefore_doesNotWork() throws Exception {
    assertThat(lock().exclusively(REQUEST, () -> Optional.of("found"), RequestLockTest::mustNotRun))
        .isEqualTo("found");
  }

  @Test
  void exclusively_workThrows_throwsThatAndReleases() throws Exception {
    IOException failure = new IOException("no compiler");
    RequestLock lock = lock();

    assertThatThrownBy(
            () ->
                lock.exclusively(
                    REQUEST,
                    Optional::empty,
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(work(lock, "again")).isEqualTo("again");
  }

  @Test
  void exclusively_otherRequest_doesNotWait() throws Exception {
    Request other = Fixtures.request("vsub.hip", REQUEST.target());
    try (Holder holder = new Holder(lock())) {
      assertThat(lock().exclusively(other, Optional::empty, () -> "worked")).isEqualTo("worked");
      assertThat(holder.isWorking()).isTrue();
    }
  }

  @Test
  void exclusively_twoManagersOfOneJvm_excludeEachOther() throws Exception {
    try (Holder holder = new Holder(lock())) {
      assertWaitsUntilReleased(holder, work -> lock().exclusively(REQUEST, work, () -> "worked"));
    }
  }

  @Test
  void exclusively_rootThroughASymbolicLink_excludesToo() throws Exception {
    Path link = Files.createSymbolicLink(root.resolveSibling(root.getFileName() + "-link"), root);
    RequestLock other = DiskStore.open(link, Access.PRIVATE).requestLock();
    try (Holder holder = new Holder(lock())) {
      assertWaitsUntilReleased(holder, work -> other.exclusively(REQUEST, work, () -> "worked"));
    } finally {
      Files.delete(link);
    }
  }

  @Test
  void exclusively_twoClassLoaders_excludeEachOtherAndKeepTheLockOfTheProcess() throws Exception {
    try (Holder holder = new Holder(lock());
        URLClassLoader loader = new URLClassLoader(classPath(), null)) {
      Class<?> stranger = loader.loadClass(Probe.class.getName());
      assertThat(stranger).isNotSameAs(Probe.class);
      var exclusively =
          stranger.getDeclaredMethod("exclusively", Path.class, Supplier.class, Callable.class);
      exclusively.setAccessible(true);
      assertWaitsUntilReleased(
          holder,
          finished -> {
            Callable<String> work = () -> "worked";
            return (String) exclusively.invoke(null, root, finished, work);
          });
    }
  }

  @Test
  void exclusively_rootReplacedMeanwhile_locksTheNewOne() throws Exception {
    RequestLock lock = lock();
    assertThat(work(lock, "first")).isEqualTo("first");
    Files.delete(directory.lock());
    try (Holder holder = new Holder(lock);
        ChildJvm child = ChildJvm.start("try", root.toString(), "vadd.hip")) {
      child.awaitLine("waits");
      assertThat(holder.isWorking()).isTrue();
    }
  }

  @Test
  void exclusively_waiterInterrupted_throwsAndTheHolderKeepsItsLock() throws Exception {
    try (Holder holder = new Holder(lock())) {
      for (int i = 0; i < 20; i++) {
        CountDownLatch polled = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<Object> outcome = new AtomicReference<>();
        Thread waiter =
            new Thread(
                () -> {
                  try {
                    outcome.set(lock().exclusively(REQUEST, polling(polled), () -> "worked"));
                  } catch (Exception e) {
                    outcome.set(e);
                  }
                  done.countDown();
                });
        waiter.start();
        polled.await();
        waiter.interrupt();
        done.await();
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
      }
      try (ChildJvm child = ChildJvm.start("try", root.toString(), "vadd.hip")) {
        child.awaitLine("waits");
      }
      assertThat(holder.isWorking()).isTrue();
    }
    assertThat(work(lock(), "free")).isEqualTo("free");
  }

  @Test
  void exclusively_manyProcessesAndThreads_workOnce() throws Exception {
    List<ChildJvm> children = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        children.add(ChildJvm.start("race", root.toString(), "8"));
      }
      for (ChildJvm child : children) {
        child.awaitLine("ready");
      }
      for (ChildJvm child : children) {
        child.go();
      }
      for (ChildJvm child : children) {
        assertThat(child.awaitExit()).isZero();
      }
    } finally {
      children.forEach(ChildJvm::close);
    }
    assertThat(root.resolve("made")).hasContent("once");
  }

  @Test
  void exclusively_holderKilled_proceedsAtOnce() throws Exception {
    try (ChildJvm child = ChildJvm.start("hold", root.toString(), "vadd.hip")) {
      child.awaitLine("held");
      CountDownLatch polled = new CountDownLatch(3);
      long[] waited = new long[1];
      Future<String> waiter =
          threads.submit(
              () ->
                  lock(countingTime(waited)).exclusively(REQUEST, polling(polled), () -> "worked"));
      polled.await();
      assertThat(waiter.isDone()).isFalse();
      child.signal("KILL");

      assertThat(waiter.get()).isEqualTo("worked");
      assertThat(Duration.ofNanos(waited[0])).isLessThan(RequestLock.PATIENCE);
    }
  }

  @Test
  void exclusively_holderFrozen_isPassedByOneWaiterAndTheOthersWaitForThat() throws Exception {
    try (ChildJvm child = ChildJvm.start("hold", root.toString(), "vadd.hip")) {
      child.awaitLine("held");
      child.signal("STOP");
      long start = System.nanoTime();
      AtomicReference<String> made = new AtomicReference<>();
      AtomicInteger times = new AtomicInteger();
      List<Future<String>> waiters = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        waiters.add(
            threads.submit(
                () ->
                    lock()
                        .exclusively(
                            REQUEST,
                            () -> Optional.ofNullable(made.get()),
                            () -> {
                              times.incrementAndGet();
                              made.set("worked");
                              return "worked";
                            })));
      }
      for (Future<String> waiter : waiters) {
        assertThat(waiter.get()).isEqualTo("worked");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(9));
      assertThat(times).hasValue(1);
    }
  }

  @Test
  void exclusively_holderBeats_isNotPassed() throws Exception {
    Duration life = RequestLock.PATIENCE.multipliedBy(4);
    AtomicLong now = new AtomicLong();
    RequestLock.Waiting waiting =
        new FakeWaiting(
            now,
            () -> {
              long seconds = TimeUnit.NANOSECONDS.toSeconds(Math.min(now.get(), life.toNanos()));
              Files.writeString(directory.beat(REQUEST, 0), "beat " + seconds / 9);
            });
    try (FileLock held = lockedByHand()) {
      assertThat(held.isValid()).isTrue();
      assertThat(work(lock(waiting), "worked")).isEqualTo("worked");
    }
    assertThat(Duration.ofNanos(now.get())).isBetween(life, life.plusSeconds(12));
  }

  @Test
  void exclusively_wholeMachinePaused_doesNotPassTheHolder() throws Exception {
    AtomicLong now = new AtomicLong();
    AtomicInteger polls = new AtomicInteger();
    RequestLock.Waiting waiting =
        new FakeWaiting(
            now,
            () -> {
              if (polls.incrementAndGet() == 5) {
                now.addAndGet(TimeUnit.HOURS.toNanos(1));
              }
            });
    try (FileLock held = lockedByHand()) {
      assertThat(held.isValid()).isTrue();
      work(lock(waiting), "worked");
    }
    assertThat(polls).hasValueGreaterThan(80);
  }

  @Test
  void exclusively_noPlaceForALock_worksWithoutOne() throws Exception {
    Path file = Files.writeString(root.resolve("file"), "");
    RequestLock lock = DiskStore.open(file, Access.PRIVATE).requestLock();

    assertThat(work(lock, "worked")).isEqualTo("worked");
  }

  @Test
  void exclusively_lockThatNeverAnswers_worksWithoutOne() throws Exception {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    RequestLock lock =
        new RequestLock(
            directory,
            Access.PRIVATE,
            answer::join,
            new FakeWaiting(new AtomicLong(), () -> {}, Duration.ofMillis(50)));
    try {
      for (int i = 0; i < 2; i++) {
        assertThat(work(lock, "worked")).isEqualTo("worked");
      }
      assertThat(lock.fault().orElseThrow()).contains("does not answer");
    } finally {
      // Not an answer, at which the lock's thread would make files while the directory is deleted.
      answer.cancel(true);
    }
  }

  @Test
  void exclusively_afterwards_leavesTheLockFileOnly() throws Exception {
    RequestLock lock = lock();
    lock.exclusively(
        REQUEST,
        Optional::empty,
        () -> {
          assertThat(directory.beat(REQUEST, 0)).isNotEmptyFile();
          return "worked";
        });
    lock.settle();

    assertThat(directory.beat(REQUEST, 0)).doesNotExist();
    assertThat(directory.lock()).isEmptyFile();
  }

  @Test
  void settle_workDoneByManyThreads_leavesNoBeat() throws Exception {
    RequestLock lock = lock();
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Request request = Fixtures.request("kernel" + i, REQUEST.target());
      done.add(threads.submit(() -> lock.exclusively(request, Optional::empty, () -> "worked")));
    }
    for (Future<?> one : done) {
      one.get();
    }
    lock.settle();

    assertThat(directory.beats()).isEmptyDirectory();
  }

  @Test
  void settle_endsTheThreadAtOnceAndEachTimeAgain() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    RequestLock lock =
        new RequestLock(directory, Access.PRIVATE, () -> thread.set(Thread.currentThread()));
    for (int i = 0; i < 2; i++) {
      work(lock, "worked");
      lock.settle();

      // Without it, 5 s.
      thread.get().join(3_000);
      assertThat(thread.get().isAlive()).isFalse();
    }
  }

  /** Returns the result of work that nobody has done before. */
  private static String work(RequestLock lock, String result) throws Exception {
    return lock.exclusively(REQUEST, Optional::empty, () -> result);
  }

  private RequestLock lock() {
    return DiskStore.open(root, Access.PRIVATE).requestLock();
  }

  private RequestLock lock(RequestLock.Waiting waiting) {
    return new RequestLock(directory, Access.PRIVATE, () -> {}, waiting);
  }

  private FileLock lockedByHand() throws Exception {
    return new LockFile(directory.lock(), Access.PRIVATE)
        .tryLock(RequestLock.position(REQUEST, 0))
        .orElseThrow();
  }

  private static String mustNotRun() {
    throw new AssertionError("worked though it was finished");
  }

  private static Supplier<Optional<String>> polling(CountDownLatch polled) {
    return () -> {
      polled.countDown();
      return Optional.empty();
    };
  }

  private static RequestLock.Waiting countingTime(long[] nanos) {
    return new RequestLock.Waiting() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void pause(Duration duration) throws InterruptedException {
        nanos[0] += duration.toNanos();
        RequestLock.Waiting.REAL.pause(duration);
      }
    };
  }

  /** Checks that a contender, also one in another process, waits as long as the holder works. */
  private void assertWaitsUntilReleased(Holder holder, Contender contender) throws Exception {
    CountDownLatch polled = new CountDownLatch(5);
    Future<String> waiter = threads.submit(() -> contender.run(polling(polled)));
    polled.await();
    // A channel of the lock file that somebody opened and forgot is closed now, and the lock gone.
    System.gc();
    try (ChildJvm child = ChildJvm.start("try", root.toString(), "vadd.hip")) {
      child.awaitLine("waits");
    }
    assertThat(waiter.isDone()).isFalse();
    assertThat(holder.isWorking()).isTrue();
    holder.release();
    assertThat(waiter.get()).isEqualTo("worked");
  }

  private static URL[] classPath() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(element).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  /** Runs on behalf of a class loader that shares no class with this one but the platform's. */
  static final class Probe {
    private Probe() {}

    static String exclusively(Path root, Supplier<Optional<String>> finished, Callable<String> work)
        throws Exception {
      return DiskStore.open(root, Access.PRIVATE)
          .requestLock()
          .exclusively(Fixtures.request("vadd.hip", TargetId.parse("gfx90a")), finished, work);
    }
  }

  private interface Contender {
    String run(Supplier<Optional<String>> finished) throws Exception;
  }

  private interface Step {
    void run() throws IOException;
  }

  /** Time that passes only in pauses. */
  private record FakeWaiting(AtomicLong now, Step step, Duration patience)
      implements RequestLock.Waiting {
    FakeWaiting(AtomicLong now, Step step) {
      this(now, step, RequestLock.PATIENCE);
    }

    @Override
    public long nanoTime() {
      return now.get();
    }

    @Override
    public void pause(Duration duration) {
      now.addAndGet(duration.toNanos());
      try {
        step.run();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Works on the request, in a thread of its own, until it is released. */
  private final class Holder implements AutoCloseable {
    private final CountDownLatch release = new CountDownLatch(1);
    private final Future<String> work;

    Holder(RequestLock lock) throws Exception {
      CountDownLatch working = new CountDownLatch(1);
      work =
          threads.submit(
              () ->
                  lock.exclusively(
                      REQUEST,
                      Optional::empty,
                      () -> {
                        working.countDown();
                        release.await();
                        return "held";
                      }));
      working.await();
    }

    boolean isWorking() {
      return !work.isDone();
    }

    void release() throws Exception {
      release.countDown();
      assertThat(work.get()).isEqualTo("held");
    }

    @Override
    public void close() {
      release.countDown();
    }
  }
}
