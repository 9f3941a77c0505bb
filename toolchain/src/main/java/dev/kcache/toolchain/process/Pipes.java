// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.ProgramResult.End;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.commons.exec.ExecuteStreamHandler;

/**
 * The streams of one program: gives it bytes and keeps what it prints, up to a limit. The end of
 * the program is waited for, not that of its streams, which others may hold open.
 */
final class Pipes implements ExecuteStreamHandler {
  /** How long what a program has printed may take to be read after its end. */
  private static final Duration REST = Duration.ofSeconds(5);

  private static final int PIECE = 1 << 16;

  private final byte[] input;
  private final int most;
  private final boolean staysOpen;
  private final Kept output = new Kept();
  private final Kept errors = new Kept();
  private final List<Thread> readers =
      List.of(daemon(output::fill, "kcache-output"), daemon(errors::fill, "kcache-errors"));
  private OutputStream sink = OutputStream.nullOutputStream();
  private volatile boolean exceeded;

  /**
   * Creates the streams of a program whose input stays open until it has ended.
   *
   * @param input what it is given
   * @param most how many bytes each of its outputs may have
   */
  Pipes(byte[] input, int most) {
    this(input, most, true);
  }

  private Pipes(byte[] input, int most, boolean staysOpen) {
    this.input = input;
    this.most = most;
    this.staysOpen = staysOpen;
  }

  /** Returns the streams of a program that is given nothing. */
  static Pipes withoutInput(int most) {
    return new Pipes(new byte[0], most, false);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    return thread;
  }

  /** What came by one stream. */
  private final class Kept {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private InputStream from = InputStream.nullInputStream();

    private void fill() {
      byte[] piece = new byte[PIECE];
      try {
        for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
          if (!add(piece, read)) {
            return;
          }
        }
      } catch (IOException e) {
        // The program was ended while it printed.
        System.getLogger(Pipes.class.getName())
            .log(System.Logger.Level.DEBUG, "a program's output ended", e);
      }
    }

    private synchronized boolean add(byte[] piece, int length) {
      exceeded |= length > most - bytes.size();
      if (!exceeded) {
        bytes.write(piece, 0, length);
      }
      return !exceeded;
    }

    private synchronized byte[] content() {
      return bytes.toByteArray();
    }
  }

  @Override
  public void setProcessInputStream(OutputStream stream) {
    sink = stream;
  }

  @Override
  public void setProcessOutputStream(InputStream stream) {
    output.from = stream;
  }

  @Override
  public void setProcessErrorStream(InputStream stream) {
    errors.from = stream;
  }

  @Override
  public void start() {
    readers.forEach(Thread::start);
    daemon(this::give, "kcache-input").start();
  }

  private void give() {
    try {
      sink.write(input);
      sink.flush();
      if (!staysOpen) {
        sink.close();
      }
    } catch (IOException e) {
      // The program reads no more; its end tells why.
      System.getLogger(Pipes.class.getName())
          .log(System.Logger.Level.DEBUG, "a program reads no more", e);
    }
  }

  /** Called when the program has ended. */
  @Override
  public void stop() throws IOException {
    sink.close();
    try {
      for (Thread reader : readers) {
        reader.join(REST.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the limit that the program has exceeded, if it has. */
  Optional<End> excess() {
    return exceeded ? Optional.of(End.PRINTED_TOO_MUCH) : Optional.empty();
  }

  byte[] output() {
    return output.content();
  }

  byte[] errors() {
    return errors.content();
  }
}
