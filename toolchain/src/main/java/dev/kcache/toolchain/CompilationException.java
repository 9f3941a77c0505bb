// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.KcacheException;
import java.util.List;

/**
 * Thrown when a compile gives no usable code object. Nothing has been stored.
 *
 * <pre>{@code
 * try {
 *   cache.getOrCompile(source);
 * } catch (CompilationException e) {
 *   e.diagnostics().stream()
 *       .filter(diagnostic -> diagnostic.severity().isError())
 *       .forEach(diagnostic -> System.err.println(diagnostic.headline()));
 * }
 * }</pre>
 */
public sealed class CompilationException extends KcacheException
    permits CompilationTimeoutException, InvalidCrateException {
  private static final long serialVersionUID = 1L;

  /** The logical name of the source. */
  private final String source;

  // An array, because a List need not be serializable and an exception has to be.
  /** What was run, the program first. */
  private final String[] command;

  /** The compiler's exit code, or -1 if it was ended. */
  private final int exitCode;

  /** Everything that the compiler printed. */
  private final String log;

  /**
   * Creates the exception.
   *
   * @param source the logical name of the source
   * @param problem what went wrong, as one line; it may begin with the source's path and a line
   * @param command the exact command, the program first
   * @param exitCode the compiler's exit code, or -1 if it was ended
   * @param log everything that the compiler printed, with the user's own file names
   */
  public CompilationException(
      String source, String problem, List<String> command, int exitCode, String log) {
    super(
        beginsWith(requireNonNull(source, "source"), requireNonNull(problem, "problem"))
            ? problem
            : source + ": " + problem);
    requireNonNull(command, "command");
    this.source = source;
    this.command = command.toArray(String[]::new);
    this.exitCode = exitCode;
    this.log = requireNonNull(log, "log");
  }

  /** A file may also be named further on in the text, by another exception. */
  private static boolean beginsWith(String source, String problem) {
    int name = problem.indexOf(source + ":");
    return name == 0
        || (name > 0
            && problem.charAt(name - 1) == '/'
            && problem.substring(0, name).indexOf(':') < 0);
  }

  /** {@return the logical name of the source} */
  public String source() {
    return source;
  }

  /** {@return the exact command, the program first} */
  public List<String> command() {
    return List.of(command);
  }

  /** {@return the compiler's exit code, or -1 if it was ended by us} */
  public int exitCode() {
    return exitCode;
  }

  /** {@return everything that the compiler printed} */
  public String log() {
    return log;
  }

  /** {@return the diagnostics in the log, in order; parsed anew by each call} */
  public List<Diagnostic> diagnostics() {
    return Diagnostic.parseLog(log);
  }

  @Override
  protected KcacheException copy() {
    return new CompilationException(source, String.valueOf(getMessage()), command(), exitCode, log);
  }
}
