// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.lang.ref.Cleaner.Cleanable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongToIntFunction;

/**
 * The lifetime of a native handle, which is destroyed when it is closed and no longer in use.
 *
 * <p>A user {@linkplain #acquire acquires} the handle for the time of a call and {@linkplain
 * #release releases} it after. Closing never waits for users: if the handle is in use on another
 * thread, the last user destroys it. So a handle is never destroyed under a call and never used
 * after it was destroyed. A handle that nobody closed is destroyed when it becomes unreachable.
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

  // Written before other threads see the handle, which its owner has in a final field.
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
   * @param destroyer destroys the native handle, on the thread that closes it, ends its last use,
   *     or finds leaks; it may not refer to the owner of the new object, and its exceptions are
   *     logged
   */
  static Handle of(String what, long value, Leaks leaks, LongConsumer destroyer) {
    return of(what, value, leaks, destroyer, destroyer);
  }

  /**
   * Takes a native handle over.
   *
   * @param abandoner replaces {@code destroyer} if nobody closed the handle
   */
  static Handle of(
      String what, long value, Leaks leaks, LongConsumer destroyer, LongConsumer abandoner) {
    Handle handle = new Handle(what, value, false);
    handle.registration =
        leaks.watch(handle, what, () -> destroyer.accept(value), () -> abandoner.accept(value));
    return handle;
  }

  /**
   * Takes over a native handle that stays open as long as {@code root} is reachable, even if the
   * handle itself is not. A user of the handle must keep {@code root} reachable.
   */
  static Handle rootedIn(
      Object root, String what, long value, Leaks leaks, LongConsumer destroyer) {
    Handle handle = new Handle(what, value, false);
    Runnable destroy = () -> destroyer.accept(value);
    handle.registration = leaks.watch(root, what, destroy, destroy);
    return handle;
  }

  /**
   * Returns a handle that cannot be closed.
   *
   * @param unreachable runs when it becomes unreachable; may not refer to its owner
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

  /** Ends the use that {@link #acquire} started. */
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

  /** Refuses later uses, and destroys the native handle after the last one. */
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
