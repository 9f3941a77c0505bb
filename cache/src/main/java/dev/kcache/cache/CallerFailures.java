// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the exception of one caller out of that of a compile, which any number of callers wait for:
 * the stack of a shared one would be that of none of them, and what one caller adds to it, such as
 * a suppressed exception, would show to all.
 */
final class CallerFailures {
  private CallerFailures() {}

  /**
   * Returns a new exception of the same type and data, with the stack of this call.
   *
   * @param shared is its cause, but for an {@link UncheckedIOException}, whose cause is the same
   *     {@link java.io.IOException}
   * @return {@code shared} itself if it is of a toolchain's own type
   */
  static RuntimeException own(RuntimeException shared) {
    RuntimeException own = copy(shared);
    if (own == null) {
      return shared;
    }
    if (own.getCause() == null) {
      own.initCause(shared);
    }
    return own;
  }

  private static @Nullable RuntimeException copy(RuntimeException shared) {
    String message = String.valueOf(shared.getMessage());
    if (shared instanceof CompilationTimeoutException timeout) {
      return new CompilationTimeoutException(
          timeout.source(), message, timeout.command(), timeout.log(), timeout.limit());
    } else if (shared instanceof CompilationException failed) {
      return new CompilationException(
          failed.source(), message, failed.command(), failed.exitCode(), failed.log());
    } else if (shared instanceof InvalidKernelSourceException invalid) {
      return new InvalidKernelSourceException(invalid);
    } else if (shared instanceof ToolchainNotFoundException) {
      return new ToolchainNotFoundException(message);
    } else if (shared instanceof TargetDetectionException) {
      return new TargetDetectionException(message);
    } else if (shared instanceof CacheMissException) {
      return new CacheMissException(message);
    } else if (shared.getClass() == UncheckedIOException.class) {
      return new UncheckedIOException(message, ((UncheckedIOException) shared).getCause());
    } else if (shared.getClass() == IllegalStateException.class) {
      return new IllegalStateException(message, shared);
    } else if (shared.getClass() == IllegalArgumentException.class) {
      return new IllegalArgumentException(message, shared);
    }
    return null;
  }
}
