// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import dev.kcache.hip.binding.HipLibrary;
import java.util.List;

/**
 * Waits for kernels that are in flight when Java ends, for a short time. HIP waits for them too,
 * but only once Java can't run any more: if one of them faulted then, the library's thread would
 * stay in our handler, and the process would hang where it should abort.
 */
final class LastLaunches {
  private static final long MILLISECONDS = 3000;

  private LastLaunches() {}

  /** Makes the end of Java wait for the launches of a runtime. */
  static void awaitAtExit(GpuFaults runtime) {
    try {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(null, () -> await(runtime), "kcache-last-launches", 0, false));
    } catch (IllegalStateException e) {
      // Java is ending already.
    }
  }

  private static void await(GpuFaults runtime) {
    if (runtime.loss() != null) {
      return;
    }
    List<Thread> waits =
        runtime.busyDevices().stream()
            .map(device -> waiting(runtime.library(), device.ordinal()))
            .toList();
    long end = System.nanoTime() + MILLISECONDS * 1_000_000;
    try {
      for (Thread wait : waits) {
        wait.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Starts a thread, which has a current device of its own and doesn't keep Java from ending. */
  private static Thread waiting(HipLibrary library, int ordinal) {
    Runnable wait =
        () -> {
          if (library.currentDevice(ordinal).set() == 0) {
            int unused = library.functions().hipDeviceSynchronize();
          }
        };
    Thread thread = new Thread(null, wait, "kcache-last-launches-" + ordinal, 0, false);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
