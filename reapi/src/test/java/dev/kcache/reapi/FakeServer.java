// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.ByteString;
import dev.kcache.reapi.proto.ActionCacheGrpc;
import dev.kcache.reapi.proto.ActionCacheUpdateCapabilities;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.BatchReadBlobsRequest;
import dev.kcache.reapi.proto.BatchReadBlobsResponse;
import dev.kcache.reapi.proto.BatchUpdateBlobsRequest;
import dev.kcache.reapi.proto.BatchUpdateBlobsResponse;
import dev.kcache.reapi.proto.BlobStatus;
import dev.kcache.reapi.proto.ByteStreamGrpc;
import dev.kcache.reapi.proto.CacheCapabilities;
import dev.kcache.reapi.proto.CapabilitiesGrpc;
import dev.kcache.reapi.proto.ContentAddressableStorageGrpc;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.DigestFunction;
import dev.kcache.reapi.proto.FindMissingBlobsRequest;
import dev.kcache.reapi.proto.FindMissingBlobsResponse;
import dev.kcache.reapi.proto.GetActionResultRequest;
import dev.kcache.reapi.proto.GetCapabilitiesRequest;
import dev.kcache.reapi.proto.OutputFile;
import dev.kcache.reapi.proto.ReadRequest;
import dev.kcache.reapi.proto.ReadResponse;
import dev.kcache.reapi.proto.ServerCapabilities;
import dev.kcache.reapi.proto.UpdateActionResultRequest;
import dev.kcache.reapi.proto.WriteRequest;
import dev.kcache.reapi.proto.WriteResponse;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server of the Remote Execution API on loopback, which does what a test wants. */
final class FakeServer implements AutoCloseable {
  /** Of a blob that is read as a stream. */
  private static final int PART = 1 << 16;

  final Map<Digest, ByteString> blobs = new ConcurrentHashMap<>();
  final Map<Digest, ActionResult> results = new ConcurrentHashMap<>();

  /** The methods that were called, and the headers of each call. */
  final List<String> calls = new CopyOnWriteArrayList<>();

  final List<Metadata> headers = new CopyOnWriteArrayList<>();

  /** How methods fail. */
  final Map<String, Status> failures = new ConcurrentHashMap<>();

  /** The methods that never answer. */
  final Map<String, CountDownLatch> hanging = new ConcurrentHashMap<>();

  /** What happens before a method answers. */
  final Map<String, Runnable> before = new ConcurrentHashMap<>();

  final Semaphore hung = new Semaphore(0);

  volatile ServerCapabilities capabilities = capabilities(0, true);
  volatile boolean inlines;

  /** Sent in the place of each blob. */
  volatile @Nullable ByteString wrong;

  /** How much of a blob is taken before the server says that it has it. */
  volatile int readUpTo = Integer.MAX_VALUE;

  /** Runs commands, if a test has it. */
  final FakeExecution execution = new FakeExecution(this);

  private final Server server;

  FakeServer() throws IOException {
    this(null);
  }

