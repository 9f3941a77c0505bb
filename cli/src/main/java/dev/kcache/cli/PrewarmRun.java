// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.kcache.cli.Outcome.Status;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * Works off a list of tasks, a bounded number at a time.
 *
 * <p>Other threads do the work and queue its results; only the thread in {@link #run} takes them
 * and calls the observer. So the user sees one order.
 */
final class PrewarmRun {
  // How often a progress bar may be redrawn.
  private static final long TICK_MILLIS = 100;

  private final List<Task> tasks;
  private final Function<Task, CompletableFuture<Outcome>> resolver;
  private final int parallelism;
  private final boolean failFast;
  private final Observer observer;

  /** What has ended; an empty element wakes up {@link #run}. */
  private final BlockingQueue<Optional<Outcome>> ended = new LinkedBlockingQueue<>();

  private final List<Outcome> outcomes = new ArrayList<>();
  private final Stop stop;
  private boolean failed;

  /** Hears of what happens, on the thread that is in {@link #run}. */
  interface Observer {
    void started(Task task);

    void finished(Outcome outcome);

    /** Nothing has happened for a moment. */
    void waiting();
  }

  /** Creates a run that begins tasks in their order, and has a number of them under way at once. */
  PrewarmRun(
      List<Task> tasks,
      Function<Task, CompletableFuture<Outcome>> resolver,
      int parallelism,
      boolean failFast,
      Observer observer,
      Stop stop) {
    this.tasks = tasks;
    this.resolver = resolver;
    this.parallelism = parallelism;
    this.failFast = failFast;
    this.observer = observer;
    this.stop = stop;
    stop.whenMade(() -> ended.add(Optional.empty()));
  }

  /**
   * Works until everything is done or the run is stopped; then it leaves what is under way to those
   * who do the work. Returns what has ended, in that order.
   */
  List<Outcome> run() {
    Iterator<Task> next = tasks.iterator();
    int begun = 0;
    while (!stopped() && (outcomes.size() < begun || next.hasNext())) {
      if (next.hasNext() && begun - outcomes.size() < parallelism) {
        begin(next.next());
        begun++;
      } else {
        await();
      }
    }
    ended.forEach(outcome -> outcome.ifPresent(this::finish));
    return List.copyOf(outcomes);
  }

  private boolean stopped() {
    return stop.getAsBoolean() || (failFast && failed);
  }

  private void begin(Task task) {
    observer.started(task);
    CompletableFuture<Void> unused =
        future(task)
            .exceptionally(failure -> Outcome.failed(task, failure))
            .thenAccept(outcome -> ended.add(Optional.of(outcome)));
  }

  private CompletableFuture<Outcome> future(Task task) {
    try {
      return resolver.apply(task);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void await() {
    try {
      Optional<Outcome> outcome = ended.poll(TICK_MILLIS, MILLISECONDS);
      if (outcome == null) {
        observer.waiting();
      } else {
        outcome.ifPresent(this::finish);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop.make();
    }
  }

  private void finish(Outcome outcome) {
    outcomes.add(outcome);
    failed |= outcome.status() == Status.FAILED;
    observer.finished(outcome);
  }
}
