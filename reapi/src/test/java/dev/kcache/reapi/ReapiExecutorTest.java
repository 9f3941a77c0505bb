// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static dev.kcache.reapi.FakeExecution.breaking;
import static dev.kcache.reapi.FakeExecution.ending;
import static dev.kcache.reapi.FakeExecution.failing;
import static dev.kcache.reapi.FakeExecution.staying;
import static dev.kcache.reapi.FakeExecution.succeeding;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.ExecuteOperationMetadata.Stage;
import dev.kcache.reapi.proto.ExecuteResponse;
import dev.kcache.reapi.proto.ExecutedActionMetadata;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.executor.CommandExecutor.Command;
import dev.kcache.toolchain.executor.CommandExecutor.Platform;
import dev.kcache.toolchain.executor.CommandExecutor.Result;
import io.grpc.Status;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Against a server that does what a test wants. */
@Timeout(120)
class ReapiExecutorTest {
  private static final Platform PLATFORM = new Platform(Map.of("container-image", "some"));
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration NONE = Duration.ZERO;
  private static final Command BRIEF =
      new Command(List.of("a"), Map.of(), List.of(), List.of(), Duration.ofSeconds(1), true);

  private final List<Long> pauses = new ArrayList<>();
  private final ExecutorService clients = Executors.newCachedThreadPool();
  private FakeServer server;
  private FakeExecution workers;
  private ReapiExecutor executor;

  @BeforeEach
  void start() throws IOException {
    server = new FakeServer();
    workers = server.execution;
    workers.enable();
    executor = open(ExecutionBounds.DEFAULT);
  }

  @AfterEach
  void stop() {
    executor.close();
    clients.shutdownNow();
    server.close();
  }

  private ReapiExecutor open(ExecutionBounds bounds) {
    return new ReapiExecutor(
        new Farm(
            GrpcAddress.of(URI.create(server.url()), Map.of()), PLATFORM, bounds, pauses::add));
  }

  private static ExecutionBounds bounds(Duration queue, Duration grace, Duration outage) {
    return new ExecutionBounds(queue, grace, outage, 3);
  }

  private static Command command(boolean remembered) {
    return new Command(
        List.of("/bin/cc", "-c"),
        Map.of("B", "2", "A", "1"),
        List.of(file("work/a.hip", "a"), file("work/b/c.h", "c"), file("d", "a")),
        List.of("out", "list"),
        LIMIT,
        remembered);
  }

  private static SourceFile file(String path, String content) {
    return new SourceFile(path, ByteBuffer.wrap(content.getBytes(UTF_8)));
  }

  private Result run() throws Exception {
    return executor.run(command(true));
  }

  private ActionResult result(String content) {
    return ActionResult.newBuilder()
        .addOutputFiles(workers.file("out", ByteString.copyFromUtf8(content)))
        .build();
  }

  private static String output(Result result) {
    return new String(result.outputs().getOrDefault("out", new byte[0]), UTF_8);
  }

  private void builds() throws Exception {
    workers.executing.add(succeeding(result("built")));
    assertThat(output(run())).isEqualTo("built");
  }

  private void awaitRunning() {
    while (executor.load().running() == 0) {
      Thread.onSpinWait();
    }
  }

  private void fails(String message) {
    assertThatThrownBy(this::run).isInstanceOf(IOException.class).hasMessageContaining(message);
  }

