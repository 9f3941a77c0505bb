// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Lets one compile per request run at a time, over the threads, class loaders and processes that
 * use one cache directory.
 *
 * <p>The lock saves work and protects nothing: where it fails, the work is done without it. The
 * operating system releases it when its holder dies. A stopped holder, or a file system whose locks
 * outlive their holder, shows by missing beats: after {@link #PATIENCE} without one, the waiters
 * turn to a second lock, where one of them works and the others wait. A waiter that finds that lock
 * silent too works without a lock.
 *
 * <p>A waiter polls, since it could not give up waiting for a blocking lock. Only one daemon thread
 * of this object uses the lock's channel; nobody interrupts it, and it ends when it has been idle
 * for a while, so there is nothing to close. Safe for use by any number of threads, which may be
 * interrupted.
 */
public final class RequestLock {
  static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);
  private static final Duration THREAD_IDLE = Duration.ofSeconds(5);

  /** Not zero: the thread would spin until the next beat is due. */
  private static final Duration THREAD_IDLE_AT_THE_END = Duration.ofMillis(10);

  private static final int LANES = 2;

  /** A request that shares this byte waits for a moment at worst. */
  private static final long TRIAL_POSITION = 0;

  private final DirectoryLayout directory;
  private final Access access;
  private final Uninterruptibles.Work preparation;
  private final LockFile lockFile;
  private final Waiting waiting;
  private final ScheduledThreadPoolExecutor thread;

  /**
   * Creates a lock.
   *
   * @param preparation makes the directory ready for locking
   */
  RequestLock(DirectoryLayout directory, Access access, Uninterruptibles.Work preparation) {
    this(directory, access, preparation, Waiting.REAL);
  }

  RequestLock(
      DirectoryLayout directory,
      Access access,
      Uninterruptibles.Work preparation,
      Waiting waiting) {
    this.directory = directory;
    this.access = access;
    this.preparation = preparation;
    this.waiting = waiting;
    lockFile = new LockFile(directory.lock(), access);
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread daemon = new Thread(task, "kcache-lock");
              daemon.setDaemon(true);
              return daemon;
            });
    endThreadAfter(THREAD_IDLE);
    thread.allowCoreThreadTimeOut(true);
    thread.setRemoveOnCancelPolicy(true);
  }

  /**
   * Returns what {@code finished} finds, or else what {@code work} returns, which runs on this
   * thread while nobody else works on {@code request}. Blocks while somebody else does.
   *
   * @param finished returns the result if the work has been done; called often
   * @param work the work, whose result {@code finished} finds from then on
   * @throws InterruptedException if this thread is interrupted while it waits; nothing is locked
   * @throws Exception whatever {@code work} throws; nothing is locked any more
   */
  public <T> T exclusively(Request request, Supplier<Optional<T>> finished, Callable<T> work)
      throws Exception {
    for (int lane = 0; lane < LANES; lane++) {
      Optional<T> result = inLane(request, lane, finished, work);
      if (result.isPresent()) {
        return result.get();
      }
      log()
          .log(
              Level.WARNING,
              "the process that holds {0} has not run for {1} s; not waiting for it any longer",
              directory.beat(request, lane),
              PATIENCE.toSeconds());
    }
    return work.call();
  }

  private void endThreadAfter(Duration idle) {
    thread.setKeepAliveTime(idle.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Waits until the locks of all finished work are released and no beat is written for it, which
   * the work itself does not wait for. Takes {@link #PATIENCE} at most; an interrupt ends the wait.
   * From then on the thread ends as soon as it is idle.
   */
  public void settle() {
    try {
      // The thread runs its tasks in order.
      CompletableFuture.runAsync(() -> {}, thread)
          .get(waiting.patience().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log().log(Level.DEBUG, "a lock has not been given back", e);
    } finally {
      // Else a program that makes many managers would collect idle threads.
      endThreadAfter(THREAD_IDLE_AT_THE_END);
    }
  }

  /**
   * Tries to lock and returns why that fails; empty if it works. Creates the files that a lock
   * needs. Takes {@link #PATIENCE} at most; after an interrupt the result is empty.
   */
  Optional<String> fault() {
    try {
      CompletableFuture.runAsync(this::tryLocking, thread)
          .get(waiting.patience().toNanos(), TimeUnit.NANOSECONDS);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (TimeoutException e) {
      return Optional.of("the file system does not answer within " + PATIENCE.toSeconds() + " s");
    } catch (ExecutionException e) {
      return Optional.of(String.valueOf(e.getCause()));
    }
  }

  /** A lock that another process holds works, too. */
  private void tryLocking() {
    try {
      preparation.run();
      lockFile.tryLock(TRIAL_POSITION).ifPresent(RequestLock::release);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  /** Returns the result; empty if the lane's holder is silent. */
  private <T> Optional<T> inLane(
      Request request, int lane, Supplier<Optional<T>> finished, Callable<T> work)
      throws Exception {
    Heartbeat.Watch watch = new Heartbeat.Watch(directory.beat(request, lane), waiting::nanoTime);
    Duration pause = SHORTEST_PAUSE;
    do {
      Optional<Runnable> release = claim(request, lane);
      if (release.isPresent()) {
        return Optional.of(work(release.get(), finished, work));
      }
      Optional<T> found = finished.get();
      if (found.isPresent()) {
        return found;
      }
      waiting.pause(pause);
      pause = pause.multipliedBy(2);
      pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    } while (watch.silence().compareTo(PATIENCE) < 0);
    return Optional.empty();
  }

  private static <T> T work(Runnable release, Supplier<Optional<T>> finished, Callable<T> work)
      throws Exception {
    try {
      Optional<T> found = finished.get();
      return found.isPresent() ? found.get() : work.call();
    } finally {
      release.run();
    }
  }

  /**
   * Claims the work on a request, without a lock where locks fail. Returns what ends the claim;
   * empty if another process has it.
   */
  private Optional<Runnable> claim(Request request, int lane) throws InterruptedException {
    CompletableFuture<Optional<Runnable>> locking =
        CompletableFuture.supplyAsync(() -> lock(request, lane), thread);
    try {
      return locking.get(waiting.patience().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      abandon(locking);
      throw e;
    } catch (ExecutionException | TimeoutException e) {
      abandon(locking);
      log().log(Level.DEBUG, "compiling without a lock", e);
      return Optional.of(() -> {});
    }
  }

  private static void abandon(CompletableFuture<Optional<Runnable>> locking) {
    var unused = locking.thenAccept(release -> release.ifPresent(Runnable::run));
  }

  private Optional<Runnable> lock(Request request, int lane) {
    try {
      preparation.run();
      return lockFile
          .tryLock(position(request, lane))
          .map(lock -> hold(lock, directory.beat(request, lane)));
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  /** Returns the byte of a request. If two requests share one, one of them waits. */
  static long position(Request request, int lane) {
    Digest digest = Digest.builder().text(request.digest().toString()).number(lane).build();
    return Long.parseUnsignedLong(digest.toString().substring(0, 16), 16) & (Long.MAX_VALUE >> 1);
  }

  /** The clock of a waiter. */
  interface Waiting {
    Waiting REAL =
        new Waiting() {
          @Override
          public long nanoTime() {
            return System.nanoTime();
          }

          @Override
          public void pause(Duration duration) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
          }
        };

    long nanoTime();

    void pause(Duration duration) throws InterruptedException;

    /** Returns the time that a file system has to answer. */
    default Duration patience() {
      return PATIENCE;
    }
  }

  /** Starts to beat on the lock's thread; returns what stops it and releases the lock. */
  private Runnable hold(FileLock lock, Path beat) {
    Heartbeat heartbeat = new Heartbeat(beat, access);
    heartbeat.beat();
    long interval = Heartbeat.INTERVAL.toNanos();
    ScheduledFuture<?> beats =
        thread.scheduleWithFixedDelay(heartbeat::beat, interval, interval, TimeUnit.NANOSECONDS);
    return () -> {
      beats.cancel(false);
      thread.execute(
          () -> {
            heartbeat.end();
            release(lock);
          });
    };
  }

  private static void release(FileLock lock) {
    try {
      lock.release();
    } catch (IOException e) {
      log().log(Level.DEBUG, "a lock could not be released", e);
    }
  }

  /** Created on demand: the first logger of a process takes 30 ms. */
  private static Logger log() {
    return System.getLogger(RequestLock.class.getName());
  }
}
