// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.standin.LocalServer;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.executor.CommandExecutor.Command;
import dev.kcache.toolchain.executor.CommandExecutor.Platform;
import dev.kcache.toolchain.executor.CommandExecutor.Result;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a real server, whose workers run commands on this machine. */
@Tag("fleet")
@Timeout(240)
class CasdExecutorTest {
  private static final String[] WORKERS = {
    "--buildbox-run=/usr/bin/buildbox-run-hosttools", "--jobs=4"
  };
  private static final Platform PLATFORM = new Platform(Map.of());

  @TempDir static Path shared;
  @TempDir Path temp;
  private static CasdServer server;
  private static final ExecutorService CLIENTS = Executors.newCachedThreadPool();

  @BeforeAll
  static void start() throws IOException {
    server =
        new CasdServer(
            Files.createDirectory(shared.resolve("casd")), LocalServer.freePort(), WORKERS);
  }

  @AfterAll
  static void stop() {
    CLIENTS.shutdownNow();
    server.close();
  }

  private static ReapiExecutor open(String url) {
    return new ReapiExecutor(GrpcAddress.of(URI.create(url), Map.of()), PLATFORM);
  }

  private static Command command(String script, Duration limit, List<SourceFile> files) {
    return new Command(
        List.of("/bin/sh", "-c", script),
        Map.of("PATH", "/usr/bin:/bin", "WORD", "word"),
        files,
        List.of("out/result", "other"),
        limit,
        true);
  }

  private static Command command(String script) {
    return command(script, Duration.ofMinutes(2), List.of());
  }

  private static SourceFile file(String path, String content) {
    return new SourceFile(path, ByteBuffer.wrap(content.getBytes(UTF_8)));
  }

  /** Has a command tell, outside of its directory, how often it was run. */
  private static String counted(Path runs, String script) {
    return "echo run >> " + runs + "; " + script;
  }

  private static void awaitLines(Path file, int count) throws IOException {
    awaitFile(file);
    while (Files.readString(file).lines().count() < count) {
      Thread.onSpinWait();
    }
  }

  private static void awaitFile(Path file) {
    while (!Files.exists(file)) {
      Thread.onSpinWait();
    }
  }

  @Test
  void command_readsItsFilesAndWritesOthers() throws Exception {
    String script =
        """
        cat a.txt deep/er/b.txt > out/result
        echo $WORD
        echo wrong >&2
        exit 3
        """;
    List<SourceFile> files = List.of(file("deep/er/b.txt", "b"), file("a.txt", "a"));
    try (ReapiExecutor executor = open(server.url())) {
      Result result = executor.run(command(script, Duration.ofMinutes(2), files));
      assertThat(result.program().end()).isEqualTo(End.EXITED);
      assertThat(result.program().exitCode()).isEqualTo(3);
      assertThat(result.program().output()).isEqualTo("word\n");
      assertThat(result.program().errors()).isEqualTo("wrong\n");
      assertThat(result.outputs()).containsOnlyKeys("out/result");
      assertThat(result.outputs().get("out/result")).isEqualTo("ab".getBytes(UTF_8));
      assertThat(result.cached()).isFalse();
    }
  }

  @Test
  void secondRun_isAnsweredFromTheCache() throws Exception {
    Path runs = temp.resolve("runs");
    Command command = command(counted(runs, "printf 1 > other"));
    try (ReapiExecutor executor = open(server.url());
        ReapiExecutor another = open(server.url())) {
      assertThat(executor.run(command).cached()).isFalse();
      Result again = another.run(command);
      assertThat(again.cached()).isTrue();
      assertThat(again.outputs().get("other")).isEqualTo(new byte[] {'1'});
      assertThat(Files.readAllLines(runs)).hasSize(1);
      Command anew =
          new Command(
              command.arguments(),
              command.environment(),
              command.files(),
              command.outputs(),
              command.limit(),
              false);
      assertThat(another.run(anew).cached()).isFalse();
      assertThat(another.run(anew).cached()).isFalse();
      assertThat(Files.readAllLines(runs)).hasSize(3);
    }
  }

  /** This server looks into its cache when a worker is free: with several, both would be run. */
  @Test
  void equalCommandsAtOnce_areRunOnceByOneWorker() throws Exception {
    Path runs = temp.resolve("runs");
    Path gate = temp.resolve("gate");
    Command command =
        command(
            counted(runs, "while [ ! -e " + gate + " ]; do sleep 0.05; done; printf 1 > other"));
    try (CasdServer single =
            new CasdServer(
                Files.createDirectory(temp.resolve("single")),
                LocalServer.freePort(),
                WORKERS[0],
                "--jobs=1");
        ReapiExecutor one = open(single.url());
        ReapiExecutor two = open(single.url())) {
      Future<Result> first = CLIENTS.submit(() -> one.run(command));
      awaitFile(runs);
      Future<Result> second = CLIENTS.submit(() -> two.run(command));
      while (two.load().running() == 0) {
        Thread.onSpinWait();
      }
      Files.createFile(gate);
      assertThat(first.get().cached()).isFalse();
      assertThat(second.get().cached()).isTrue();
      assertThat(second.get().outputs().get("other")).isEqualTo(new byte[] {'1'});
      assertThat(Files.readAllLines(runs)).hasSize(1);
    }
  }

