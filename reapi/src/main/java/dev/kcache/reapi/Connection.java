// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.reapi.proto.CapabilitiesGrpc;
import dev.kcache.reapi.proto.GetCapabilitiesRequest;
import dev.kcache.reapi.proto.ServerCapabilities;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A channel, and the server at its end once that has said what it can. */
final class Connection {
  private final String instance;
  private final CompletableFuture<ManagedChannel> channel;
  private final Context.CancellableContext asking = Context.ROOT.withCancellation();
  private final CompletableFuture<Server> server;

  /** How many requests use it, by the lock of {@link Connections}. */
  int users;

  /**
   * Connects.
   *
   * @param instance of the server
   */
  Connection(String instance, CompletableFuture<ManagedChannel> channel) {
    this.instance = instance;
    this.channel = channel;
    server = channel.thenCompose(this::ask);
  }

  private CompletionStage<Server> ask(ManagedChannel open) {
    GetCapabilitiesRequest request =
        GetCapabilitiesRequest.newBuilder().setInstanceName(instance).build();
    return new Calls(open, asking)
        .unary(CapabilitiesGrpc.getGetCapabilitiesMethod(), request)
        .thenApply(answer -> accept(open, answer))
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(explained(failure)));
  }

  private Server accept(ManagedChannel open, ServerCapabilities answer) {
    try {
      return Server.of(open, instance, answer);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  /** A server can't say in a code of its own that it does not know an instance. */
  private Throwable explained(Throwable failure) {
    return Failures.has(failure, Status.Code.NOT_FOUND, Status.Code.INVALID_ARGUMENT)
        ? new IOException(
            "%s; does it have the instance '%s'?".formatted(Failures.line(failure), instance))
        : failure;
  }

  CompletableFuture<Server> server() {
    return server;
  }

  /** Closes it, since nobody uses it any more. */
  void retire() {
    var unused = end(ManagedChannel::shutdown);
  }

  /** Ends all calls; the future is done when each of them is told so. */
  CompletableFuture<Void> close() {
    return end(ManagedChannel::shutdownNow);
  }

  private CompletableFuture<Void> end(Consumer<ManagedChannel> how) {
    if (!server.isDone()) {
      asking.cancel(null);
    }
    return channel.thenAccept(how);
  }

  /** Returns whether nothing is left of it. */
  boolean isOver() {
    return channel.isCompletedExceptionally()
        || (channel.isDone() && channel.join().isTerminated());
  }
}