  FakeServer(@Nullable SslContext tls) throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Capabilities())
            .addService(new ActionCache())
            .addService(new Storage())
            .addService(new ByteStream())
            .addService(execution)
            .addService(execution.operations())
            .intercept(new Watcher());
    server = (tls == null ? builder : builder.sslContext(tls)).build().start();
  }

  static ServerCapabilities capabilities(long batch, boolean writable) {
    return ServerCapabilities.newBuilder()
        .setCacheCapabilities(
            CacheCapabilities.newBuilder()
                .addDigestFunctions(DigestFunction.Value.SHA256)
                .setMaxBatchTotalSizeBytes(batch)
                .setActionCacheUpdateCapabilities(
                    ActionCacheUpdateCapabilities.newBuilder().setUpdateEnabled(writable)))
        .build();
  }

  int port() {
    return server.getPort();
  }

  String url() {
    return "grpc://127.0.0.1:" + port();
  }

  long count(String method) {
    return calls.stream().filter(method::equals).count();
  }

  /** Has a method never answer; the latch opens when the client cancels. */
  CountDownLatch hang(String method) {
    CountDownLatch cancelled = new CountDownLatch(1);
    hanging.put(method, cancelled);
    return cancelled;
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Watcher implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
      String method = String.valueOf(call.getMethodDescriptor().getBareMethodName());
      calls.add(method);
      headers.add(metadata);
      CountDownLatch cancelled = hanging.get(method);
      if (cancelled != null) {
        hung.release();
        return new ServerCall.Listener<>() {
          @Override
          public void onCancel() {
            cancelled.countDown();
          }
        };
      }
      Status failure = failures.get(method);
      if (failure != null) {
        call.close(failure, new Metadata());
        return new ServerCall.Listener<>() {};
      }
      before.getOrDefault(method, () -> {}).run();
      return next.startCall(call, metadata);
    }
  }

  private static <T> void answer(StreamObserver<T> client, T message) {
    client.onNext(message);
    client.onCompleted();
  }

  private final class Capabilities extends CapabilitiesGrpc.CapabilitiesImplBase {
    @Override
    public void getCapabilities(
        GetCapabilitiesRequest request, StreamObserver<ServerCapabilities> client) {
      answer(client, capabilities);
    }
  }

  private final class ActionCache extends ActionCacheGrpc.ActionCacheImplBase {
    @Override
    public void getActionResult(
        GetActionResultRequest request, StreamObserver<ActionResult> client) {
      ActionResult result = results.get(request.getActionDigest());
      if (result == null) {
        client.onError(Status.NOT_FOUND.asRuntimeException());
      } else {
        answer(client, inlines ? inlined(result, request.getInlineOutputFilesList()) : result);
      }
    }

    private ActionResult inlined(ActionResult result, List<String> names) {
      ActionResult.Builder inlined = result.toBuilder();
      for (OutputFile.Builder file : inlined.getOutputFilesBuilderList()) {
        if (names.contains(file.getPath())) {
          file.setContents(sent(file.getDigest()));
        }
      }
      return inlined.build();
    }

    @Override
    public void updateActionResult(
        UpdateActionResultRequest request, StreamObserver<ActionResult> client) {
      results.put(request.getActionDigest(), request.getActionResult());
      answer(client, request.getActionResult());
    }
  }

  private ByteString sent(Digest digest) {
    ByteString other = wrong;
    return other == null ? blobs.getOrDefault(digest, ByteString.EMPTY) : other;
  }

  private final class Storage
      extends ContentAddressableStorageGrpc.ContentAddressableStorageImplBase {
    @Override
    public void findMissingBlobs(
        FindMissingBlobsRequest request, StreamObserver<FindMissingBlobsResponse> client) {
      answer(
          client,
          FindMissingBlobsResponse.newBuilder()
              .addAllMissingBlobDigests(
                  request.getBlobDigestsList().stream()
                      .filter(digest -> !blobs.containsKey(digest))
                      .toList())
              .build());
    }

    @Override
    public void batchUpdateBlobs(
        BatchUpdateBlobsRequest request, StreamObserver<BatchUpdateBlobsResponse> client) {
      if (refuses(
          request.getRequestsList().stream().mapToLong(each -> each.getData().size()).sum())) {
        client.onError(Status.INVALID_ARGUMENT.withDescription("a long batch").asException());
        return;
      }
      BatchUpdateBlobsResponse.Builder response = BatchUpdateBlobsResponse.newBuilder();
      for (BatchUpdateBlobsRequest.Request each : request.getRequestsList()) {
        boolean sound = Blob.matches(each.getDigest(), each.getData());
        if (sound) {
          blobs.put(each.getDigest(), each.getData());
        }
        response.addResponses(
            BatchUpdateBlobsResponse.Response.newBuilder()
                .setDigest(each.getDigest())
                .setStatus(status(sound ? Status.Code.OK : Status.Code.INVALID_ARGUMENT)));
      }
      answer(client, response.build());
    }

    private boolean refuses(long size) {
      long limit = capabilities.getCacheCapabilities().getMaxBatchTotalSizeBytes();
      return limit > 0 && size > limit;
    }

    @Override
    public void batchReadBlobs(
        BatchReadBlobsRequest request, StreamObserver<BatchReadBlobsResponse> client) {
      if (refuses(request.getDigestsList().stream().mapToLong(Digest::getSizeBytes).sum())) {
        client.onError(Status.INVALID_ARGUMENT.withDescription("a long batch").asException());
        return;
      }
      BatchReadBlobsResponse.Builder response = BatchReadBlobsResponse.newBuilder();
      for (Digest each : request.getDigestsList()) {
        response.addResponses(
            BatchReadBlobsResponse.Response.newBuilder()
                .setDigest(each)
                .setData(sent(each))
                .setStatus(
                    status(blobs.containsKey(each) ? Status.Code.OK : Status.Code.NOT_FOUND)));
      }
      answer(client, response.build());
    }
  }

  private static BlobStatus.Builder status(Status.Code code) {
    return BlobStatus.newBuilder().setCode(code.value()).setMessage("the status of one");
  }

  private final class ByteStream extends ByteStreamGrpc.ByteStreamImplBase {
    @Override
    public void read(ReadRequest request, StreamObserver<ReadResponse> client) {
      Digest digest = digest(request.getResourceName(), "blobs/");
      if (!blobs.containsKey(digest)) {
        client.onError(Status.NOT_FOUND.asException());
        return;
      }
      ByteString data = sent(digest);
      for (int at = 0; at < data.size(); at += PART) {
        client.onNext(
            ReadResponse.newBuilder()
                .setData(data.substring(at, Math.min(data.size(), at + PART)))
                .build());
      }
      client.onCompleted();
    }

    private Digest digest(String resource, String prefix) {
      String[] parts = resource.replaceFirst("^" + prefix, "").split("/", -1);
      return Digest.newBuilder().setHash(parts[0]).setSizeBytes(Long.parseLong(parts[1])).build();
    }

    @Override
    public StreamObserver<WriteRequest> write(StreamObserver<WriteResponse> client) {
      return new StreamObserver<>() {
        private String resource = "";
        private ByteString data = ByteString.EMPTY;
        private boolean answered;

        @Override
        public void onNext(WriteRequest request) {
          if (answered) {
            return;
          }
          if (data.isEmpty()) {
            resource = request.getResourceName();
          }
          if (request.getWriteOffset() != data.size()) {
            client.onError(Status.INVALID_ARGUMENT.withDescription("an offset").asException());
          }
          data = data.concat(request.getData());
          if (request.getFinishWrite() || data.size() >= readUpTo) {
            answered = true;
            Digest digest = digest(resource, "uploads/[0-9a-f-]{36}/blobs/");
            long committed = data.size();
            if (!request.getFinishWrite()) {
              // As if somebody else had written it meanwhile.
              committed = digest.getSizeBytes();
            }
            blobs.put(digest, data);
            answer(client, WriteResponse.newBuilder().setCommittedSize(committed).build());
          }
        }

        @Override
        public void onError(Throwable failure) {
          answered = true;
        }

        @Override
        public void onCompleted() {
          if (!answered) {
            client.onError(Status.INVALID_ARGUMENT.withDescription("not finished").asException());
          }
        }
      };
    }
  }
}
