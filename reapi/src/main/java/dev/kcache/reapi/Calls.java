// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.ByteString;
import dev.kcache.reapi.proto.ByteStreamGrpc;
import dev.kcache.reapi.proto.ReadRequest;
import dev.kcache.reapi.proto.ReadResponse;
import dev.kcache.reapi.proto.WriteRequest;
import dev.kcache.reapi.proto.WriteResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls that one request makes. They end when its context is cancelled. The futures fail with
 * what gRPC throws.
 */
final class Calls {
  private static final int CHUNK = 256 << 10;

  private final Channel channel;
  private final Context context;

  Calls(Channel channel, Context context) {
    this.channel = channel;
    this.context = context;
  }

  void whenCancelled(Runnable task) {
    context.addListener(cancelled -> task.run(), Runnable::run);
  }

  <Q, A> CompletableFuture<A> unary(MethodDescriptor<Q, A> method, Q request) {
    Single<Q, A> answer = new Single<>();
    context.run(() -> ClientCalls.asyncUnaryCall(call(method), request, answer));
    return answer.future;
  }

  /**
   * Reads messages until the server sends no more; the future is done then.
   *
   * @param each called with one at a time; if it throws, the call is cancelled
   */
  <Q, A> CompletableFuture<Void> stream(
      MethodDescriptor<Q, A> method, Q request, Consumer<A> each) {
    Stream<Q, A> stream = new Stream<>(each);
    context.run(() -> ClientCalls.asyncServerStreamingCall(call(method), request, stream));
    return stream.future;
  }

  private <Q, A> ClientCall<Q, A> call(MethodDescriptor<Q, A> method) {
    return channel.newCall(method, CallOptions.DEFAULT);
  }

  /**
   * Reads a resource, but no further than it takes to see that it has more than {@code size} bytes.
   */
  CompletableFuture<ByteString> download(String resource, long size) {
    Download download = new Download(size);
    ReadRequest request = ReadRequest.newBuilder().setResourceName(resource).build();
    context.run(
        () ->
            ClientCalls.asyncServerStreamingCall(
                call(ByteStreamGrpc.getReadMethod()), request, download));
    return download.future;
  }

  CompletableFuture<Void> upload(String resource, ByteString data) {
    Upload upload = new Upload(resource, data);
    context.run(
        () -> ClientCalls.asyncClientStreamingCall(call(ByteStreamGrpc.getWriteMethod()), upload));
    return upload.future;
  }

  /** Has an answer's failure in a future. */
  private abstract static class Answer<Q, A, T> implements ClientResponseObserver<Q, A> {
    final CompletableFuture<T> future = new CompletableFuture<>();

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> requests) {}

    @Override
    public void onError(Throwable failure) {
      future.completeExceptionally(failure);
    }
  }

  /** One message. */
  private static final class Single<Q, A> extends Answer<Q, A, A> {
    private @Nullable A answer;

    @Override
    public void onNext(A message) {
      answer = message;
    }

    @Override
    public void onCompleted() {
      if (answer == null) {
        onError(Status.INTERNAL.withDescription("an empty answer").asRuntimeException());
      } else {
        future.complete(answer);
      }
    }
  }

  /** Any number of messages. */
  private static final class Stream<Q, A> extends Answer<Q, A, Void> {
    private final Consumer<A> each;

    Stream(Consumer<A> each) {
      this.each = each;
    }

    @Override
    public void onNext(A message) {
      each.accept(message);
    }

    @Override
    public void onCompleted() {
      future.complete(null);
    }
  }

  /** Parts of a blob. */
  private static final class Download extends Answer<ReadRequest, ReadResponse, ByteString> {
    private final long size;
    private @Nullable ClientCallStreamObserver<ReadRequest> call;
    private ByteString read = ByteString.EMPTY;

    Download(long size) {
      this.size = size;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<ReadRequest> requests) {
      call = requests;
    }

    @Override
    public void onNext(ReadResponse message) {
      if (future.isDone()) {
        return;
      }
      read = read.concat(message.getData());
      if (read.size() > size) {
        onCompleted();
        if (call != null) {
          call.cancel("more than its digest says", null);
        }
      }
    }

    @Override
    public void onCompleted() {
      future.complete(read);
    }
  }

  /** Sends as fast as the server takes it, so that a blob isn't a second time in memory. */
  private static final class Upload extends Answer<WriteRequest, WriteResponse, Void> {
    private final String resource;
    private final ByteString data;
    private int sent;
    private boolean finished;
    private long committed;

    Upload(String resource, ByteString data) {
      this.resource = resource;
      this.data = data;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<WriteRequest> requests) {
      requests.setOnReadyHandler(() -> send(requests));
    }

    private void send(ClientCallStreamObserver<WriteRequest> requests) {
      while (!finished && requests.isReady()) {
        int end = Math.min(data.size(), sent + CHUNK);
        finished = end == data.size();
        WriteRequest.Builder request =
            WriteRequest.newBuilder()
                .setWriteOffset(sent)
                .setData(data.substring(sent, end))
                .setFinishWrite(finished);
        if (sent == 0) {
          request.setResourceName(resource);
        }
        requests.onNext(request.build());
        sent = end;
        if (finished) {
          requests.onCompleted();
        }
      }
    }

    @Override
    public void onNext(WriteResponse message) {
      committed = message.getCommittedSize();
    }

    /** Early, if somebody else has written the blob meanwhile: then gRPC sends no more. */
    @Override
    public void onCompleted() {
      // Minus one: it is there, however much of it was sent.
      if (committed == data.size() || committed == -1) {
        future.complete(null);
      } else {
        future.completeExceptionally(
            Status.DATA_LOSS
                .withDescription("took " + committed + " of " + data.size() + " bytes")
                .asRuntimeException());
      }
    }
  }
}
