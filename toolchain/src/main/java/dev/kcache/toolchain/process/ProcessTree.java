// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

/** A process and all that it started, as its system lets them be ended together. */
@FunctionalInterface
interface ProcessTree {
  /** Ends what of it is still there. May be called again, also when its leader has ended. */
  void end();

  /** Called once when its leader has ended: ends what is left and can be ended by then. */
  default void release() {}

  /** How a system ends processes. */
  @FunctionalInterface
  interface Kind {
    /**
     * Returns the tree of a process.
     *
     * @param leader has just been started
     */
    ProcessTree of(Process leader);
  }
}