  /** This server does not tell whether a command waits, so that it gets both times. */
  @Test
  void commandThatTakesTooLong_isEnded() throws Exception {
    Path pid = temp.resolve("pid");
    ExecutionBounds bounds =
        new ExecutionBounds(Duration.ofMinutes(1), Duration.ofSeconds(1), Duration.ofMinutes(1), 3);
    Farm farm =
        new Farm(GrpcAddress.of(URI.create(server.url()), Map.of()), PLATFORM, bounds, Farm::sleep);
    Command command = command(sleeping(pid), Duration.ofMillis(500), List.of());
    try (ReapiExecutor executor = new ReapiExecutor(farm)) {
      assertThatThrownBy(() -> executor.run(command))
          .isInstanceOf(IOException.class)
          .hasMessage("no result within 3 s");
      awaitEnd(pid);
    }
  }

  private static String sleeping(Path pid) {
    return "echo $$ > " + pid + ".part; mv " + pid + ".part " + pid + "; exec sleep 600";
  }

  private static void awaitEnd(Path pid) throws IOException {
    long process = Long.parseLong(Files.readString(pid).strip());
    while (ProcessHandle.of(process).isPresent()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void interrupt_endsTheCommand() throws Exception {
    Path pid = temp.resolve("pid");
    try (ReapiExecutor executor = open(server.url())) {
      Future<Result> run = CLIENTS.submit(() -> executor.run(command(sleeping(pid))));
      awaitFile(pid);
      assertThat(ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))).isPresent();
      run.cancel(true);
      awaitEnd(pid);
    }
  }

  @Test
  void serverKilledInTheMiddle_runsTheCommandAgain() throws Exception {
    int port = LocalServer.freePort();
    Path kept = Files.createDirectory(temp.resolve("kept"));
    Path runs = temp.resolve("runs");
    Path gate = temp.resolve("gate");
    Command command =
        command(
            counted(runs, "while [ ! -e " + gate + " ]; do sleep 0.05; done; printf 1 > other"));
    try (ReapiExecutor executor = open("grpc://127.0.0.1:" + port)) {
      Future<Result> run;
      try (CasdServer killed = new CasdServer(kept, port, WORKERS)) {
        run = CLIENTS.submit(() -> executor.run(command));
        awaitFile(runs);
        assertThat(killed.url()).endsWith(":" + port);
      }
      Files.createFile(gate);
      try (CasdServer back = new CasdServer(kept, port, WORKERS)) {
        assertThat(run.get().outputs().get("other")).isEqualTo(new byte[] {'1'});
        assertThat(back.url()).endsWith(":" + port);
      }
      assertThat(Files.readAllLines(runs)).hasSize(2);
    }
  }

  @Test
  void workerKilledInTheMiddle_isReplaced() throws Exception {
    Path runs = temp.resolve("runs");
    Path gate = temp.resolve("gate");
    Command command =
        command(
            "echo $$ >> "
                + runs
                + "; while [ ! -e "
                + gate
                + " ]; do sleep 0.05; done; printf 1 > other");
    try (ReapiExecutor executor = open(server.url())) {
      Future<Result> run = CLIENTS.submit(() -> executor.run(command));
      awaitLines(runs, 1);
      long shell = Long.parseLong(Files.readAllLines(runs).get(0));
      ProcessHandle.of(shell).orElseThrow().parent().orElseThrow().destroyForcibly();
      awaitLines(runs, 2);
      Files.createFile(gate);
      assertThat(run.get().outputs().get("other")).isEqualTo(new byte[] {'1'});
    }
  }

  @Test
  void manySmallCommands_areRun() throws Exception {
    try (ReapiExecutor executor = open(server.url())) {
      List<Callable<Result>> commands = new ArrayList<>();
      for (int i = 0; i < 160; i++) {
        Command command = command("printf " + i + " > other");
        commands.add(() -> executor.run(command));
      }
      for (Future<Result> each : CLIENTS.invokeAll(commands)) {
        assertThat(each.get().program().succeeded()).isTrue();
      }
      executor.run(command("printf 7 > other"));
      assertThat(executor.load().done()).isEqualTo(161);
    }
  }

  @Test
  void unknownProgram_isToldByTheWorker() throws Exception {
    Command command =
        new Command(
            List.of("/no/such/program"),
            Map.of(),
            List.of(),
            List.of(),
            Duration.ofMinutes(1),
            true);
    try (ReapiExecutor executor = open(server.url())) {
      assertThatThrownBy(() -> executor.run(command))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("/no/such/program")
          .hasMessageNotContaining("times");
    }
  }

  @Test
  void serverWithoutWorkers_isNamed() throws Exception {
    try (CasdServer cache =
            new CasdServer(Files.createDirectory(temp.resolve("cache")), LocalServer.freePort());
        ReapiExecutor executor = open(cache.url())) {
      assertThatThrownBy(() -> executor.run(command("true")))
          .isInstanceOf(IOException.class)
          .hasMessage("it does not run commands; name a server that does in KCACHE_EXECUTOR");
    }
  }
}
