// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.kcache.reapi.proto.Action;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.BlobStatus;
import dev.kcache.reapi.proto.CancelOperationRequest;
import dev.kcache.reapi.proto.Command;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.Directory;
import dev.kcache.reapi.proto.ExecuteOperationMetadata;
import dev.kcache.reapi.proto.ExecuteOperationMetadata.Stage;
import dev.kcache.reapi.proto.ExecuteRequest;
import dev.kcache.reapi.proto.ExecuteResponse;
import dev.kcache.reapi.proto.ExecutionCapabilities;
import dev.kcache.reapi.proto.ExecutionGrpc;
import dev.kcache.reapi.proto.Operation;
import dev.kcache.reapi.proto.OperationsGrpc;
import dev.kcache.reapi.proto.OutputFile;
import dev.kcache.reapi.proto.WaitExecutionRequest;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The workers of a {@link FakeServer}: a test says what each call that asks for a command does, one
 * after the other. Without such words a command succeeds at once.
 */
final class FakeExecution extends ExecutionGrpc.ExecutionImplBase {
  /** The only operation. */
  static final String NAME = "operations/1";

  /** What a call does: it may send messages, an end, both or neither. */
  interface Answer {
    void to(StreamObserver<Operation> client);
  }

  /** For calls of Execute, and of WaitExecution. */
  final Queue<Answer> executing = new ConcurrentLinkedQueue<>();

  final Queue<Answer> waiting = new ConcurrentLinkedQueue<>();

  final List<ExecuteRequest> requests = new CopyOnWriteArrayList<>();
  final List<String> waits = new CopyOnWriteArrayList<>();
  final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();

  /** Open calls. */
  final BlockingQueue<StreamObserver<Operation>> clients = new LinkedBlockingQueue<>();

  private final FakeServer server;

  /** The clients of the same action that is being run. */
  private final Map<Digest, List<StreamObserver<Operation>>> merged = new ConcurrentHashMap<>();

  FakeExecution(FakeServer server) {
    this.server = server;
  }

  /** Has the server say that it runs commands. */
  void enable() {
    server.capabilities =
        server.capabilities.toBuilder()
            .setExecutionCapabilities(ExecutionCapabilities.newBuilder().setExecEnabled(true))
            .build();
  }

  OperationsGrpc.OperationsImplBase operations() {
    return new OperationsGrpc.OperationsImplBase() {
      @Override
      public void cancelOperation(CancelOperationRequest request, StreamObserver<Empty> client) {
        cancelled.add(request.getName());
        client.onNext(Empty.getDefaultInstance());
        client.onCompleted();
      }
    };
  }

  @Override
  public void execute(ExecuteRequest request, StreamObserver<Operation> client) {
    requests.add(request);
    ((ServerCallStreamObserver<Operation>) client).setOnCancelHandler(() -> {});
    next(executing).to(client);
    clients.add(client);
  }

  @Override
  public void waitExecution(WaitExecutionRequest request, StreamObserver<Operation> client) {
    waits.add(request.getName());
    ((ServerCallStreamObserver<Operation>) client).setOnCancelHandler(() -> {});
    next(waiting).to(client);
    clients.add(client);
  }

  private static Answer next(Queue<Answer> answers) {
    Answer next = answers.poll();
    return next == null ? succeeding(ActionResult.getDefaultInstance()) : next;
  }

  /** Has calls of the same action wait, and the last of some end them all. */
  Answer merging(int expected, ActionResult result) {
    return client -> {
      Digest action = requests.get(requests.size() - 1).getActionDigest();
      List<StreamObserver<Operation>> all =
          merged.computeIfAbsent(action, absent -> new CopyOnWriteArrayList<>());
      all.add(client);
      staying(Stage.EXECUTING).to(client);
      if (all.size() == expected) {
        all.forEach(each -> succeeding(result).to(each));
      }
    };
  }

  static Answer staying(Stage stage) {
    return client -> client.onNext(at(stage).build());
  }

  static Answer failing(Status status) {
    return client -> client.onError(status.asRuntimeException());
  }

  /** Sends a stage, then ends the call as if the connection broke. */
  static Answer breaking(Stage stage) {
    return client -> {
      client.onNext(at(stage).build());
      client.onError(Status.UNAVAILABLE.withDescription("gone").asRuntimeException());
    };
  }

  static Answer succeeding(ActionResult result) {
    return ending(ExecuteResponse.newBuilder().setResult(result));
  }

  static Answer ending(Status.Code code, String message) {
    return ending(
        ExecuteResponse.newBuilder()
            .setStatus(BlobStatus.newBuilder().setCode(code.value()).setMessage(message)));
  }

  static Answer ending(ExecuteResponse.Builder response) {
    return client -> {
      client.onNext(
          at(Stage.COMPLETED).setDone(true).setResponse(Any.pack(response.build())).build());
      client.onCompleted();
    };
  }

  static Operation.Builder at(Stage stage) {
    return Operation.newBuilder()
        .setName(NAME)
        .setMetadata(Any.pack(ExecuteOperationMetadata.newBuilder().setStage(stage).build()));
  }

  /** Returns a file of a result, whose blob the server has. */
  OutputFile file(String path, ByteString content) {
    Blob blob = Blob.of(content);
    server.blobs.put(blob.digest(), content);
    return OutputFile.newBuilder().setPath(path).setDigest(blob.digest()).build();
  }

  Action action(int request) throws InvalidProtocolBufferException {
    return Action.parseFrom(server.blobs.get(requests.get(request).getActionDigest()));
  }

  Command command(Action action) throws InvalidProtocolBufferException {
    return Command.parseFrom(server.blobs.get(action.getCommandDigest()));
  }

  Directory directory(Digest digest) throws InvalidProtocolBufferException {
    return Directory.parseFrom(server.blobs.get(digest));
  }
}
