// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A program that has been loaded once and is copied for each run, which spares a run its start. The
 * program is not told: {@code fork-server.c}, loaded before it, takes the place of its start and
 * says what is sent to it and what it answers.
 *
 * <p>Safe for use by any number of threads. The server and its copies end when it is closed and
 * when this JVM does, however it ends.
 */
final class ForkServer implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(10);
  private static final Duration END = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofDays(30);
  private static final int HELLO = 0;

  /** No status that {@code waitpid} gives. */
  private static final int NOT_RUN = -1;

  /**
   * How much later than ours the bound of the server is, which serves when the JVM stands still.
   */
  private static final long GRACE_SECONDS = 2;

  private final Process process;
  private final OutputStream requests;
  private final Map<Integer, BlockingQueue<Integer>> waiting = new HashMap<>();
  private int last = HELLO;
  private boolean gone;

  private ForkServer(Process process) {
    this.process = process;
    this.requests = process.getOutputStream();
  }

  /**
   * Starts the server of a program.
   *
   * @param library what {@code fork-server.c} was compiled to; not needed any more when this
   *     returns
   * @param environment what the program finds, but for TMPDIR
   * @return empty if the program can't be served, as a script or one without a C library can't
   */
  static Optional<ForkServer> start(Path program, Path library, Map<String, String> environment)
      throws InterruptedException {
    String preload = library.toString();
    // Both separate the names in a list of libraries.
    if (preload.indexOf(' ') >= 0 || preload.indexOf(':') >= 0) {
      return Optional.empty();
    }
    ProcessBuilder builder = new ProcessBuilder(program.toString(), "fork-server");
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("LD_PRELOAD", preload);
    // Once here and not in each copy.
    builder.environment().put("LD_BIND_NOW", "1");
    builder.environment().put("FORK_SERVER", ToolchainPaths.real(program).toString());
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    ForkServer server;
    try {
      server = new ForkServer(builder.start());
    } catch (IOException e) {
      return Optional.empty();
    }
    boolean there = false;
    try {
      there = server.saysHello();
    } finally {
      if (!there) {
        server.process.destroyForcibly();
        server.close();
      }
    }
    return there ? Optional.of(server) : Optional.empty();
  }

  private boolean saysHello() throws InterruptedException {
    BlockingQueue<Integer> hello = expect(HELLO);
    Thread reader = new Thread(this::readAnswers, "kcache-fork-server");
    reader.setDaemon(true);
    reader.start();
    Integer said = await(hello, START);
    return said != null && said != NOT_RUN;
  }

  /**
   * Runs the program in the work directory of {@code staging} and waits for it. What it prints is
   * added to the files for that.
   *
   * @param command the program's name for itself, then its arguments
   * @return the exit status, of which 128 and more tells a signal, as a shell's does; empty if the
   *     server is gone, before or while the program ran
   * @throws TimeoutException if it did not end in time; it has been ended
   * @throws InterruptedException if the thread is interrupted; the program has been ended
   */
  OptionalInt run(List<String> command, Staging staging, Duration timeout)
      throws InterruptedException, TimeoutException {
    Duration bound = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    int id;
    BlockingQueue<Integer> answer;
    synchronized (this) {
      id = ++last;
      answer = expect(id);
      send(request(id, bound, command, staging));
    }
    boolean ended = false;
    try {
      Integer status = await(answer, bound);
      if (status == null) {
        throw new TimeoutException();
      }
      ended = true;
      return status == NOT_RUN ? OptionalInt.empty() : OptionalInt.of(exitStatus(status));
    } finally {
      if (!ended) {
        end(id, answer);
      }
    }
  }

  /** Source: waitpid(2). The low seven bits are a signal, the next byte is the exit status. */
  private static int exitStatus(int status) {
    int signal = status & 0x7f;
    return signal == 0 ? status >> 8 & 0xff : 128 + signal;
  }

  private static @Nullable Integer await(BlockingQueue<Integer> answer, Duration bound)
      throws InterruptedException {
    return answer.poll(bound.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Has a copy killed and waits for its end, so that nothing of it writes any more. */
  private void end(int id, BlockingQueue<Integer> answer) {
    synchronized (this) {
      send(message(Integer.BYTES).putInt(id));
    }
    boolean interrupted = false;
    while (true) {
      try {
        await(answer, END);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ByteBuffer request(int id, Duration bound, List<String> command, Staging staging) {
    List<String> strings = new ArrayList<>();
    strings.add(staging.work().toString());
    strings.add(staging.beside(Staging.OUTPUT).toString());
    strings.add(staging.beside(Staging.ERRORS).toString());
    strings.add(staging.temporary().toString());
    strings.addAll(command);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String string : strings) {
      bytes.writeBytes(string.getBytes(UTF_8));
      bytes.write(0);
    }
    return message(2 * Integer.BYTES + bytes.size())
        .putInt(id)
        .putInt((int) (bound.toSeconds() + GRACE_SECONDS))
        .put(bytes.toByteArray());
  }

  private static ByteBuffer message(int size) {
    return ByteBuffer.allocate(Integer.BYTES + size).order(ByteOrder.nativeOrder()).putInt(size);
  }

  /** A server that is gone reads nothing, and the end of its answers tells whoever waits. */
  private void send(ByteBuffer message) {
    byte[] bytes = new byte[message.flip().remaining()];
    message.get(bytes);
    try {
      requests.write(bytes);
      requests.flush();
    } catch (IOException e) {
      process.destroyForcibly();
    }
  }

  private synchronized BlockingQueue<Integer> expect(int id) {
    BlockingQueue<Integer> answer = new ArrayBlockingQueue<>(1);
    if (gone) {
      answer.add(NOT_RUN);
    } else {
      waiting.put(id, answer);
    }
    return answer;
  }

  private void readAnswers() {
    try (DataInputStream answers = new DataInputStream(process.getInputStream())) {
      byte[] bytes = new byte[2 * Integer.BYTES];
      while (true) {
        answers.readFully(bytes);
        ByteBuffer answer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        give(answer.getInt(), answer.getInt());
      }
    } catch (IOException e) {
      // Its end, or ours.
    }
    giveUp();
  }

  private synchronized void give(int id, int status) {
    BlockingQueue<Integer> answer = waiting.remove(id);
    if (answer != null) {
      answer.add(status);
    }
  }

  private synchronized void giveUp() {
    gone = true;
    waiting.values().forEach(answer -> answer.add(NOT_RUN));
    waiting.clear();
  }

  /** Ends the server and what it runs. Closing twice has no effect. */
  @Override
  public void close() {
    try {
      requests.close();
    } catch (IOException e) {
      process.destroyForcibly();
    }
  }
}
