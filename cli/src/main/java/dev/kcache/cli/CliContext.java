// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a command has of its surroundings, so that it can be run in another process's, or a test's.
 *
 * @param environment the environment variables
 * @param in where answers come from
 * @param out where data goes
 * @param outIsPipe tells whether {@code out} leads to another process
 * @param err where everything else goes
 * @param columns how wide the terminal behind {@code err} is; 0 if it is not a terminal
 * @param caches makes the builder of the cache to use, {@code environment} not yet set
 * @param interrupts tells when the user wants the command to end
 * @param nanoTime a clock that only goes forward, as {@link System#nanoTime()}
 */
record CliContext(
    Map<String, String> environment,
    InputStream in,
    PrintStream out,
    BooleanSupplier outIsPipe,
    PrintStream err,
    int columns,
    Supplier<CacheManagerBuilder> caches,
    Interrupts interrupts,
    LongSupplier nanoTime) {

  /**
   * The system property in which the launcher hands over the width of the terminal, if standard
   * error is one. Java itself cannot tell: {@link System#console()} looks at the other two streams,
   * and from Java 22 on it is there without any terminal.
   */
  static final String COLUMNS_PROPERTY = "kcache.columns";

  /** Returns the surroundings of this process. */
  static CliContext ofProcess() {
    return new CliContext(
        System.getenv(),
        System.in,
        stream(FileDescriptor.out),
        CliContext::isOutputPipe,
        stream(FileDescriptor.err),
        Integer.getInteger(COLUMNS_PROPERTY, 0),
        CacheManager::builder,
        new ShutdownInterrupts(),
        System::nanoTime);
  }

  /** Returns a builder of the cache that this environment asks for. */
  CacheManagerBuilder cache() {
    return caches.get().environment(environment);
  }

  /** Prints one line that tells the user of a problem. */
  void problem(String line) {
    err.println("kcache: " + line);
  }

  /** Prints one line that tells the user of what may be a problem. */
  void warning(String line) {
    problem("warning: " + line);
  }

  /** Returns a progress bar; it draws nothing where a line can't be drawn over. */
  ProgressBar progressBar() {
    boolean dumb = "dumb".equals(environment.get("TERM"));
    return new ProgressBar(err, dumb ? 0 : columns, nanoTime);
  }

  /** Asks the user a question on standard error; returns whether the answer is yes. */
  boolean confirms(String question) {
    err.print("kcache: " + question + " [y/N] ");
    err.flush();
    String answer = answer().strip().toLowerCase(Locale.ROOT);
    return answer.equals("y") || answer.equals("yes");
  }

  /** Returns the next line, or nothing where there is nobody to give one. */
  private String answer() {
    try {
      String line = new BufferedReader(new InputStreamReader(in, UTF_8)).readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      return "";
    }
  }

  /** A socket will do, too: what can't be written to either is wanted by nobody. */
  private static boolean isOutputPipe() {
    try {
      String file = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return file.startsWith("pipe:") || file.startsWith("socket:");
    } catch (IOException e) {
      return false;
    }
  }

  // UTF-8 whatever the locale: a container often has none, and JSON is UTF-8 by definition.
  private static PrintStream stream(FileDescriptor descriptor) {
    OutputStream raw = new FileOutputStream(descriptor);
    return new PrintStream(new BufferedOutputStream(raw), true, UTF_8);
  }
}
