// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ProgramRunnerTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/bin:/bin");

  @TempDir Path directory;
  private Path pid;
  private ProgramRunner runner;

  @BeforeEach
  void create() {
    pid = directory.resolve("pid");
    runner = ProgramRunner.create(List.of());
  }

  @AfterEach
  void close() {
    runner.close();
  }

  @Test
  void run_program_givesStatusAndBothStreams() throws Exception {
    ProgramResult outcome = run("echo out \"$1\"; echo err >&2; exit 3", LONG, "a 'b'");

    assertThat(outcome.end()).isEqualTo(End.EXITED);
    assertThat(outcome.exitCode()).isEqualTo(3);
    assertThat(outcome.output()).isEqualTo("out a 'b'\n");
    assertThat(outcome.errors()).isEqualTo("err\n");
    assertThat(outcome.succeeded()).isFalse();
  }

  @Test
  void run_environment_isExactlyTheGiven() throws Exception {
    ProgramResult outcome = run("env | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^OLDPWD='", LONG);

    assertThat(outcome.output()).isEqualTo("PATH=/usr/bin:/bin\n");
  }

  @Test
  void run_grandchildHoldsOutput_returnsAndEndsIt() throws Exception {
    ProgramResult outcome = run("sleep 600 & echo $! >" + pid + "; echo done", LONG);

    assertThat(outcome.succeeded()).isTrue();
    assertThat(outcome.output()).isEqualTo("done\n");
    Script.awaitDeath(Script.awaitPid(pid));
  }

  @Test
  void run_grandchildWasReparented_endsIt() throws Exception {
    String orphan = "(trap '' HUP TERM; sleep 600 & echo $! >" + pid + ") </dev/null & wait $!";

    assertThat(run(orphan, LONG).succeeded()).isTrue();
    Script.awaitDeath(Script.awaitPid(pid));
  }

  @Test
  void run_pastDeadlineAndDeafToSigterm_isKilledWithItsChildren() throws Exception {
    String deaf = "trap '' TERM; echo begun; sleep 600 & echo $! >" + pid + "; wait; sleep 600";

    ProgramResult outcome = run(deaf, Duration.ofSeconds(1));

    assertThat(outcome.end()).isEqualTo(End.TIMED_OUT);
    assertThat(outcome.exitCode()).isEqualTo(-1);
    assertThat(outcome.output()).isEqualTo("begun\n");
    Script.awaitDeath(Script.awaitPid(pid));
  }

  @Test
  void run_withoutAnyTimeLeft_isLate() throws Exception {
    assertThat(run("sleep 600", Duration.ofSeconds(-9)).end()).isEqualTo(End.TIMED_OUT);
    assertThat(run("sleep 600", Duration.ZERO).end()).isEqualTo(End.TIMED_OUT);
  }

  @Test
  void run_callerIsInterrupted_endsTheGroup() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                run("sleep 600 & echo $! >" + pid + "; wait", LONG);
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    caller.start();
    long grandchild = Script.awaitPid(pid);

    caller.interrupt();
    caller.join();

    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    Script.awaitDeath(grandchild);
  }

  @Test
  void close_whileRunning_endsTheGroupAndRefusesMore() throws Exception {
    CompletableFuture<ProgramResult> running = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                running.complete(run("sleep 600 & echo $! >" + pid + "; wait", LONG));
              } catch (Throwable e) {
                running.completeExceptionally(e);
              }
            })
        .start();
    long grandchild = Script.awaitPid(pid);

    runner.close();

    assertThat(running.get().end()).isEqualTo(End.CLOSED);
    Script.awaitDeath(grandchild);
    assertThatThrownBy(() -> run("true", LONG)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void run_killedBySomethingElse_saysSo() throws Exception {
    assertThat(run("kill -s KILL $PPID; sleep 600", LONG).end()).isEqualTo(End.KILLED);
  }

  @Test
  void run_jvmIsKilled_timeoutEndsTheGroup() throws Exception {
    Process jvm = jvm(Duration.ofSeconds(3));
    long grandchild = Script.awaitPid(pid);

    jvm.destroyForcibly().waitFor();

    assertThat(Script.isRunning(grandchild)).isTrue();
    Script.awaitDeath(grandchild);
  }

  @Test
  void run_jvmIsAskedToEnd_endsTheGroupAtOnce() throws Exception {
    Process jvm = jvm(LONG);
    long grandchild = Script.awaitPid(pid);

    jvm.destroy();
    jvm.waitFor();

    Script.awaitDeath(grandchild);
  }

  @Test
  void run_longOutput_isCutInTheMiddle() throws Exception {
    ProgramResult outcome =
        run("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last", LONG);

    assertThat(outcome.output())
        .startsWith("first\nxxx")
        .contains("bytes left out]")
        .endsWith("xxx\nlast\n")
        .hasSizeLessThan(BoundedFile.LONGEST_TEXT + 100);
  }

  @Test
  void run_noTimeoutProgram_saysWhatToInstall() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    try (ProgramRunner bare = new ShellRunner(List.of(empty));
        Staging staging = Staging.create(() -> directory)) {
      assertThatThrownBy(
              () -> bare.run(List.of("/bin/true"), staging, ENVIRONMENT, RunLimits.ofCompile(LONG)))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "cannot start the compiler: 'timeout' not found in /usr/bin, /bin or PATH; install coreutils"
                  + " and a shell");
    }
  }

  /** Runs a program, given the directory of a script in its first argument, until it is ended. */
  static final class Main {
    public static void main(String[] arguments) throws Exception {
      Duration timeout = Duration.parse(arguments[1]);
      try (ProgramRunner runner = ProgramRunner.create(List.of());
          Staging staging = Staging.create(() -> Path.of(arguments[0]).getParent())) {
        runner.run(List.of(arguments[0]), staging, ENVIRONMENT, RunLimits.ofCompile(timeout));
      }
    }
  }

  private Process jvm(Duration timeout) throws IOException {
    Path script =
        Script.write(directory.resolve("compiler"), "sleep 600 & echo $! >" + pid + "; wait");
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            script.toString(),
            timeout.toString())
        .inheritIO()
        .start();
  }

  private ProgramResult run(String body, Duration timeout, String... arguments)
      throws IOException, InterruptedException {
    Path script = Script.write(directory.resolve("program"), body);
    List<String> command =
        Stream.concat(Stream.of(script.toString()), Arrays.stream(arguments)).toList();
    try (Staging staging = Staging.create(() -> directory)) {
      return runner.run(command, staging, ENVIRONMENT, RunLimits.ofCompile(timeout));
    }
  }
}
