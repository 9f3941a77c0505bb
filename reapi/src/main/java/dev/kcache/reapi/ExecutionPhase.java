// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.kcache.reapi.proto.ExecuteOperationMetadata;
import dev.kcache.reapi.proto.ExecuteOperationMetadata.Stage;
import dev.kcache.reapi.proto.Operation;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a command is, by what the server told last, and how long it may stay there. Safe for use
 * by any number of threads.
 */
final class ExecutionPhase {
  private final Farm farm;
  private final Duration limit;
  private final long started = System.nanoTime();
  private @Nullable String operation;
  private boolean queued;
  private boolean running;
  private boolean untold;
  private int requeued;
  private long since = started;
  private long answered = started;

  /**
   * Enters the queue.
   *
   * @param limit of the command
   */
  ExecutionPhase(Farm farm, Duration limit) {
    this.farm = farm;
    this.limit = limit;
    farm.move(1, 0, 0);
  }

  /** Returns the name by which the server knows the command, if it has it. */
  synchronized Optional<String> operation() {
    return Optional.ofNullable(operation);
  }

  /** The server does not have the command, or has ended it: it is to be sent anew. */
  synchronized void forget() {
    operation = null;
    queued = false;
    setRunning(false);
    since = System.nanoTime();
  }

  /** The command is sent now. */
  synchronized void submitted() {
    answered();
    since = System.nanoTime();
  }

  /** The server has answered something. */
  synchronized void answered() {
    answered = System.nanoTime();
  }

  /**
   * The server tells of the command. One that does not say whether it is queued may be running it:
   * then both times are given together.
   */
  synchronized void told(Operation news) {
    answered();
    operation = news.getName().isEmpty() ? null : news.getName();
    Stage stage = stage(news);
    boolean waits = stage == Stage.QUEUED || stage == Stage.CACHE_CHECK;
    queued = waits;
    untold = stage == Stage.UNKNOWN;
    if (running == waits && requeued <= farm.bounds.repeats()) {
      requeued += waits ? 1 : 0;
      since = System.nanoTime();
    }
    setRunning(!waits);
  }

  private static Stage stage(Operation news) {
    try {
      return news.getMetadata().is(ExecuteOperationMetadata.class)
          ? news.getMetadata().unpack(ExecuteOperationMetadata.class).getStage()
          : Stage.UNKNOWN;
    } catch (InvalidProtocolBufferException e) {
      return Stage.UNKNOWN;
    }
  }

  private void setRunning(boolean now) {
    if (running != now) {
      farm.move(now ? -1 : 1, now ? 1 : -1, 0);
      running = now;
    }
  }

  /** Leaves the queue, or the worker. */
  synchronized void end() {
    setRunning(false);
    farm.move(-1, 0, 1);
  }

  /** Returns how long it may stay where it is, in nanoseconds. */
  synchronized long remaining() {
    return bound().toNanos() - (System.nanoTime() - since);
  }

  private Duration bound() {
    Duration taken = farm.served ? farm.bounds.queue() : farm.bounds.untilTaken(limit);
    if (!running) {
      return taken;
    }
    Duration done = farm.bounds.untilDone(limit);
    return untold ? taken.plus(done) : done;
  }

  /** Returns whether a worker has run it for longer than it may run. */
  synchronized boolean isLate() {
    return running && !untold && remaining() <= 0;
  }

  /** Returns how long the server has not answered. */
  synchronized Duration silence() {
    return Duration.ofNanos(System.nanoTime() - answered);
  }

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - started);
  }

  /** Returns what to say if it stayed where it is for too long. */
  synchronized String excess() {
    String time = ExecutionResult.words(bound());
    if (running) {
      return "no result within " + time;
    }
    return queued
        ? "no worker took the command within %s; is there one with the platform '%s'?"
            .formatted(time, farm.platform)
        : "no answer within " + time;
  }
}
