// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The process groups of one runner. They are ended when this object is closed or the JVM ends.
 *
 * <p>Not Commons Exec's own destroyer: a process is added to it after its start, which is too late
 * if the JVM ends in between, and it loses an interrupt that arrives while it removes its hook,
 * which it does after each run.
 */
final class RunningGroups implements AutoCloseable {
  private final Set<ProcessGroup> groups = new HashSet<>();
  private @Nullable Thread hook;
  private boolean closed;

  /**
   * Starts a group. Closing this object, or ending the JVM, waits for the start, so no group is
   * missed.
   *
   * @throws IllegalStateException if this object is closed or the JVM is ending; nothing was
   *     started
   */
  synchronized ProcessGroup start(ProcessStart.Start<ProcessGroup> start) throws IOException {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    if (hook == null) {
      Thread added = new Thread(this::destroyAll, "kcache-end-compilers");
      Runtime.getRuntime().addShutdownHook(added);
      hook = added;
    }
    ProcessGroup group = ProcessStart.apart(start);
    groups.add(group);
    return group;
  }

  /** Forgets a group that has ended. */
  synchronized void remove(ProcessGroup group) {
    groups.remove(group);
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** Ends all groups and starts no more. Closing twice has no effect. */
  @Override
  public void close() {
    Thread registered;
    synchronized (this) {
      closed = true;
      registered = hook;
      hook = null;
    }
    if (registered != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(registered);
      } catch (IllegalStateException e) {
        // The JVM is ending already, and the hook does what this does.
      }
    }
    destroyAll();
  }

  private void destroyAll() {
    List<ProcessGroup> running;
    synchronized (this) {
      running = List.copyOf(groups);
    }
    running.forEach(ProcessGroup::destroy);
  }
}
