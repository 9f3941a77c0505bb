// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The machine's shell behind a fork server: it says and does what a test wants. */
@Timeout(120)
class ForkServerTest {
  private static final Path SHELL = Path.of("/bin/sh");
  private static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/bin:/bin");
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir static Path shared;

  /** Made by the machine's compiler. */
  private static Path library;

  /** A tool of LLVM. */
  private static Path compiler;

  @TempDir Path directory;
  private Path pid;
  private Staging staging;
  private ForkServer server;

  @BeforeAll
  static void makeTheLibrary() throws Exception {
    Variables variables = new Variables(System.getenv());
    Path program = DriverLocator.of(Platform.AMD, variables).locate();
    try (ProcessRunner runner = ProcessRunner.create(variables.searchPath())) {
      Hipcc hipcc = new Hipcc(program, variables, runner, () -> shared);
      DirectCommands commands =
          DirectCommands.of(hipcc.driverCommands(TargetId.parse("gfx90a"), List.of("-O3")))
              .orElseThrow();
      compiler = Path.of(commands.compiler().get(0)).toRealPath();
      try (Staging staging = hipcc.stage()) {
        Path made = new ForkServers(hipcc).library(commands, staging, LONG).orElseThrow();
        library = Files.copy(made, shared.resolve("fork-server.so"));
      }
    }
  }

  @BeforeEach
  void start() throws Exception {
    pid = directory.resolve("pid");
    staging = Staging.create(() -> directory);
    server = ForkServer.start(SHELL, library, ENVIRONMENT).orElseThrow();
  }

  @AfterEach
  void close() {
    server.close();
    staging.close();
  }

  private OptionalInt run(String script, Duration timeout, String... arguments) throws Exception {
    return run(staging, script, timeout, arguments);
  }

  private OptionalInt run(Staging place, String script, Duration timeout, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    command.addAll(List.of(arguments));
    return server.run(command, place, timeout);
  }

  private static String output(Staging place) {
    return BoundedText.read(place.beside("stdout"));
  }

  @Test
  void run_program_givesStatusAndBothStreams() throws Exception {
    OptionalInt status = run("pwd -P; echo \"$1$2\"; echo err >&2; exit 3", LONG, "", "a 'b'");

    assertThat(status).hasValue(3);
    assertThat(output(staging)).isEqualTo(staging.work().toRealPath() + "\na 'b'\n");
    assertThat(BoundedText.read(staging.beside("stderr"))).isEqualTo("err\n");
  }

  @Test
  void run_environment_isTheGivenAndNothingOfTheServer() throws Exception {
    assertThat(run("env | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^OLDPWD=' | sort", LONG)).hasValue(0);

    assertThat(output(staging))
        .isEqualTo("PATH=/usr/bin:/bin\nTMPDIR=" + staging.temporary() + "\n");
  }

  @Test
  void run_standardInput_isEmpty() throws Exception {
    assertThat(run("cat; echo end", LONG)).hasValue(0);

    assertThat(output(staging)).isEqualTo("end\n");
  }

  @Test
  void run_longArguments_arriveWhole() throws Exception {
    String argument = "x".repeat(100_000);

    assertThat(run("echo \"$1$2\"", LONG, argument, argument)).hasValue(0);

    assertThat(output(staging)).isEqualTo(argument + argument + "\n");
  }

