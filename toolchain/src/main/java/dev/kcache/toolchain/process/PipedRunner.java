// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.ProgramResult.End;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.ExecuteWatchdog;

/**
 * Runs programs that are given bytes and give bytes back, on any system: without a shell and
 * without files. Their standard input stays open until they end, so that what they started
 * elsewhere can tell that they are gone. All are ended when it is closed or the JVM ends.
 *
 * <p>Safe for use by any number of threads.
 */
public final class PipedRunner implements AutoCloseable {
  private final RunningGroups running = new RunningGroups();
  private final ProcessTree.Kind trees = WindowsTree.kind(System.getenv());

  /** Creates a runner that runs nothing yet. */
  public PipedRunner() {}

  /** What a program gave. */
  public static final class Piped {
    private final Optional<End> ended;
    private final int exitCode;
    private final byte[] output;
    private final byte[] errors;

    private Piped(Optional<End> ended, int exitCode, Pipes pipes) {
      this.ended = ended;
      this.exitCode = exitCode;
      output = pipes.output();
      errors = pipes.errors();
    }

    /** Returns why it was ended; empty if it ended by itself. */
    public Optional<End> ended() {
      return ended;
    }

    /** Returns its exit status. */
    public int exitCode() {
      return exitCode;
    }

    /** Returns its standard output, not copied. */
    public byte[] output() {
      return output;
    }

    /** Returns its standard error, not copied. */
    public byte[] errors() {
      return errors;
    }
  }

  /**
   * Runs a program and waits for its end.
   *
   * @param command the program's absolute path, then its arguments
   * @param environment its whole environment
   * @param input what it is given
   * @param limit how long it may run
   * @param most how many bytes it may print
   * @throws InterruptedException if the thread is interrupted; the program has been ended
   * @throws IOException if it can't be started
   */
  public Piped run(
      List<String> command, Map<String, String> environment, byte[] input, Duration limit, int most)
      throws IOException, InterruptedException {
    CommandLine line = new CommandLine(command.get(0));
    command.stream().skip(1).forEach(word -> line.addArgument(word, false));
    Pipes pipes = new Pipes(input, most);
    GroupExecutor executor =
        new GroupExecutor(
            Path.of(System.getProperty("java.io.tmpdir")), trees, running, pipes::excess);
    executor.setStreamHandler(pipes);
    Optional<End> ended =
        executor.run(line, environment, ExecuteWatchdog.builder().setTimeout(limit).get());
    return new Piped(
        ended.or(() -> Optional.of(End.CLOSED).filter(closed -> running.isClosed())),
        executor.exitCode(),
        pipes);
  }

  /** Ends all running programs and refuses to run more. Closing twice has no effect. */
  @Override
  public void close() {
    running.close();
  }
}
