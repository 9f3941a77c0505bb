// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.Cleaner.Cleanable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Frees objects that became unreachable without being closed, and on request reports where they
 * were opened.
 *
 * <p>Safe for use by any number of threads. One thread of the process frees unreachable objects,
 * one after the other.
 */
final class Leaks {
  private static final Logger LOG = System.getLogger(Leaks.class.getName());

  private final boolean reported;

  /** Creates a watch that reports leaks if {@code KCACHE_HIP_LEAKS} is 1. */
  static Leaks of(Map<String, String> environment) {
    return new Leaks("1".equals(environment.get("KCACHE_HIP_LEAKS")));
  }

  /** Creates a watch that says where each leak was opened if {@code reported}. */
  Leaks(boolean reported) {
    this.reported = reported;
  }

  /**
   * Watches over an object that has to be closed. The actions may not refer to the object; their
   * exceptions are logged.
   *
   * @param what names it in messages
   * @param destroy frees a closed object
   * @param abandon frees an object that nobody closed
   * @return closes the object; a second call has no effect
   */
  Cleanable watch(Object object, String what, Runnable destroy, Runnable abandon) {
    Watch watch =
        new Watch(
            what,
            destroy,
            abandon,
            reported ? new Throwable("the " + what + " was opened here") : null);
    Cleanable cleanable = Watch.CLEANER.register(object, watch);
    return () -> {
      watch.closed = true;
      cleanable.clean();
    };
  }

  /**
   * Watches over an object that nobody has to close.
   *
   * @param abandon as for {@link #watch}
   */
  static Cleanable attend(Object object, String what, Runnable abandon) {
    return Watch.CLEANER.register(object, new Watch(what, abandon, abandon, null));
  }

  private static final class Watch implements Runnable {
    /** Created with the first object, since it starts a thread. */
    static final Cleaner CLEANER = Cleaner.create();

    private final String what;
    private final Runnable destroy;
    private final Runnable abandon;
    private final @Nullable Throwable opened;
    private volatile boolean closed;

    Watch(String what, Runnable destroy, Runnable abandon, @Nullable Throwable opened) {
      this.what = what;
      this.destroy = destroy;
      this.abandon = abandon;
      this.opened = opened;
    }

    @Override
    public void run() {
      if (opened != null && !closed) {
        LOG.log(Level.WARNING, "not closed: " + what, opened);
      }
      try {
        (closed ? destroy : abandon).run();
      } catch (RuntimeException e) {
        // A lost context took everything along and was reported.
        boolean lost = e instanceof HipException failure && failure.isSticky();
        LOG.log(lost ? Level.DEBUG : Level.WARNING, "not given back: " + what, e);
      }
    }
  }
}