  @Test
  void command_isSentAsTheApiHasIt() throws Exception {
    workers.executing.add(
        succeeding(
            result("built").toBuilder()
                .addOutputFiles(workers.file("unwanted", ByteString.EMPTY))
                .setExitCode(3)
                .setStdoutRaw(ByteString.copyFromUtf8("printed"))
                .setStderrDigest(workers.file("e", ByteString.copyFromUtf8("wrong")).getDigest())
                .setExecutionMetadata(
                    ExecutedActionMetadata.newBuilder()
                        .setExecutionStartTimestamp(Timestamp.newBuilder().setSeconds(5))
                        .setExecutionCompletedTimestamp(Timestamp.newBuilder().setSeconds(7)))
                .build()));
    Result result = run();
    assertThat(output(result)).isEqualTo("built");
    assertThat(result.outputs()).containsOnlyKeys("out");
    assertThat(result.cached()).isFalse();
    assertThat(result.program().end()).isEqualTo(End.EXITED);
    assertThat(result.program().exitCode()).isEqualTo(3);
    assertThat(result.program().output()).isEqualTo("printed");
    assertThat(result.program().errors()).isEqualTo("wrong");
    assertThat(result.program().elapsed()).isEqualTo(Duration.ofSeconds(2));
    var action = workers.action(0);
    assertThat(action.getTimeout().getSeconds()).isEqualTo(600);
    assertThat(action.getDoNotCache()).isFalse();
    var sent = workers.command(action);
    assertThat(sent.getArgumentsList()).containsExactly("/bin/cc", "-c");
    assertThat(sent.getOutputPathsList()).containsExactly("list", "out");
    assertThat(sent.getEnvironmentVariablesList())
        .extracting(each -> each.getName() + each.getValue())
        .containsExactly("A1", "B2");
    assertThat(sent.getPlatform()).isEqualTo(action.getPlatform());
    assertThat(action.getPlatform().getPropertiesList())
        .singleElement()
        .extracting(each -> each.getName() + each.getValue())
        .isEqualTo("container-imagesome");
    var root = workers.directory(action.getInputRootDigest());
    assertThat(root.getFilesList()).extracting(each -> each.getName()).containsExactly("d");
    var work = workers.directory(root.getDirectories(0).getDigest());
    assertThat(work.getFiles(0).getDigest()).isEqualTo(root.getFiles(0).getDigest());
    assertThat(workers.directory(work.getDirectories(0).getDigest()).getFiles(0).getName())
        .isEqualTo("c.h");
    assertThat(executor.load().done()).isEqualTo(1);
  }

  @Test
  void remembered_isFoundAndNotRun() throws Exception {
    run();
    server.results.put(workers.requests.get(0).getActionDigest(), result("kept"));
    Result result = run();
    assertThat(output(result)).isEqualTo("kept");
    assertThat(result.cached()).isTrue();
    assertThat(workers.requests).hasSize(1);
    executor.run(command(false));
    assertThat(workers.requests).hasSize(2);
    assertThat(workers.requests.get(1).getSkipCacheLookup()).isTrue();
    assertThat(workers.action(1).getDoNotCache()).isTrue();
  }

  /** A worker may have lacked something. */
  @Test
  void rememberedFailure_isRunAnew() throws Exception {
    run();
    server.results.put(
        workers.requests.get(0).getActionDigest(),
        ActionResult.newBuilder().setExitCode(1).build());
    builds();
    assertThat(workers.requests.get(1).getSkipCacheLookup()).isTrue();
    server.results.clear();
    workers.executing.add(
        ending(
            ExecuteResponse.newBuilder()
                .setCachedResult(true)
                .setResult(ActionResult.newBuilder().setExitCode(1))));
    workers.executing.add(succeeding(result("again")));
    assertThat(output(run())).isEqualTo("again");
  }

  @Test
  void rememberedResultWithoutItsBlob_isRunAnew() throws Exception {
    run();
    ActionResult lost = result("lost");
    server.results.put(workers.requests.get(0).getActionDigest(), lost);
    server.blobs.remove(lost.getOutputFiles(0).getDigest());
    builds();
    assertThat(workers.requests.get(1).getSkipCacheLookup()).isTrue();
  }

  @Test
  void fileWithOtherBytes_isRefused() {
    workers.executing.addAll(Collections.nCopies(4, succeeding(result("built"))));
    server.wrong = ByteString.copyFromUtf8("other");
    fails("DATA_LOSS: its answer has other bytes for 'out' than their digest says (sent 4 times)");
  }

  @Test
  void equalFiles_areUploadedOnce() throws Exception {
    run();
    run();
    // Three directories, two contents, a command and an action.
    assertThat(server.blobs).hasSize(7);
    assertThat(server.count("BatchUpdateBlobs")).isEqualTo(1);
  }

