// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.torture.KillStep.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that runs {@link KillWorker}, as its parent sees it; killed when it is closed. */
final class Worker implements AutoCloseable {
  private static final int SIGKILLED = 128 + 9;
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final String GONE = "gone";

  private final Process process;
  private final Writer in;
  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Path served;
  private final Path progress;

  private Worker(Process process, Path served, Path progress) {
    this.process = process;
    this.served = served;
    this.progress = progress;
    in = process.outputWriter(UTF_8);
    Thread listener = new Thread(() -> listen(process.inputReader(UTF_8)), "worker-listener");
    listener.setDaemon(true);
    listener.start();
  }

  /**
   * Starts one, which takes a while to be ready.
   *
   * @param place where {@code served} and {@code progress} are directories, and {@code errors} goes
   */
  static Worker start(Path root, Path place, Duration pace, long number) throws IOException {
    Path served = place.resolve("served").resolve(Long.toString(number));
    Path progress = place.resolve("progress").resolve(Long.toString(number));
    ProcessBuilder builder =
        new ProcessBuilder(
            KillWorker.command(root, served, progress, pace, Torture.seed() * 31 + number));
    builder.redirectError(ProcessBuilder.Redirect.appendTo(place.resolve("errors").toFile()));
    return new Worker(builder.start(), served, progress);
  }

  private void listen(BufferedReader out) {
    try (out) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // Nothing more comes of a process that was killed.
    }
    lines.add(GONE);
  }

  void awaitReady() throws InterruptedException {
    await("ready");
  }

  void go(Role role) throws IOException {
    tell("go " + role);
  }

  void go(Role role, KillStep step) throws IOException {
    tell("go " + role + " " + step.name());
  }

  void pause() throws IOException, InterruptedException {
    tell("pause");
    await("paused");
  }

  private void tell(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  private void await(String wanted) throws InterruptedException {
    assertThat(lines.poll(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(wanted);
  }

  /** Returns whether it comes to a step within a time. */
  boolean arrives(KillStep step, Duration patience) throws InterruptedException {
    @Nullable String line = lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(line).isIn(null, "at " + step.name());
    return line != null;
  }

  /** Kills it by signal 9; returns the step that it had begun last. */
  String kill() throws IOException, InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(SIGKILLED);
    String last = Files.readString(progress, UTF_8);
    Files.delete(progress);
    return last.replace("\0", "");
  }

  /** Begins a new list of what it is served; to be called while it pauses or is dead. */
  void forgetServed() throws IOException {
    if (process.isAlive()) {
      // It goes on at the end of the file, wherever that is.
      Files.write(served, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
    } else {
      Files.delete(served);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