  @Test
  void run_toolOfLlvm_isRunAgainByTheSameCopy() throws Exception {
    try (ForkServer clang = ForkServer.start(compiler, library, ENVIRONMENT).orElseThrow()) {
      List<String> printed = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        try (Staging own = Staging.create(() -> directory)) {
          assertThat(clang.run(List.of(compiler.toString(), "--version"), own, LONG)).hasValue(0);
          printed.add(output(own));
        }
      }

      assertThat(copies()).hasSize(1);
      assertThat(printed).allSatisfy(text -> assertThat(text).contains("clang version"));
      assertThat(Set.copyOf(printed)).hasSize(1);
    }
  }

  @Test
  void run_againAfterOtherSources_givesTheBytesOfANewProcess() throws Exception {
    Files.writeString(staging.work().resolve("a.cl"), "kernel void a(global int *x) { *x = 1; }");
    Files.writeString(
        staging.work().resolve("b.cl"), "kernel void b(global float *x) { *x /= 3; }");
    List<byte[]> objects = new ArrayList<>();
    for (List<String> names : List.of(List.of("a", "b", "a", "b"), List.of("a"), List.of("b"))) {
      try (ForkServer clang = ForkServer.start(compiler, library, ENVIRONMENT).orElseThrow()) {
        for (String name : names) {
          assertThat(clang.run(compile(name + ".cl"), staging, LONG))
              .as(() -> BoundedText.read(staging.beside("stderr")))
              .hasValue(0);
          objects.add(Files.readAllBytes(staging.work().resolve("out.o")));
        }
        assertThat(copies()).hasSize(1);
      }
    }

    assertThat(objects.get(2)).isEqualTo(objects.get(0)).isEqualTo(objects.get(4));
    assertThat(objects.get(3)).isEqualTo(objects.get(1)).isEqualTo(objects.get(5));
    assertThat(objects.get(0)).isNotEqualTo(objects.get(1));
  }

  @Test
  void run_againAfterOneThatFailed_knowsNothingOfIt() throws Exception {
    Files.writeString(staging.work().resolve("good.cl"), "kernel void k(global int *x) {}");
    Files.writeString(staging.work().resolve("bad.cl"), "kernel void k(global int *x) { y; }");
    try (ForkServer clang = ForkServer.start(compiler, library, ENVIRONMENT).orElseThrow()) {
      assertThat(clang.run(compile("good.cl"), staging, LONG)).hasValue(0);
      byte[] first = Files.readAllBytes(staging.work().resolve("out.o"));

      assertThat(clang.run(compile("bad.cl"), staging, LONG)).hasValue(1);

      assertThat(BoundedText.read(staging.beside("stderr"))).contains("bad.cl:1:32: error:");
      staging.forgetOutput();
      assertThat(clang.run(compile("good.cl"), staging, LONG)).hasValue(0);
      assertThat(BoundedText.read(staging.beside("stderr"))).isEmpty();
      assertThat(staging.work().resolve("out.o")).hasBinaryContent(first);
      assertThat(copies()).hasSize(1);
    }
  }

  /** The tool waits for somebody to write to what it reads. */
  @Test
  void run_againPastDeadline_isKilled() throws Exception {
    Files.writeString(staging.work().resolve("good.cl"), "kernel void k(global int *x) {}");
    assertThat(run("mkfifo slow.cl", LONG)).hasValue(0);
    try (ForkServer clang = ForkServer.start(compiler, library, ENVIRONMENT).orElseThrow()) {
      assertThat(clang.run(compile("good.cl"), staging, LONG)).hasValue(0);
      ProcessHandle copy = copies().get(0);

      assertThatThrownBy(() -> clang.run(compile("slow.cl"), staging, Duration.ofSeconds(1)))
          .isInstanceOf(TimeoutException.class);

      Script.awaitDeath(copy.pid());
      assertThat(clang.run(compile("good.cl"), staging, LONG)).as("the next one").hasValue(0);
    }
  }

  @Test
  void close_copiesWait_endsThem() throws Exception {
    ForkServer clang = ForkServer.start(compiler, library, ENVIRONMENT).orElseThrow();
    assertThat(clang.run(List.of(compiler.toString(), "--version"), staging, LONG)).hasValue(0);
    ProcessHandle copy = copies().get(0);

    clang.close();

    Script.awaitDeath(copy.pid());
  }

  private static List<String> compile(String file) {
    return List.of(
        compiler.toString(),
        "-cc1",
        "-triple",
        "amdgcn-amd-amdhsa",
        "-target-cpu",
        "gfx90a",
        "-O3",
        "-emit-obj",
        "-disable-free",
        "-o",
        "out.o",
        file);
  }

  /** Returns the copies of the server of {@link #compiler}. */
  private static List<ProcessHandle> copies() {
    return ProcessHandle.current()
        .children()
        .filter(each -> each.info().command().equals(Optional.of(compiler.toString())))
        .flatMap(ProcessHandle::children)
        .toList();
  }

  @Test
  void run_manyAtOnce_eachGetsItsOwn() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    List<Future<String>> runs = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int number = i;
      runs.add(
          threads.submit(
              () -> {
                try (Staging own = Staging.create(() -> directory)) {
                  OptionalInt status = run(own, "echo $1; exit $2", LONG, "" + number, "" + number);
                  return status.getAsInt() + " " + output(own);
                }
              }));
    }

    for (int i = 0; i < runs.size(); i++) {
      assertThat(runs.get(i).get()).isEqualTo(i + " " + i + "\n");
    }
    threads.shutdown();
  }

  @Test
  void run_signal_isToldAsAShellDoes() throws Exception {
    assertThat(run("kill -s SEGV $$", LONG)).hasValue(128 + 11);
    assertThat(run("kill -s KILL $$", LONG)).hasValue(128 + 9);
  }

  @Test
  void run_grandchildIsLeft_isEnded() throws Exception {
    assertThat(run("sleep 600 & echo $! >" + pid, LONG)).hasValue(0);

    Script.awaitDeath(Script.awaitPid(pid));
  }

  @Test
  void run_pastDeadlineAndDeafToSigterm_isKilledWithItsChildren() throws Exception {
    String deaf = "trap '' TERM ALRM; sleep 600 & echo $! >" + pid + "; wait; sleep 600";

    assertThatThrownBy(() -> run(deaf, Duration.ofSeconds(1))).isInstanceOf(TimeoutException.class);

    Script.awaitDeath(Script.awaitPid(pid));
    assertThat(run("exit 5", LONG)).as("the next one").hasValue(5);
  }

  /** As one whose JVM was stopped: the server gets no word from it. */
  @Test
  void run_itsAlarmGoesOff_endsWithItsChildren() throws Exception {
    assertThat(run("sleep 600 & echo $! >" + pid + "; kill -s ALRM $$; wait", LONG))
        .hasValue(128 + 14);

    Script.awaitDeath(Script.awaitPid(pid));
  }

  /** Perl has the call that tells, and an alarm outlives exec. */
  @Test
  void run_alarm_isSetToTheBoundAndALittleMore() throws Exception {
    assertThat(run("exec perl -e 'print alarm(0)'", Duration.ofMinutes(10))).hasValue(0);

    assertThat(Integer.parseInt(output(staging))).isBetween(570, 602);
  }

  @Test
  void run_callerIsInterrupted_isEnded() throws Exception {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                run("sleep 600 & echo $! >" + pid + "; wait", LONG);
                thrown.complete(new AssertionError("not interrupted"));
              } catch (Throwable e) {
                thrown.complete(e);
              }
            });
    caller.start();
    long grandchild = Script.awaitPid(pid);

    caller.interrupt();

    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    Script.awaitDeath(grandchild);
  }

  @Test
  void close_whileRunning_endsItAndTellsSo() throws Exception {
    CompletableFuture<OptionalInt> running = inBackground();
    long grandchild = Script.awaitPid(pid);

    server.close();

    assertThat(running.get()).isEmpty();
    Script.awaitDeath(grandchild);
    assertThat(run("exit 0", LONG)).isEmpty();
  }

  @Test
  void run_serverWasKilled_tellsThatNothingRan() throws Exception {
    CompletableFuture<OptionalInt> running = inBackground();
    Script.awaitPid(pid);
    ProcessHandle process = Script.forkServers().get(0);

    process.destroyForcibly();

    assertThat(running.get()).isEmpty();
    Script.awaitDeath(process.pid());
    assertThat(run("exit 0", LONG)).isEmpty();
  }

  private CompletableFuture<OptionalInt> inBackground() {
    CompletableFuture<OptionalInt> running = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                running.complete(run("sleep 600 & echo $! >" + pid + "; wait", LONG));
              } catch (Throwable e) {
                running.completeExceptionally(e);
              }
            })
        .start();
    return running;
  }

  @Test
  void start_script_isNoServer() throws Exception {
    Path script = Script.write(directory.resolve("script"), "echo \"$@\" >" + pid);

    assertThat(ForkServer.start(script, library, ENVIRONMENT)).isEmpty();
    assertThat(pid).hasContent("fork-server");
  }

  @Test
  void start_libraryThatCannotBeLoaded_isNoServer() throws Exception {
    Path text = Files.writeString(directory.resolve("text.so"), "no library");

    assertThat(ForkServer.start(SHELL, text, ENVIRONMENT)).isEmpty();
  }

  @Test
  void start_nameThatSeparatesNames_isNoServer() throws Exception {
    for (String name : List.of("with space.so", "with:colon.so")) {
      Path copy = Files.copy(library, directory.resolve(name));

      assertThat(ForkServer.start(SHELL, copy, ENVIRONMENT)).as(name).isEmpty();
    }
  }

  @Test
  void start_programThatIsNotThere_isNoServer() throws Exception {
    assertThat(ForkServer.start(directory.resolve("none"), library, ENVIRONMENT)).isEmpty();
  }
}
