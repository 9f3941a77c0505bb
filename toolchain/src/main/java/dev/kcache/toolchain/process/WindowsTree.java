// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.rocm.HostSystem;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * A process of Windows with its descendants. A {@link JobObject} ends all of them, also those whose
 * parents are gone, and those of a JVM that was killed. Where there is none, the descendants that
 * Java finds are ended, by {@code taskkill} if one refuses.
 */
final class WindowsTree implements ProcessTree {
  /** What is ended may have started others meanwhile. */
  private static final int ROUNDS = 3;

  private final Process leader;
  private final Optional<JobObject> job;
  private final String taskkill;

  WindowsTree(Process leader, Optional<JobObject> job, String taskkill) {
    this.leader = leader;
    this.job = job;
    this.taskkill = taskkill;
  }

  /**
   * Returns how processes are ended.
   *
   * @param environment names Windows' own directory, since PATH may lead to any program
   */
  static Kind kind(Map<String, String> environment) {
    return kind(environment, HostSystem.isWindows() ? JobObject::around : pid -> Optional.empty());
  }

  static Kind kind(Map<String, String> environment, LongFunction<Optional<JobObject>> jobs) {
    String windows = environment.getOrDefault("SystemRoot", "C:\\Windows");
    String taskkill = Path.of(windows, "System32", "taskkill.exe").toString();
    return leader -> new WindowsTree(leader, jobs.apply(leader.pid()), taskkill);
  }

  @Override
  public void end() {
    job.ifPresent(JobObject::end);
    for (int i = 0; i < ROUNDS; i++) {
      if (!endDescendants()) {
        ProcessGroup.kill(leader, taskkill, "/T", "/F", "/PID", Long.toString(leader.pid()));
        return;
      }
    }
  }

  /** Returns whether none refused to be ended, as those with more rights do. */
  private boolean endDescendants() {
    boolean all = true;
    for (ProcessHandle each : leader.descendants().filter(ProcessHandle::isAlive).toList()) {
      all &= each.destroyForcibly() || !each.isAlive();
    }
    return all;
  }

  @Override
  public void release() {
    job.ifPresent(JobObject::close);
  }
}
