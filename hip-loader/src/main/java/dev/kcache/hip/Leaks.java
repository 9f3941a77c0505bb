// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Gives back what was opened and is neither closed nor reachable any more, and if asked says where
 * it was opened.
 */
final class Leaks {
  private static final Logger LOG = System.getLogger(Leaks.class.getName());

  /** What watches over one object. */
  interface Registration {
    /** Gives back what was opened; a second call has no effect. */
    void clean();
  }

  private final Cleaner cleaner = Cleaner.create();
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
   * Watches over an object.
   *
   * @param destroy gives back what it holds; may not refer to the object. Called once; what it
   *     throws is logged
   */
  Registration watch(Object object, String what, Runnable destroy) {
    Watch watch =
        new Watch(what, destroy, reported ? new Throwable(what + " was opened here") : null);
    Cleaner.Cleanable cleanable = cleaner.register(object, watch);
    return () -> {
      watch.closed.set(true);
      cleanable.clean();
    };
  }

  private static final class Watch implements Runnable {
    private final String what;
    private final Runnable destroy;
    private final @Nullable Throwable opened;
    private final AtomicBoolean closed = new AtomicBoolean();

    Watch(String what, Runnable destroy, @Nullable Throwable opened) {
      this.what = what;
      this.destroy = destroy;
      this.opened = opened;
    }

    @Override
    public void run() {
      if (opened != null && !closed.get()) {
        LOG.log(Level.WARNING, "a " + what + " was never closed", opened);
      }
      try {
        destroy.run();
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a " + what + " could not be given back", e);
      }
    }
  }
}
