// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.TargetId;
import java.time.Duration;

/**
 * Hears of compiles, so that a long one does not look like a hang.
 *
 * <p>Called on the manager's {@linkplain CacheManagerBuilder#executor executor}: for one request in
 * order, one call after the other; for several requests at once. Nothing waits for a listener: a
 * compile may have ended, its result been returned and the manager been closed before its start is
 * heard of. So a listener may call the manager, for any source, and close it. The first exception
 * or error of a manager's listener is logged; later ones are ignored.
 */
public interface CacheListener {
  /** Called when the compiler is about to start for a source and a target. */
  default void compileStarted(String source, TargetId target) {}

  /** Called when the compiler has ended, whether it succeeded or not. */
  default void compileFinished(
      String source, TargetId target, Duration elapsed, boolean succeeded) {}
}
