// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/** A request to stop work that takes long: an interrupt makes it, the work polls it. */
final class Stop implements BooleanSupplier {
  private final CompletableFuture<Void> wanted = new CompletableFuture<>();

  /**
   * Runs work that the user can interrupt; returns its exit code, or that of an interrupt once it
   * has reported what was done.
   *
   * @param rest what is left after an interrupt and how to do it
   */
  static int during(CliContext context, String rest, ToIntFunction<Stop> work) {
    Stop stop = new Stop();
    Interrupts.Registration interrupts = context.interrupts().register(stop::make);
    try {
      int exitCode = work.applyAsInt(stop);
      if (!stop.getAsBoolean()) {
        return exitCode;
      }
      context.problem("interrupted; " + rest);
      return ExitCode.INTERRUPTED;
    } finally {
      interrupts.close();
    }
  }

  /** Makes the request, as a signal does. */
  void make() {
    wanted.complete(null);
  }

  /** Runs an action once the request is made; at once if it was. */
  void whenMade(Runnable action) {
    CompletableFuture<Void> unused = wanted.thenRun(action);
  }

  @Override
  public boolean getAsBoolean() {
    return wanted.isDone();
  }

  /** Waits until {@code future} has ended or work is to stop; returns whether it has ended. */
  boolean await(CompletableFuture<?> future) {
    CompletableFuture<?> either = CompletableFuture.anyOf(future, wanted);
    either.exceptionally(failure -> null).join();
    return future.isDone();
  }
}
