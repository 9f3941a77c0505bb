// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A second process that runs {@link ChildMain}, ended when it is closed. */
final class ChildJvm implements AutoCloseable {
  private static final int DEADLINE_SECONDS = 60;

  private final Process process;
  private final BufferedReader out;

  private ChildJvm(Process process) {
    this.process = process;
    out = process.inputReader();
  }

  static ChildJvm start(String... arguments) throws IOException {
    return startBehind(List.of(), arguments);
  }

  /** Starts the child by way of another program, such as one that changes what it sees. */
  static ChildJvm startBehind(List<String> launcher, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ChildMain.class.getName());
    command.addAll(List.of(arguments));
    return new ChildJvm(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Blocks until the child prints {@code line}. */
  void awaitLine(String line) throws IOException {
    assertThat(out.readLine()).isEqualTo(line);
  }

  /** Lets a child go on that waits for its input. */
  void go() throws IOException {
    process.getOutputStream().close();
  }

  /** Tells a child to end that looks whether it has input. */
  void end() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().close();
  }

  void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("sh", "-c", "kill -s " + name + " " + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  /** Returns the exit status, which is 128 and the signal's number for a child that was killed. */
  int awaitExit() throws InterruptedException {
    assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
