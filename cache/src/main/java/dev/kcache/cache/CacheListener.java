// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.TargetId;
import java.time.Duration;

/**
 * Hears of compiles, so that a long one does not look like a hang. Called on the manager's own
 * threads, several at once; what a listener throws is logged and otherwise ignored.
 */
public interface CacheListener {
  /** Called when the compiler is about to start for a source and a target. */
  default void compileStarted(String source, TargetId target) {}

  /** Called when the compiler has ended, whether it succeeded or not. */
  default void compileFinished(
      String source, TargetId target, Duration elapsed, boolean succeeded) {}
}
