// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongConsumer;

/**
 * The lifetime of a native handle: it is open until it is closed, and destroyed when it is closed
 * and not in use any more.
 *
 * <p>Who uses the handle {@linkplain #acquire acquires} it for the time of the call and {@linkplain
 * #release releases} it after. Closing never waits: if the handle is in use on another thread, the
 * last user destroys it. So a handle is never destroyed under a call, never used after it was
 * destroyed, and destroyed once. A handle that nobody closed is destroyed when nobody can reach it
 * any more.
 *
 * <p>Safe for use by any number of threads; acquiring and releasing cost one atomic addition each.
 */
class Handle {
  private static final int CLOSED = 1 << 31;
  private static final VarHandle USES;

  static {
    try {
      USES = MethodHandles.lookup().findVarHandle(Handle.class, "uses", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Lifetime lifetime;

  /** How many use it now; with the sign bit once it is closed. */
  @SuppressWarnings("UnusedVariable") // through USES
  private volatile int uses;

  private Handle(Lifetime lifetime) {
    this.lifetime = lifetime;
  }

  /** For {@link BorrowedHandle}, which destroys nothing. */
  Handle(String what, long value) {
    this(new Lifetime(what, value, unused -> {}));
  }

  /**
   * Takes a native handle over.
   *
   * @param what names it in messages, such as {@code stream}
   * @param destroyer gives it back to the runtime; it may not refer to the new object's owner, and
   *     what it throws is logged
   */
  static Handle of(String what, long value, Leaks leaks, LongConsumer destroyer) {
    Lifetime lifetime = new Lifetime(what, value, destroyer);
    Handle handle = new Handle(lifetime);
    lifetime.registration = leaks.watch(handle, what, lifetime::destroy);
    return handle;
  }

  /** Returns a handle that closing has no effect on. */
  static Handle permanent(String what, long value) {
    return new Handle(what, value);
  }

  /**
   * Returns the native handle, which stays valid until it is {@linkplain #release released}.
   *
   * @throws IllegalStateException if it is closed
   */
  long acquire() {
    int before = (int) USES.getAndAdd(this, 1);
    if (before < 0) {
      release();
      throw new IllegalStateException("the " + lifetime.what + " is closed");
    }
    return lifetime.value;
  }

  /** Ends a use that {@link #acquire} began. */
  void release() {
    int before = (int) USES.getAndAdd(this, -1);
    if (before == (CLOSED | 1)) {
      lifetime.registration.clean();
    }
  }

  /** Refuses every later use, and destroys the native handle after the last one. */
  void close() {
    int before = (int) USES.getAndBitwiseOr(this, CLOSED);
    if (before == 0) {
      lifetime.registration.clean();
    }
  }

  boolean isClosed() {
    return uses < 0;
  }

  /** What outlives the handle. */
  private static final class Lifetime {
    private final String what;
    private final long value;
    private final LongConsumer destroyer;
    private Leaks.Registration registration = () -> {};

    Lifetime(String what, long value, LongConsumer destroyer) {
      this.what = what;
      this.value = value;
      this.destroyer = destroyer;
    }

    void destroy() {
      destroyer.accept(value);
    }
  }
}
