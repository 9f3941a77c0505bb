// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.concurrent.Executor;

/**
 * Observes the slow parts of requests, compiles and loads, on the threads on which they run; for
 * tracing. A {@link CacheListener} is for everything that need not be exact in time.
 *
 * <p><b>Order.</b> For each compile and load first {@link #compiling} or {@link #loading}, then one
 * method of what that returned, once, on the same thread, before any request gets the result. Of
 * several requests that wait for one compile or load, only the one that caused it has it observed.
 * A hit in memory or on the disk is not observed.
 *
 * <p><b>Threads.</b> Called by several threads at once. Requests wait for an observer, so it must
 * be quick, and must not use the manager. What it throws is logged once and changes no result.
 */
public interface RequestObserver {
  /**
   * Returns what runs tasks at once, on the thread that hands them over, in the context of the
   * thread that calls this method, such as the span that is current on it. Called by the thread
   * that makes a request, where the request continues on a thread of the manager's.
   */
  default Executor context() {
    return Runnable::run;
  }

  /**
   * Called when a thread begins to compile what is missing. Perhaps it has to wait for another
   * process that compiles the same, and then takes that one's result from the disk.
   *
   * @param source the source's logical name
   * @param target what it is compiled for
   * @param label the label of the compiler that is tried first
   */
  default Compile compiling(String source, TargetId target, ToolchainLabel label) {
    return new Compile() {};
  }

  /**
   * Called by {@code KernelManager} when a thread begins to load a code object.
   *
   * @param device the ordinal of the device
   */
  default Load loading(CodeObject codeObject, int device) {
    return new Load() {};
  }

  /** A compile that has begun. */
  interface Compile {
    /** Called with its result, which another process may have made. */
    default void succeeded(CacheResult result) {}

    /** Called with the exception or error that the request gets. */
    default void failed(Throwable failure) {}
  }

  /** A load that has begun. */
  interface Load {
    /** Called when the code object is loaded. */
    default void succeeded() {}

    /** Called with the exception or error that loading threw. */
    default void failed(Throwable failure) {}
  }
}
