// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import java.io.IOException;

/**
 * Starts processes without the context class loader of the calling thread. The JDK's thread that
 * waits for a process inherits it, stays for a minute, and then serves the processes of others: it
 * would keep the classes of an application that a server has stopped.
 */
final class ProcessStart {
  private ProcessStart() {}

  /** Starts a process. */
  @FunctionalInterface
  interface Start<P extends Process> {
    P start() throws IOException;
  }

  static <P extends Process> P apart(Start<P> start) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader context = thread.getContextClassLoader();
    thread.setContextClassLoader(null);
    try {
      return start.start();
    } finally {
      thread.setContextClassLoader(context);
    }
  }
}
