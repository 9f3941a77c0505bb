// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.DamagedTraceException;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.codeobject.ZstandardUnavailableException;
import dev.kcache.hip.HipDeviceNotFoundException;
import dev.kcache.hip.HipUnavailableException;
import dev.kcache.hip.UnsupportedDeviceException;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.InvalidCrateException;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.OptionalInt;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.zip.ZipException;

/**
 * What a failure is to the user: an exit code and one line.
 *
 * @param exitCode the exit code of a command that ends with it
 * @param line what is wrong and what to do
 * @param log what the compiler printed; empty if it is not a compiler's failure
 */
record Problem(int exitCode, String line, String log) {

  /** Returns what {@code failure} is to the user. */
  static Problem of(Throwable failure) {
    Throwable cause = unwrap(failure);
    OptionalInt exitCode = exitCode(cause);
    if (exitCode.isEmpty()) {
      String line = Text.oneLine(cause.toString());
      return new Problem(
          ExitCode.FAILED, "internal error: " + line + "; --stacktrace shows where", "");
    }
    String message = cause.getMessage();
    String line = Text.oneLine(message == null ? cause.toString() : message);
    String log = cause instanceof CompilationException compilation ? compilation.log() : "";
    return new Problem(exitCode.getAsInt(), line, log);
  }

  /** Returns the exit code of an expected failure; nothing for any other. */
  private static OptionalInt exitCode(Throwable cause) {
    if (cause instanceof IllegalArgumentException
        || cause instanceof IncompatibleTargetException
        || cause instanceof InvalidCrateException) {
      return OptionalInt.of(ExitCode.USAGE);
    }
    if (cause instanceof MalformedCodeObjectException
        || cause instanceof DamagedTraceException
        || cause.getCause() instanceof ZipException) {
      return OptionalInt.of(ExitCode.DAMAGED);
    }
    if (cause instanceof ToolchainNotFoundException
        || cause instanceof TargetDetectionException
        || cause instanceof ZstandardUnavailableException
        || cause instanceof HipUnavailableException
        || cause instanceof UnsupportedDeviceException
        || cause instanceof UncheckedIOException) {
      return OptionalInt.of(ExitCode.UNAVAILABLE);
    }
    if (cause instanceof HipDeviceNotFoundException notFound) {
      return OptionalInt.of(notFound.devices().isEmpty() ? ExitCode.UNAVAILABLE : ExitCode.USAGE);
    }
    return cause instanceof KcacheException ? OptionalInt.of(ExitCode.FAILED) : OptionalInt.empty();
  }

  /** Prints the document of a command that ends before it has any other to print. */
  void print(PrintStream out) {
    Json.print(
        out,
        "error",
        json -> CompilerOutput.write(log, json.put("exitCode", exitCode).put("problem", line)));
  }

  /** Returns the failure itself, without what asynchronous code wraps around it. */
  static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
