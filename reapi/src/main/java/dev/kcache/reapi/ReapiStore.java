// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.UnsafeByteOperations;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.reapi.proto.ActionCacheGrpc;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.GetActionResultRequest;
import dev.kcache.reapi.proto.OutputFile;
import dev.kcache.reapi.proto.UpdateActionResultRequest;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Values in the cache of a server that speaks the Remote Execution API: each is the one output file
 * of an action that has its name, so a result in the action cache and a blob in the storage.
 *
 * <p>A value that can't be the one that was written, since it is not what its digest says or no
 * such file, is an empty one here: the cache refuses that, and goes on asking for others. Safe for
 * use by any number of threads.
 */
final class ReapiStore implements RemoteStore {
  /** The one output file. */
  private static final String ENTRY = "entry";

  private final GrpcAddress address;
  private final Connections connections;

  ReapiStore(GrpcAddress address) {
    this.address = address;
    connections = new Connections(address);
  }

  @Override
  public String describe() {
    return address.shown();
  }

  @Override
  public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
    return connections.ask(
        (server, calls) ->
            found(
                calls
                    .unary(
                        ActionCacheGrpc.getGetActionResultMethod(),
                        GetActionResultRequest.newBuilder()
                            .setInstanceName(address.instance())
                            .setActionDigest(NamedAction.of(name).action().digest())
                            .addInlineOutputFiles(ENTRY)
                            .build())
                    .thenCompose(result -> value(server, calls, result, maxBytes))));
  }

  /** Nothing, if the server does not have the result, or not the blob any more. */
  private static CompletableFuture<Optional<byte[]>> found(CompletableFuture<byte[]> value) {
    return value
        .thenApply(Optional::of)
        .exceptionallyCompose(
            failure ->
                Failures.has(failure, Status.Code.NOT_FOUND)
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletionStage<byte[]> value(
      Server server, Calls calls, ActionResult result, int maxBytes) {
    Optional<OutputFile> file =
        result.getOutputFilesList().stream()
            .filter(each -> each.getPath().equals(ENTRY))
            .findFirst();
    Digest digest = file.map(OutputFile::getDigest).orElse(Digest.getDefaultInstance());
    if (!Blob.isDigest(digest)) {
      return CompletableFuture.completedFuture(new byte[0]);
    }
    if (digest.getSizeBytes() > maxBytes) {
      // Nobody looks at more than its length.
      return CompletableFuture.completedFuture(new byte[maxBytes + 1]);
    }
    return new Storage(address, server, calls)
        .read(digest, file.get().getContents())
        .thenApply(data -> Blob.matches(digest, data) ? data.toByteArray() : new byte[0]);
  }

  @Override
  public CompletableFuture<Void> put(String name, byte[] bytes) {
    return connections.ask((server, calls) -> put(server, calls, name, bytes));
  }

  private CompletableFuture<Void> put(Server server, Calls calls, String name, byte[] bytes) {
    if (!server.writable()) {
      return CompletableFuture.failedFuture(
          new IOException("its action cache can't be written by clients"));
    }
    NamedAction action = NamedAction.of(name);
    Blob value = Blob.of(UnsafeByteOperations.unsafeWrap(bytes));
    List<Blob> blobs =
        Stream.of(action.command(), action.action(), Blob.EMPTY, value).distinct().toList();
    return new Storage(address, server, calls)
        .upload(blobs)
        .thenCompose(uploaded -> update(calls, action, value))
        .thenAccept(updated -> {});
  }

  private CompletableFuture<ActionResult> update(Calls calls, NamedAction action, Blob value) {
    return calls.unary(
        ActionCacheGrpc.getUpdateActionResultMethod(),
        UpdateActionResultRequest.newBuilder()
            .setInstanceName(address.instance())
            .setActionDigest(action.action().digest())
            .setActionResult(
                ActionResult.newBuilder()
                    .addOutputFiles(
                        OutputFile.newBuilder().setPath(ENTRY).setDigest(value.digest())))
            .build());
  }

  @Override
  public void close() {
    connections.close();
  }
}
