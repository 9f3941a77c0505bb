// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.ByteString;
import dev.kcache.reapi.proto.BatchReadBlobsRequest;
import dev.kcache.reapi.proto.BatchReadBlobsResponse;
import dev.kcache.reapi.proto.ContentAddressableStorageGrpc;
import dev.kcache.reapi.proto.Digest;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads small blobs. One batch is under way at a time; what is asked for meanwhile goes into the
 * next, so that nobody waits for a batch to fill, and many who ask at once share few of them.
 *
 * <p>Safe for use by any number of threads.
 */
final class BatchReader {
  private final Channel channel;
  private final String instance;
  private final BatchLimit limit;
  private final Queue<Read> waiting = new ArrayDeque<>();
  private boolean busy;

  BatchReader(Channel channel, String instance, BatchLimit limit) {
    this.channel = channel;
    this.instance = instance;
    this.limit = limit;
  }

  /** What somebody waits for. */
  private record Read(Digest digest, CompletableFuture<ByteString> data) {}

  /**
   * Reads a blob that fits into a batch. Whoever does not want it any longer cancels the future; a
   * batch that nobody waits for is cancelled.
   */
  CompletableFuture<ByteString> read(Digest digest) {
    Read read = new Read(digest, new CompletableFuture<>());
    synchronized (this) {
      waiting.add(read);
    }
    sendNext();
    return read.data();
  }

  private void sendNext() {
    List<Read> batch = new ArrayList<>();
    synchronized (this) {
      if (busy) {
        return;
      }
      BatchLimit.Batch size = limit.newBatch();
      waiting.removeIf(read -> read.data().isDone());
      while (!waiting.isEmpty() && size.add(waiting.element().digest())) {
        batch.add(waiting.remove());
      }
      busy = !batch.isEmpty();
    }
    if (!batch.isEmpty()) {
      send(batch);
    }
  }

  private void send(List<Read> batch) {
    Map<Digest, List<CompletableFuture<ByteString>>> readers = new LinkedHashMap<>();
    Context.CancellableContext context = Context.ROOT.withCancellation();
    AtomicInteger wanted = new AtomicInteger(batch.size());
    for (Read read : batch) {
      readers.computeIfAbsent(read.digest(), digest -> new ArrayList<>()).add(read.data());
      var unused =
          read.data()
              .whenComplete(
                  (data, failure) -> {
                    if (wanted.decrementAndGet() == 0) {
                      context.cancel(null);
                    }
                  });
    }
    BatchReadBlobsRequest request =
        BatchReadBlobsRequest.newBuilder()
            .setInstanceName(instance)
            .addAllDigests(readers.keySet())
            .build();
    var unused =
        new Calls(channel, context)
            .unary(ContentAddressableStorageGrpc.getBatchReadBlobsMethod(), request)
            .whenComplete(
                (answer, failure) -> {
                  synchronized (this) {
                    busy = false;
                  }
                  sendNext();
                  if (failure == null) {
                    deliver(answer, readers);
                  }
                  Throwable reason = failure == null ? withoutSome() : failure;
                  batch.forEach(read -> read.data().completeExceptionally(reason));
                });
  }

  private static void deliver(
      BatchReadBlobsResponse answer, Map<Digest, List<CompletableFuture<ByteString>>> readers) {
    for (BatchReadBlobsResponse.Response each : answer.getResponsesList()) {
      for (CompletableFuture<ByteString> data : readers.getOrDefault(each.getDigest(), List.of())) {
        if (each.getStatus().getCode() == Status.Code.OK.value()) {
          data.complete(each.getData());
        } else {
          data.completeExceptionally(Failures.of(each.getStatus()));
        }
      }
    }
  }

  private static Throwable withoutSome() {
    return Status.INTERNAL
        .withDescription("an answer without a blob that was asked for")
        .asRuntimeException();
  }
}
