// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.ByteString;
import dev.kcache.reapi.proto.BatchUpdateBlobsRequest;
import dev.kcache.reapi.proto.BatchUpdateBlobsResponse;
import dev.kcache.reapi.proto.ContentAddressableStorageGrpc;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.FindMissingBlobsRequest;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The blobs of a server, for one request.
 *
 * @param calls that it makes
 */
record Storage(GrpcAddress address, Server server, Calls calls) {
  /** Uploads those of some blobs that the server does not have. */
  CompletableFuture<Void> upload(Collection<Blob> blobs) {
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
              return uploadAll(
                  blobs.stream().filter(blob -> missing.contains(blob.digest())).toList());
            });
  }

  private CompletableFuture<Void> uploadAll(List<Blob> blobs) {
    List<CompletableFuture<?>> uploads = new ArrayList<>();
    BatchLimit.Batch size = server.limit().newBatch();
    List<Blob> batch = new ArrayList<>();
    for (Blob blob : blobs) {
      if (!server.limit().fits(blob.digest())) {
        String name = "uploads/" + UUID.randomUUID() + "/" + name(blob.digest());
        uploads.add(calls.upload(address.resource(name), blob.data()));
        continue;
      }
      if (!size.add(blob.digest())) {
        uploads.add(uploadBatch(batch));
        batch = new ArrayList<>();
        size = server.limit().newBatch();
        size.add(blob.digest());
      }
      batch.add(blob);
    }
    if (!batch.isEmpty()) {
      uploads.add(uploadBatch(batch));
    }
    return CompletableFuture.allOf(uploads.toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> uploadBatch(List<Blob> batch) {
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

  /**
   * Reads a blob, which may be another one than its digest says.
   *
   * @param contents the blob, if the server has put it into an answer; else empty
   */
  CompletableFuture<ByteString> read(Digest digest, ByteString contents) {
    if (!contents.isEmpty() || digest.getSizeBytes() == 0) {
      return CompletableFuture.completedFuture(contents);
    }
    if (!server.limit().fits(digest)) {
      return calls.download(address.resource(name(digest)), digest.getSizeBytes());
    }
    CompletableFuture<ByteString> data = server.reader().read(digest);
    calls.whenCancelled(() -> data.cancel(false));
    return data;
  }

  private static String name(Digest digest) {
    return "blobs/" + digest.getHash() + "/" + digest.getSizeBytes();
  }
}
