// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.ProgramResult.End;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.DefaultExecutor;
import org.apache.commons.exec.ExecuteStreamHandler;
import org.apache.commons.exec.ExecuteWatchdog;
import org.jspecify.annotations.Nullable;

/**
 * Commons Exec's executor for one run of a program that leads a process group. Its watchdog and its
 * handling of interrupts end the whole group. Unless another handler is set, the program reads and
 * writes files: Commons Exec's pumps would wait for every process that holds its streams open.
 */
final class GroupExecutor extends DefaultExecutor {
  private final Path directory;
  private final ProcessTree.Kind trees;
  private final RunningGroups running;
  private final Supplier<Optional<End>> excesses;
  private @Nullable ProcessGroup group;

  /**
   * Creates an executor.
   *
   * @param directory the working directory of the program
   * @param trees ends what belongs to the program
   * @param running the runner's groups, to which the new one is added
   * @param excesses returns the limit that the group has exceeded, if any
   */
  @SuppressWarnings("deprecation") // of the constructor: that of the builder is package-private
  GroupExecutor(
      Path directory,
      ProcessTree.Kind trees,
      RunningGroups running,
      Supplier<Optional<End>> excesses) {
    this.directory = directory;
    this.trees = trees;
    this.running = running;
    this.excesses = excesses;
    setStreamHandler(new NoStreams());
    setExitValues(null); // none is a failure
  }

  /**
   * Runs a command to its end.
   *
   * @return the reason why this executor ended the command, if it did
   * @throws InterruptedException if the thread is interrupted; the group has been ended
   * @throws IOException if the command can't be started
   */
  Optional<End> run(CommandLine command, Map<String, String> environment, ExecuteWatchdog watchdog)
      throws IOException, InterruptedException {
    setWatchdog(watchdog);
    try {
      execute(command, environment);
    } catch (IOException e) {
      if (group == null) {
        throw e;
      }
      // The command ran, and only its unused streams could not be closed.
    } finally {
      if (group != null) {
        running.remove(group);
        group.release();
      }
    }
    ProcessGroup ended = started();
    if (ended.wasInterrupted()) {
      throw new InterruptedException();
    }
    return ended
        .excess()
        .or(() -> Optional.of(End.TIMED_OUT).filter(late -> watchdog.killedProcess()));
  }

  /** Returns the exit status of the program, which has ended. */
  int exitCode() {
    return started().exitValue();
  }

  /** Ends the rest of a group whose leader was killed from outside. */
  void endGroup() {
    started().destroy();
  }

  private ProcessGroup started() {
    if (group == null) {
      throw new IllegalStateException("not started");
    }
    return group;
  }

  /** Starts the program in {@code directory}, not in the executor's own. */
  @Override
  protected Process launch(CommandLine command, Map<String, String> environment, Path ignored)
      throws IOException {
    ProcessGroup launched =
        running.start(() -> group(super.launch(command, environment, directory)));
    group = launched;
    return launched;
  }

  private ProcessGroup group(Process leader) {
    return new ProcessGroup(leader, trees.of(leader), excesses);
  }

  /** Leaves the program's streams alone. */
  private static final class NoStreams implements ExecuteStreamHandler {
    @Override
    public void setProcessInputStream(OutputStream input) {}

    @Override
    public void setProcessOutputStream(InputStream output) {}

    @Override
    public void setProcessErrorStream(InputStream errors) {}

    @Override
    public void start() {}

    @Override
    public void stop() {}
  }
}