  @Test
  void manyFiles_goInFewMessages() throws Exception {
    List<SourceFile> files = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      files.add(file("medium" + i, Integer.toString(i).repeat(3 << 19)));
    }
    files.add(file("large", "l".repeat(5 << 20)));
    executor.run(new Command(List.of("a"), Map.of(), files, List.of(), LIMIT, true));
    assertThat(server.count("BatchUpdateBlobs")).isEqualTo(2);
    assertThat(server.count("Write")).isEqualTo(1);
    assertThat(server.blobs).hasSize(7);
  }

  @Test
  void lostConnection_isFollowedByName() throws Exception {
    workers.executing.add(breaking(Stage.EXECUTING));
    workers.waiting.add(breaking(Stage.EXECUTING));
    workers.waiting.add(succeeding(result("built")));
    assertThat(output(run())).isEqualTo("built");
    assertThat(workers.requests).hasSize(1);
    assertThat(workers.waits).containsExactly(FakeExecution.NAME, FakeExecution.NAME);
    assertThat(pauses.get(0)).isBetween(37L, 63L);
    assertThat(pauses.get(1)).isBetween(75L, 125L);
  }

  @Test
  void streamWithoutAResult_isFollowed() throws Exception {
    workers.executing.add(
        client -> {
          staying(Stage.QUEUED).to(client);
          client.onCompleted();
        });
    workers.waiting.add(succeeding(result("built")));
    assertThat(output(run())).isEqualTo("built");
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"NOT_FOUND", "UNIMPLEMENTED"})
  void operationThatNobodyKnows_isSentAnew(Status.Code code) throws Exception {
    workers.executing.add(breaking(Stage.EXECUTING));
    workers.waiting.add(failing(code.toStatus()));
    builds();
    assertThat(workers.requests).hasSize(2);
    // Another client's run of it would do.
    assertThat(workers.requests.get(1).getSkipCacheLookup()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"UNAVAILABLE", "ABORTED", "CANCELLED", "INTERNAL", "FAILED_PRECONDITION"})
  void workerThatFails_isReplacedAFewTimes(Status.Code code) throws Exception {
    workers.executing.addAll(Collections.nCopies(3, ending(code, "killed")));
    builds();
    workers.executing.addAll(Collections.nCopies(4, ending(code, "killed")));
    fails(code + ": killed (sent 4 times)");
    assertThat(workers.executing).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"RESOURCE_EXHAUSTED", "INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED"})
  void commandThatIsRefused_isNotSentAgain(Status.Code code) {
    workers.executing.add(ending(code, "no cc"));
    fails(code + ": no cc");
    assertThat(workers.requests).hasSize(1);
  }

  @Test
  void filesThatGotLost_areSentAgain() throws Exception {
    workers.executing.add(
        client -> {
          server.blobs.remove(workers.requests.get(0).getActionDigest());
          failing(Status.FAILED_PRECONDITION.withDescription("missing")).to(client);
        });
    builds();
    assertThat(server.count("BatchUpdateBlobs")).isEqualTo(2);
  }

  @Test
  void busyWorkers_areAskedUntilOneIsFree() throws Exception {
    workers.executing.addAll(
        Collections.nCopies(10, failing(Status.UNAVAILABLE.withDescription("all are busy"))));
    builds();
    assertThat(pauses.get(9)).isBetween(1200L, 2000L);
  }

  @Test
  void deadlineOfTheWorker_isAnExcess() throws Exception {
    workers.executing.add(
        ending(
            ExecuteResponse.newBuilder()
                .setResult(
                    ActionResult.newBuilder().setStdoutRaw(ByteString.copyFromUtf8("so far")))
                .setStatus(
                    dev.kcache.reapi.proto.BlobStatus.newBuilder()
                        .setCode(Status.Code.DEADLINE_EXCEEDED.value()))));
    Result result = run();
    assertThat(result.program().end()).isEqualTo(End.TIMED_OUT);
    assertThat(result.program().excess()).hasValue("did not end within 600 s and was ended");
    assertThat(result.program().output()).isEqualTo("so far");
    assertThat(result.program().exitCode()).isEqualTo(-1);
  }

  /** Whoever has no worker is told within the limit of a command. The connection is there. */
  private void isLeft(String message) throws Exception {
    run();
    server.results.put(workers.requests.get(0).getActionDigest(), result("kept"));
    try (ReapiExecutor hasty = open(bounds(LIMIT, NONE, LIMIT))) {
      hasty.run(command(true));
      assertThatThrownBy(() -> hasty.run(BRIEF))
          .isInstanceOf(IOException.class)
          .hasMessage(message);
    }
  }

  @Test
  void queueWithoutAWorker_isLeftAfterAWhile() throws Exception {
    workers.executing.add(succeeding(result("built")));
    workers.executing.add(staying(Stage.QUEUED));
    isLeft(
        "no worker took the command within 1 s; is there one with the platform"
            + " 'container-image=some'?");
    assertThat(workers.cancelled.take()).isEqualTo(FakeExecution.NAME);
  }

  /** Its workers are there, and busy with others' commands. */
  @Test
  void queueOfWorkersThatHaveRunSomething_isWaitedInForLonger() throws Exception {
    workers.executing.add(succeeding(result("built")));
    workers.executing.add(staying(Stage.QUEUED));
    try (ReapiExecutor patient = open(bounds(Duration.ofSeconds(2), NONE, LIMIT))) {
      patient.run(command(true));
      assertThatThrownBy(() -> patient.run(BRIEF))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("no worker took the command within 2 s");
    }
  }

  @Test
  void commandThatRunsLongerThanItsLimit_isLeftThough() throws Exception {
    workers.executing.add(succeeding(result("built")));
    workers.executing.add(staying(Stage.EXECUTING));
    try (ReapiExecutor hasty = open(bounds(LIMIT, NONE, LIMIT))) {
      hasty.run(command(true));
      Result result = hasty.run(BRIEF);
      assertThat(result.program().end()).isEqualTo(End.TIMED_OUT);
      assertThat(result.program().excess()).hasValue("did not end within 1 s and was ended");
      assertThat(result.cached()).isFalse();
    }
    assertThat(workers.action(1).getTimeout().getSeconds()).isEqualTo(600);
    assertThat(workers.cancelled.take()).isEqualTo(FakeExecution.NAME);
  }

  /** The command may be queued there, or be running. */
  @Test
  void serverThatTellsNoStage_isGivenBothTimes() throws Exception {
    workers.executing.add(succeeding(result("built")));
    workers.executing.add(staying(Stage.UNKNOWN));
    isLeft("no result within 2 s");
  }

  @Test
  void serverThatDoesNotAnswer_isLeftAfterAWhile() throws Exception {
    workers.executing.add(succeeding(result("built")));
    workers.executing.add(client -> {});
    isLeft("no answer within 1 s");
  }

  @Test
  void shortLimit_isNotThatOfTheQueueAlone() {
    assertThat(ExecutionBounds.DEFAULT.untilTaken(Duration.ofSeconds(5)))
        .isEqualTo(Duration.ofSeconds(35));
    assertThat(ExecutionBounds.DEFAULT.untilTaken(Duration.ofHours(5)))
        .isEqualTo(Duration.ofMinutes(10));
    assertThat(ExecutionBounds.DEFAULT.untilDone(Duration.ofSeconds(Long.MAX_VALUE)))
        .isEqualTo(Duration.ofDays(30).plusSeconds(30));
  }

  @Test
  void serverThatWasNeverThere_isNotAskedAgain() {
    server.close();
    fails("Connection refused");
    assertThat(pauses).isEmpty();
  }

  @Test
  void serverThatIsGone_isAskedForAWhile() throws Exception {
    try (ReapiExecutor hasty = open(bounds(LIMIT, NONE, Duration.ofNanos(-1)))) {
      hasty.run(command(true));
      workers.executing.add(breaking(Stage.EXECUTING));
      assertThatThrownBy(() -> hasty.run(command(false))).hasMessage("UNAVAILABLE: gone");
      assertThat(pauses).isEmpty();
    }
  }

  @Test
  void equalCommandsAtOnce_areOneAction() throws Exception {
    ActionResult built = result("built");
    workers.executing.add(workers.merging(2, built));
    workers.executing.add(workers.merging(2, built));
    try (ReapiExecutor other = open(ExecutionBounds.DEFAULT)) {
      Future<Result> one = clients.submit(this::run);
      Future<Result> two = clients.submit(() -> other.run(command(true)));
      assertThat(output(one.get())).isEqualTo("built");
      assertThat(output(two.get())).isEqualTo("built");
    }
    assertThat(workers.requests.get(0)).isEqualTo(workers.requests.get(1));
  }

  @Test
  void load_followsTheStages() throws Exception {
    workers.executing.add(staying(Stage.QUEUED));
    Future<Result> run = clients.submit(this::run);
    var client = workers.clients.take();
    assertThat(executor.load().queued()).isEqualTo(1);
    staying(Stage.EXECUTING).to(client);
    awaitRunning();
    assertThat(executor.load().queued()).isZero();
    succeeding(result("built")).to(client);
    run.get();
    assertThat(executor.load()).isEqualTo(new dev.kcache.toolchain.ExecutorLoad(0, 0, 1));
  }

  @Test
  void interrupt_cancelsTheCommand() throws Exception {
    workers.executing.add(staying(Stage.EXECUTING));
    CountDownLatch interrupted = new CountDownLatch(1);
    Future<?> run =
        clients.submit(
            () -> {
              try {
                return run();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });
    awaitRunning();
    run.cancel(true);
    interrupted.await();
    assertThat(workers.cancelled.take()).isEqualTo(FakeExecution.NAME);
    assertThat(executor.load().running()).isZero();
  }

  @Test
  void close_endsCommands() throws Exception {
    workers.executing.add(staying(Stage.EXECUTING));
    Future<Result> run = clients.submit(this::run);
    awaitRunning();
    executor.close();
    assertThat(workers.cancelled.take()).isEqualTo(FakeExecution.NAME);
    assertThatThrownBy(run::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(IOException.class)
        .hasMessage("closed");
    fails("closed");
    executor.close();
  }

  @Test
  void serverWithoutExecution_isNamed() {
    server.capabilities = FakeServer.capabilities(0, true);
    fails("it does not run commands; name a server that does in KCACHE_EXECUTOR");
  }

  @Test
  void credentialsThatLack_areNamed() {
    server.failures.put("Execute", Status.UNAUTHENTICATED);
    fails("UNAUTHENTICATED; set what it asks for in KCACHE_GRPC_HEADERS");
    server.failures.put("GetCapabilities", Status.NOT_FOUND);
    fails("does it have the instance ''?");
  }

  @Test
  void hugeOutput_isNotRead() throws Exception {
    ActionResult huge =
        ActionResult.newBuilder()
            .setStdoutDigest(Blob.EMPTY.digest().toBuilder().setSizeBytes(64_000_001))
            .build();
    workers.executing.add(succeeding(huge));
    assertThat(run().program().end()).isEqualTo(End.PRINTED_TOO_MUCH);
    ActionResult.Builder large = result("built").toBuilder();
    large.getOutputFilesBuilder(0).getDigestBuilder().setSizeBytes(64_000_001);
    workers.executing.add(succeeding(large.build()));
    assertThat(run().program().end()).isEqualTo(End.WROTE_TOO_MUCH);
  }

  @Test
  void longText_hasABeginningAndAnEnd() throws Exception {
    ByteString text = ByteString.copyFromUtf8("a" + "b".repeat(2 << 20) + "c");
    workers.executing.add(
        succeeding(
            ActionResult.newBuilder()
                .setStdoutDigest(workers.file("o", text).getDigest())
                .build()));
    assertThat(run().program().output())
        .startsWith("ab")
        .contains("b\n[1048578 bytes left out]\nb")
        .endsWith("bc");
  }
}
