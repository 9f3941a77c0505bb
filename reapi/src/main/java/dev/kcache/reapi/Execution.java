// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.kcache.reapi.proto.ActionCacheGrpc;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.CancelOperationRequest;
import dev.kcache.reapi.proto.ExecuteRequest;
import dev.kcache.reapi.proto.ExecuteResponse;
import dev.kcache.reapi.proto.ExecutionGrpc;
import dev.kcache.reapi.proto.GetActionResultRequest;
import dev.kcache.reapi.proto.Operation;
import dev.kcache.reapi.proto.OperationsGrpc;
import dev.kcache.reapi.proto.WaitExecutionRequest;
import dev.kcache.toolchain.executor.CommandExecutor;
import dev.kcache.toolchain.executor.CommandExecutor.Result;
import io.grpc.Status;
import io.grpc.Status.Code;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One command on its way through a farm. The thread that waits for it makes one attempt after the
 * other, each on a connection; what survives an attempt is the name under which the server runs it.
 *
 * <p>What a connection lost is followed again, for as long as the server was silent at most {@link
 * ExecutionBounds#outage}. What a worker or the server failed at is sent again, a few times.
 */
final class Execution {
  /** With these codes a connection ends, or somebody between. */
  private static final Set<Code> LOST =
      Set.of(Code.UNAVAILABLE, Code.ABORTED, Code.CANCELLED, Code.DEADLINE_EXCEEDED);

  /** These may go away by sending the command again, with the files that it needs. */
  private static final Set<Code> REPEATABLE =
      Set.of(
          Code.UNAVAILABLE,
          Code.ABORTED,
          Code.CANCELLED,
          Code.INTERNAL,
          Code.UNKNOWN,
          Code.DATA_LOSS,
          Code.NOT_FOUND,
          Code.FAILED_PRECONDITION);

  /** How often it is looked at where a command is. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Farm farm;
  private final CommandExecutor.Command command;
  private final CommandAction action;
  private final ExecutionPhase phase;

  /** Whether an earlier result is of no use. */
  private volatile boolean anew;

  /** Whether the server had said in this attempt that the command ended, and whether well. */
  private volatile boolean ended;

  private volatile boolean hasResult;

  private int repeats;

  Execution(Farm farm, CommandExecutor.Command command, CommandAction action) {
    this.farm = farm;
    this.command = command;
    this.action = action;
    anew = !command.remembered();
    phase = new ExecutionPhase(farm, command.limit());
  }

  /**
   * Waits for the result, unless the command runs for longer than its own limit: it is cancelled
   * then.
   *
   * @throws IOException if there is none
   * @throws InterruptedException if the thread is interrupted; the command is cancelled
   */
  Result run() throws IOException, InterruptedException {
    try {
      for (int attempts = 0; ; attempts++) {
        ended = false;
        hasResult = false;
        try {
          Result result = await(farm.connections.ask(this::attempt));
          if (!result.cached()) {
            farm.served = true;
          }
          return result;
        } catch (RequestException e) {
          prepareNext(e);
        }
        farm.pause(attempts);
      }
    } finally {
      phase.end();
      cancel();
    }
  }

  /** Tells the server that nobody waits any longer. To some, the end of a call does not say so. */
  void cancel() {
    Optional<String> operation = phase.operation();
    if (ended || operation.isEmpty()) {
      return;
    }
    CancelOperationRequest request =
        CancelOperationRequest.newBuilder().setName(operation.get()).build();
    farm.cancelling(
        farm.connections.ask(
            (server, calls) ->
                calls
                    .unary(OperationsGrpc.getCancelOperationMethod(), request)
                    .handle((answer, failure) -> Optional.ofNullable(answer))));
  }

  private Result await(CompletableFuture<Result> answer) throws IOException, InterruptedException {
    try {
      while (phase.remaining() > 0) {
        try {
          return answer.get(Math.min(phase.remaining(), LOOK_NANOS), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          // It may be somewhere else meanwhile, where it may stay for longer or less long.
        }
      }
      if (phase.isLate()) {
        return ExecutionResult.late(command, phase.elapsed());
      }
      throw new IOException(phase.excess());
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RequestException failure ? failure : new IOException(e);
    } finally {
      answer.cancel(false);
    }
  }

  private void prepareNext(RequestException failure) throws RequestException {
    if (farm.closed) {
      throw new RequestException("closed", null);
    }
    Code code = failure.code().orElseThrow(() -> failure);
    if (!farm.answered || phase.remaining() <= 0) {
      throw failure;
    }
    if (!ended && LOST.contains(code)) {
      if (phase.silence().compareTo(farm.bounds.outage()) > 0) {
        throw failure;
      }
      return;
    }
    boolean unfollowed = phase.operation().isPresent() && code == Code.UNIMPLEMENTED;
    // The worker has no such program.
    boolean refused = ended && !hasResult && code == Code.NOT_FOUND;
    if (refused || !(unfollowed || REPEATABLE.contains(code))) {
      throw failure;
    }
    if (repeats == farm.bounds.repeats()) {
      throw new RequestException(
          failure.getMessage() + " (sent " + (repeats + 1) + " times)", code);
    }
    repeats++;
    anew |= hasResult;
    phase.forget();
  }

  private CompletableFuture<Result> attempt(Server server, Calls calls) {
    farm.answered = true;
    if (!server.executes()) {
      return CompletableFuture.failedFuture(
          new IOException("it does not run commands; name a server that does in KCACHE_EXECUTOR"));
    }
    Storage storage = new Storage(farm.address, server, calls);
    if (anew || phase.operation().isPresent()) {
      return execute(storage);
    }
    return remembered(storage)
        .thenCompose(
            found ->
                found.isPresent() ? read(storage, found.get(), false, true) : execute(storage));
  }

  /** Returns the result of an earlier run. One that failed may have lacked something. */
  private CompletableFuture<Optional<ActionResult>> remembered(Storage storage) {
    return storage
        .calls()
        .unary(
            ActionCacheGrpc.getGetActionResultMethod(),
            GetActionResultRequest.newBuilder()
                .setInstanceName(farm.address.instance())
                .setActionDigest(action.digest())
                .setInlineStdout(true)
                .setInlineStderr(true)
                .addAllInlineOutputFiles(command.outputs())
                .build())
        .thenApply(
            result -> {
              phase.answered();
              anew = result.getExitCode() != 0;
              return anew ? Optional.<ActionResult>empty() : Optional.of(result);
            })
        .exceptionallyCompose(
            failure ->
                Failures.has(failure, Code.NOT_FOUND)
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletableFuture<Result> execute(Storage storage) {
    AtomicReference<Operation> last = new AtomicReference<>();
    Optional<String> operation = phase.operation();
    CompletableFuture<Void> followed =
        operation.isPresent()
            ? storage.calls().stream(
                ExecutionGrpc.getWaitExecutionMethod(),
                WaitExecutionRequest.newBuilder().setName(operation.get()).build(),
                news -> follow(news, last))
            : storage.upload(action.blobs()).thenCompose(uploaded -> submit(storage, last));
    return followed
        .thenApply(ended -> Optional.<Throwable>empty())
        .exceptionally(Optional::of)
        .thenCompose(
            failure -> {
              Operation news = last.get();
              return news != null && news.getDone()
                  ? finish(storage, news)
                  : CompletableFuture.failedFuture(
                      failure.orElseGet(
                          () ->
                              Status.UNAVAILABLE
                                  .withDescription("an answer without a result")
                                  .asRuntimeException()));
            });
  }

  private CompletableFuture<Void> submit(Storage storage, AtomicReference<Operation> last) {
    phase.submitted();
    return storage.calls().stream(
        ExecutionGrpc.getExecuteMethod(),
        ExecuteRequest.newBuilder()
            .setInstanceName(farm.address.instance())
            .setSkipCacheLookup(anew)
            .setActionDigest(action.digest())
            .setInlineStdout(true)
            .setInlineStderr(true)
            .addAllInlineOutputFiles(command.outputs())
            .build(),
        news -> follow(news, last));
  }

  private void follow(Operation news, AtomicReference<Operation> last) {
    phase.told(news);
    last.set(news);
  }

  private CompletableFuture<Result> finish(Storage storage, Operation done) {
    ended = true;
    ExecuteResponse response;
    try {
      response = done.getResponse().unpack(ExecuteResponse.class);
    } catch (InvalidProtocolBufferException e) {
      return CompletableFuture.failedFuture(
          Status.INTERNAL.withDescription("it ended with something else").asRuntimeException());
    }
    boolean timedOut = response.getStatus().getCode() == Code.DEADLINE_EXCEEDED.value();
    if (response.getStatus().getCode() != Code.OK.value() && !timedOut) {
      return CompletableFuture.failedFuture(Failures.of(response.getStatus()));
    }
    if (response.getCachedResult() && response.getResult().getExitCode() != 0 && !anew) {
      anew = true;
      ended = false;
      phase.forget();
      return execute(storage);
    }
    return read(storage, response.getResult(), timedOut, response.getCachedResult());
  }

  private CompletableFuture<Result> read(
      Storage storage, ActionResult result, boolean timedOut, boolean cached) {
    ended = true;
    hasResult = true;
    return new ExecutionResult(command, storage, result, timedOut).read(cached, phase.elapsed());
  }
}
