// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.reapi.proto.ActionCacheGrpc;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.BatchUpdateBlobsRequest;
import dev.kcache.reapi.proto.BatchUpdateBlobsResponse;
import dev.kcache.reapi.proto.ContentAddressableStorageGrpc;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.FindMissingBlobsRequest;
import dev.kcache.reapi.proto.GetActionResultRequest;
import dev.kcache.reapi.proto.OutputFile;
import dev.kcache.reapi.proto.UpdateActionResultRequest;
import io.grpc.Context;
import io.grpc.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
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
    return ask(
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
    return data(server, calls, digest, file.get().getContents())
        .thenApply(data -> Blob.matches(digest, data) ? data.toByteArray() : new byte[0]);
  }

  private CompletableFuture<ByteString> data(
      Server server, Calls calls, Digest digest, ByteString contents) {
    if (!contents.isEmpty() || digest.getSizeBytes() == 0) {
      return CompletableFuture.completedFuture(contents);
    }
    if (!server.limit().fits(digest)) {
      return calls.download(address.resource(blobName(digest)), digest.getSizeBytes());
    }
    CompletableFuture<ByteString> data = server.reader().read(digest);
    calls.whenCancelled(() -> data.cancel(false));
    return data;
  }

  private static String blobName(Digest digest) {
    return "blobs/" + digest.getHash() + "/" + digest.getSizeBytes();
  }

  @Override
  public CompletableFuture<Void> put(String name, byte[] bytes) {
    return ask((server, calls) -> put(server, calls, name, bytes));
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
    return calls
        .unary(
            ContentAddressableStorageGrpc.getFindMissingBlobsMethod(),
            FindMissingBlobsRequest.newBuilder()
                .setInstanceName(address.instance())
                .addAllBlobDigests(blobs.stream().map(Blob::digest).toList())
                .build())
        .thenCompose(
            answer -> {
              Set<Digest> missing = new HashSet<>(answer.getMissingBlobDigestsList());
              return upload(
                  server,
                  calls,
                  blobs.stream().filter(blob -> missing.contains(blob.digest())).toList());
            })
        .thenCompose(uploaded -> update(calls, action, value))
        .thenAccept(updated -> {});
  }

  private CompletableFuture<Void> upload(Server server, Calls calls, List<Blob> blobs) {
    List<CompletableFuture<?>> uploads = new ArrayList<>();
    BatchLimit.Batch size = server.limit().newBatch();
    List<Blob> batch = new ArrayList<>();
    for (Blob blob : blobs) {
      if (size.add(blob.digest())) {
        batch.add(blob);
      } else {
        String name = "uploads/" + UUID.randomUUID() + "/" + blobName(blob.digest());
        uploads.add(calls.upload(address.resource(name), blob.data()));
      }
    }
    if (!batch.isEmpty()) {
      uploads.add(upload(calls, batch));
    }
    return CompletableFuture.allOf(uploads.toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> upload(Calls calls, List<Blob> batch) {
    BatchUpdateBlobsRequest.Builder request =
        BatchUpdateBlobsRequest.newBuilder().setInstanceName(address.instance());
    for (Blob blob : batch) {
      request.addRequests(
          BatchUpdateBlobsRequest.Request.newBuilder()
              .setDigest(blob.digest())
              .setData(blob.data()));
    }
    return calls
        .unary(ContentAddressableStorageGrpc.getBatchUpdateBlobsMethod(), request.build())
        .thenAccept(
            answer -> {
              for (BatchUpdateBlobsResponse.Response each : answer.getResponsesList()) {
                if (each.getStatus().getCode() != Status.Code.OK.value()) {
                  throw Failures.of(each.getStatus());
                }
              }
            });
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

  /** Whoever cancels what this returns ends the calls. */
  private <T> CompletableFuture<T> ask(BiFunction<Server, Calls, CompletableFuture<T>> work) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      // No caller waits until gRPC is loaded, or a value is hashed.
      connections.execute(() -> start(work, answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(new IOException("closed"));
    }
    return answer;
  }

  private <T> void start(
      BiFunction<Server, Calls, CompletableFuture<T>> work, CompletableFuture<T> answer) {
    try {
      connections
          .use()
          .ifPresentOrElse(
              connection -> start(connection, work, answer),
              () -> answer.completeExceptionally(new IOException("closed")));
    } catch (RuntimeException | LinkageError e) {
      answer.completeExceptionally(new IOException("gRPC can't be used: " + e, e));
    }
  }

  private <T> void start(
      Connection connection,
      BiFunction<Server, Calls, CompletableFuture<T>> work,
      CompletableFuture<T> answer) {
    Context.CancellableContext context = Context.ROOT.withCancellation();
    var unused =
        answer.whenComplete(
            (value, failure) -> {
              context.cancel(null);
              connections.release(connection, failure != null);
            });
    var unusedToo =
        connection
            .server()
            .thenCompose(server -> work.apply(server, new Calls(server.channel(), context)))
            .whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    answer.complete(value);
                  } else {
                    answer.completeExceptionally(
                        new IOException(address.withoutCredentials(Failures.line(failure))));
                  }
                });
  }

  @Override
  public void close() {
    connections.close();
  }
}
