// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.FileFault;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Where a command reads answers, prints data and prints everything else.
 *
 * @param outFault returns why {@code out} could not be written; empty if nothing tells
 * @param outIsPipe returns whether {@code out} leads to another process
 * @param outIsTerminal returns whether {@code out} is a terminal
 * @param columns the width of the terminal behind {@code err}; 0 if it is not a terminal
 */
record Console(
    InputStream in,
    PrintStream out,
    Supplier<String> outFault,
    BooleanSupplier outIsPipe,
    BooleanSupplier outIsTerminal,
    PrintStream err,
    int columns) {

  /**
   * The system property in which the launcher hands over the width of the terminal, if standard
   * error is one. Java itself cannot tell: {@link System#console()} looks at the other two streams,
   * and from Java 22 on it is there without any terminal.
   */
  static final String COLUMNS_PROPERTY = "kcache.columns";

  /** What each line of the command about itself begins with. */
  static final String PREFIX = "kcache: ";

  /** Returns the streams of this process. */
  static Console ofProcess() {
    Output out = new Output(FileDescriptor.out);
    return new Console(
        System.in,
        stream(out),
        () -> out.fault,
        // A socket counts, too: if its reader is gone, the output is not missed.
        () -> outputIs("pipe:", "socket:"),
        () -> outputIs("/dev/pts/", "/dev/tty"),
        stream(new Output(FileDescriptor.err)),
        Integer.getInteger(COLUMNS_PROPERTY, 0));
  }

  /** Asks the user a question on standard error; returns whether the answer is yes. */
  boolean confirms(String question) {
    err.print(PREFIX + question + " [y/N] ");
    err.flush();
    String answer = answer().strip().toLowerCase(Locale.ROOT);
    return answer.equals("y") || answer.equals("yes");
  }

  /** Returns the next line, or nothing at the end of the input. */
  private String answer() {
    try {
      String line = new BufferedReader(new InputStreamReader(in, UTF_8)).readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      return "";
    }
  }

  private static boolean outputIs(String... kinds) {
    try {
      String file = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return Stream.of(kinds).anyMatch(file::startsWith);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the width of the terminal that shows {@code out}; 0 if it is read by a program. */
  int outColumns() {
    return columns > 0 && outIsTerminal.getAsBoolean() ? columns : 0;
  }

  /** Prints one line on {@code err}, which goes on in further ones where a terminal ends. */
  void message(String line) {
    lines(line, columns).forEach(err::println);
  }

  /**
   * Returns a line of the command about itself as it is shown: broken between words where a
   * terminal ends.
   *
   * @param columns the width of the terminal; 0 if it is none
   */
  static List<String> lines(String line, int columns) {
    return columns == 0 ? List.of(line) : Text.wrap(line, PREFIX.length(), columns);
  }

  // UTF-8 whatever the locale: a container often has none, and JSON is UTF-8 by definition.
  private static PrintStream stream(Output output) {
    return new PrintStream(new BufferedOutputStream(output), true, UTF_8);
  }

  /** Keeps the reason of a fault, of which a {@link PrintStream} only tells that there was one. */
  private static final class Output extends FileOutputStream {
    private volatile String fault = "";

    Output(FileDescriptor descriptor) {
      super(descriptor);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        super.write(bytes, offset, length);
      } catch (IOException e) {
        fault = FileFault.reason(e);
        throw e;
      }
    }
  }
}
