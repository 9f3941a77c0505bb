// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.rocm.HostSystem;
import dev.kcache.toolchain.ProgramResult.End;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A process and all that it started: destroying it ends the whole group. A thread that waits for it
 * checks its limits every 50 ms, and ends it if it exceeds one.
 */
final class ProcessGroup extends Process {
  private static final Duration LOOK = Duration.ofMillis(50);

  private static final File NOTHING = new File(HostSystem.isWindows() ? "NUL" : "/dev/null");

  private final Process leader;
  private final ProcessTree tree;
  private final Supplier<Optional<End>> excesses;
  private volatile Optional<End> excess = Optional.empty();
  private volatile boolean interrupted;

  /**
   * Wraps the leader of a group.
   *
   * @param tree all that belongs to the leader
   * @param excesses returns the limit that the group has exceeded, if any
   */
  ProcessGroup(Process leader, ProcessTree tree, Supplier<Optional<End>> excesses) {
    this.leader = leader;
    this.tree = tree;
    this.excesses = excesses;
  }

  /** Returns the limit for which the group was ended. */
  Optional<End> excess() {
    return excess;
  }

  /** Returns whether a waiting thread was interrupted, which Commons Exec does not report. */
  boolean wasInterrupted() {
    return interrupted;
  }

  @Override
  public int waitFor() throws InterruptedException {
    try {
      boolean ended;
      do {
        ended = leader.waitFor(LOOK.toNanos(), TimeUnit.NANOSECONDS);
        excess = excesses.get();
      } while (!ended && excess.isEmpty());
    } catch (InterruptedException e) {
      interrupted = true;
      throw e;
    }
    if (leader.isAlive()) {
      destroy();
    }
    return leader.exitValue();
  }

  /**
   * Ends the group at once, and returns when its leader has ended. A {@code timeout} that has only
   * been forked has made no group yet, so the leader is killed as well, and then the group once
   * more.
   */
  @Override
  public void destroy() {
    tree.end();
    if (leader.isAlive()) {
      leader.destroyForcibly();
      awaitUninterruptibly(leader);
      tree.end();
    }
  }

  @Override
  public Process destroyForcibly() {
    destroy();
    return this;
  }

  /** Ends what its leader, which has ended, may have left behind. */
  void release() {
    tree.release();
  }

  /**
   * Returns what ends the process group of a leader.
   *
   * @param shell the shell that does it
   */
  static ProcessTree.Kind byShell(String shell) {
    return leader ->
        () -> kill(leader, shell, "-c", "kill -s KILL -- -" + leader.pid() + " 2>/dev/null");
  }

  /**
   * Runs a program that ends processes.
   *
   * @param leader the process that they belong to
   */
  static void kill(Process leader, String... command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectInput(ProcessBuilder.Redirect.from(NOTHING));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    try {
      awaitUninterruptibly(ProcessStart.apart(builder::start));
    } catch (IOException e) {
      System.getLogger(ProcessGroup.class.getName())
          .log(System.Logger.Level.WARNING, "could not end the process group " + leader.pid(), e);
    }
  }

  /** Waits for a process that was killed, or for the one that kills; both end within moments. */
  private static void awaitUninterruptibly(Process process) {
    boolean interrupted = false;
    while (true) {
      try {
        process.waitFor(5, TimeUnit.SECONDS);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public int exitValue() {
    return leader.exitValue();
  }

  @Override
  public long pid() {
    return leader.pid();
  }

  @Override
  public OutputStream getOutputStream() {
    return leader.getOutputStream();
  }

  @Override
  public InputStream getInputStream() {
    return leader.getInputStream();
  }

  @Override
  public InputStream getErrorStream() {
    return leader.getErrorStream();
  }
}
