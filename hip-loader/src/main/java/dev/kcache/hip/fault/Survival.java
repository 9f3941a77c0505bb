// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a process outlives a fault of a GPU with one runtime, and that it has happened.
 *
 * <p>HIP 7.0 and newer answer an error, unless a core is to be written. HIP 5.2 to 6.4 know nothing
 * of it: if our handler takes care of the fault, the runtime's calls that wait for the device, or
 * need its queues, never return. So each call is made on a thread of its own, which stays in it for
 * good, and its caller gets the error. A launch is made by its caller, since it only writes to a
 * queue. With HSA alone the waits are kcache's own, and end when the handler says so.
 *
 * <p>Safe for use by any number of threads.
 */
final class Survival {
  private enum Way {
    NONE,
    /** The runtime survives by itself. */
    RUNTIME,
    /** The handler says that the fault is taken care of, and all devices are lost. */
    CLAIM,
    /** So it does, and one device is lost, whose waits it ends. */
    DEVICE
  }

  /** {@code RLIMIT_CORE}, and the size of a {@code struct rlimit}: the soft and the hard limit. */
  private static final int RLIMIT_CORE = 4;

  private static final int RLIMIT_SIZE = 16;

  /** Far longer than a handler takes; a trap, of which no handler knows, takes it all, once. */
  private static final long HANDLER_MILLISECONDS = 500;

  private static final AtomicBoolean SKIPPED = new AtomicBoolean();

  private volatile Way way = Way.NONE;
  private volatile @Nullable Loss loss;

  /** The calls that callers wait for, by keys that are nothing else. */
  private final Map<Object, CompletableFuture<Integer>> calls = new ConcurrentHashMap<>();

  private @Nullable ExecutorService threads;

  /**
   * Chooses the way for a version of HIP.
   *
   * @return why there is none; empty if there is
   */
  synchronized String prepare(int major, int minor) {
    if (way != Way.NONE) {
      return "";
    }
    if (major >= 7) {
      writeNoCore();
      way = Way.RUNTIME;
      return "";
    }
    if (major < 5 || (major == 5 && minor < 2)) {
      return "HIP %d.%d can't, 5.2 is the oldest that can".formatted(major, minor);
    }
    threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(null, work, "kcache-gpu-call", 0, false);
              thread.setDaemon(true);
              thread.setContextClassLoader(null);
              return thread;
            });
    way = Way.CLAIM;
    return "";
  }

  /** Chooses the way of a runtime whose queues are kcache's own. */
  synchronized void prepareForDevices() {
    way = Way.DEVICE;
  }

  /** Goes back to the runtime's own way, since there is no handler. */
  synchronized void handlerIsMissing() {
    if (claims()) {
      way = Way.NONE;
    }
  }

  /** Returns whether the runtime outlives a fault by itself. */
  boolean trustsRuntime() {
    return way == Way.RUNTIME;
  }

  /** Returns whether the runtime doesn't outlive a fault unless the handler says so. */
  boolean claims() {
    return way == Way.CLAIM || way == Way.DEVICE;
  }

  /**
   * The runtime looks at the soft limit when a fault comes. No core of Java itself is written
   * either, nor of the processes that it starts.
   */
  private static void writeNoCore() {
    Memory limits = new Memory(RLIMIT_SIZE);
    if (Libc.function("getrlimit").invokeInt(new Object[] {RLIMIT_CORE, limits}) == 0) {
      limits.setLong(0, 0);
      int unused = Libc.function("setrlimit").invokeInt(new Object[] {RLIMIT_CORE, limits});
    }
  }

  /** Returns what was lost; null if nothing was. */
  @Nullable Loss loss() {
    return loss;
  }

  /**
   * Gives the handler time to note a loss. The runtime's own handler comes first, and calls may
   * return before ours knows what happened.
   */
  synchronized void awaitLoss() {
    long end = System.nanoTime() + HANDLER_MILLISECONDS * 1_000_000;
    boolean interrupted = false;
    for (long left; loss == null && (left = (end - System.nanoTime()) / 1_000_000) > 0; ) {
      try {
        wait(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Notes the first loss, and lets all calls that may never return fail. */
  void lose(Loss lost) {
    synchronized (this) {
      if (loss != null) {
        return;
      }
      skipTeardown();
      loss = lost;
      notifyAll();
    }
    calls.values().forEach(call -> call.complete(lost.code()));
  }

  /**
   * Ends the process, when it ends, before the runtime's own teardown, which may wait for the dead
   * queues: of the functions that are called at the end, the last registered is the first. {@code
   * on_exit} hands it the exit status, which {@code _exit} takes.
   */
  static void skipTeardown() {
    if (!SKIPPED.compareAndSet(false, true)) {
      return;
    }
    Function exit = NativeLibrary.getProcess().getFunction("_exit");
    int unused = Libc.function("on_exit").invokeInt(new Object[] {exit, Pointer.NULL});
  }

  /** Makes a call that may never return; returns its status, or that of the loss. */
  int call(IntSupplier call) {
    ExecutorService others = threads;
    if (way != Way.CLAIM || others == null) {
      return call.getAsInt();
    }
    CompletableFuture<Integer> status = new CompletableFuture<>();
    Object key = new Object();
    calls.put(key, status);
    try {
      Loss lost = loss;
      if (lost != null) {
        return lost.code();
      }
      others.execute(() -> complete(status, call));
      return status.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    } finally {
      calls.remove(key);
    }
  }

  private static void complete(CompletableFuture<Integer> status, IntSupplier call) {
    try {
      status.complete(call.getAsInt());
    } catch (RuntimeException | Error e) {
      status.completeExceptionally(e);
    }
  }
}
