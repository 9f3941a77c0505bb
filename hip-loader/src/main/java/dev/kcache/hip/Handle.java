// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.lang.ref.Cleaner.Cleanable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongToIntFunction;

/**
 * The lifetime of a native handle: it is open until it is closed, and destroyed when it is closed
 * and not in use any more.
 *
 * <p>A user {@linkplain #acquire acquires} the handle for the time of a call and {@linkplain
 * #release releases} it after. Closing never waits for users: if the handle is in use on another
 * thread, the last user destroys it. So a handle is never destroyed under a call and never used
 * after it was destroyed. One that nobody closed is destroyed when nobody can reach it any more.
 *
 * <p>Safe for use by any number of threads; acquiring and releasing cost one atomic addition each.
 * One word holds the number of uses and, as its sign, whether it is closed. Each change of it is
 * atomic, so exactly one change makes it "closed and unused" for the first time: that is when the
 * handle is destroyed. A later attempt to use it passes through that state again, which has no
 * effect, since a {@link Cleanable} cleans once. The number cannot run into the sign: every use is
 * a call that some thread is in, or an open object. Nor can a handle that is in use become
 * unreachable, because its user still has to release it.
 */
final class Handle {
  private static final int CLOSED = 1 << 31;
  private static final Cleanable NOTHING = () -> {};

  private final String what;
  private final long value;
  private final boolean permanent;

  // Written before anybody else sees the handle, which its owner has in a final field.
  private Cleanable registration = NOTHING;

  private final AtomicInteger uses = new AtomicInteger();

  private Handle(String what, long value, boolean permanent) {
    this.what = what;
    this.value = value;
    this.permanent = permanent;
  }

  /**
   * Takes a native handle over.
   *
   * @param what names it in messages, such as {@code stream}
   * @param destroyer gives it back to the runtime, on the thread that closes the handle, or ends
   *     its last use, or on the one that looks for leaks; it may not refer to the new object's
   *     owner, and what it throws is logged
   */
  static Handle of(String what, long value, Leaks leaks, LongConsumer destroyer) {
    return of(what, value, leaks, destroyer, destroyer);
  }

  /**
   * Takes a native handle over.
   *
   * @param abandoner is used instead of {@code destroyer} if nobody closed the handle
   */
  static Handle of(
      String what, long value, Leaks leaks, LongConsumer destroyer, LongConsumer abandoner) {
    Handle handle = new Handle(what, value, false);
    handle.registration =
        leaks.watch(handle, what, () -> destroyer.accept(value), () -> abandoner.accept(value));
    return handle;
  }

  /**
   * Takes a native handle over that stays open as long as {@code root} can be reached, also if the
   * handle itself cannot. Whoever has the handle must have {@code root} as well.
   */
  static Handle rootedIn(
      Object root, String what, long value, Leaks leaks, LongConsumer destroyer) {
    Handle handle = new Handle(what, value, false);
    Runnable destroy = () -> destroyer.accept(value);
    handle.registration = leaks.watch(root, what, destroy, destroy);
    return handle;
  }

  /**
   * Returns a handle that closing has no effect on.
   *
   * @param unreachable is run when nobody can reach it any more; may not refer to its owner
   */
  static Handle permanent(String what, long value, Runnable unreachable) {
    Handle handle = new Handle(what, value, true);
    handle.registration = Leaks.attend(handle, what, unreachable);
    return handle;
  }

  /**
   * Returns the native handle, which stays valid until it is {@linkplain #release released}.
   *
   * @throws IllegalStateException if it is closed
   */
  long acquire() {
    int before = uses.getAndIncrement();
    if (before < 0) {
      release();
      throw closed();
    }
    return value;
  }

  private IllegalStateException closed() {
    return new IllegalStateException("the " + what + " is closed");
  }

  /** Ends a use that {@link #acquire} began. */
  void release() {
    int before = uses.getAndDecrement();
    if (before == (CLOSED | 1)) {
      registration.clean();
    }
  }

  /**
   * Makes a call that uses the native handle.
   *
   * @throws IllegalStateException if it is closed
   */
  void use(LongConsumer call) {
    long acquired = acquire();
    try {
      call.accept(acquired);
    } finally {
      release();
    }
  }

  /**
   * Makes a call that uses the native handle; returns its result.
   *
   * @throws IllegalStateException if it is closed
   */
  int query(LongToIntFunction call) {
    long acquired = acquire();
    try {
      return call.applyAsInt(acquired);
    } finally {
      release();
    }
  }

  /** Refuses every later use, and destroys the native handle after the last one. */
  void close() {
    if (permanent) {
      return;
    }
    int before = uses.getAndUpdate(count -> count | CLOSED);
    if (before == 0) {
      registration.clean();
    }
  }

  /** Throws {@link IllegalStateException} if it is closed. */
  void requireOpen() {
    if (isClosed()) {
      throw closed();
    }
  }

  boolean isClosed() {
    return uses.get() < 0;
  }
}
