// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Windows' way to run programs, with those of this machine. */
@Timeout(120)
class DirectRunnerTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/bin:/bin", "TMPDIR", "/staged");

  @TempDir Path directory;
  private Path pid;
  private Path ended;
  private ProgramRunner runner;

  @BeforeEach
  void create() throws IOException {
    pid = directory.resolve("pid");
    ended = directory.resolve("ended");
    Script.write(directory.resolve("System32/taskkill.exe"), "echo $* >" + ended);
    Map<String, String> variables =
        Map.of("SystemRoot", directory.toString(), "ComSpec", "cmd.exe", "HOME", "/root");
    runner = new DirectRunner(kind(), command -> command, variables);
  }

  private ProcessTree.Kind kind() {
    return WindowsTree.kind(Map.of("SystemRoot", directory.toString()), id -> Optional.empty());
  }

  @AfterEach
  void close() {
    runner.close();
  }

  @Test
  void run_program_givesStatusAndBothStreams() throws Exception {
    ProgramResult outcome =
        run("cat; printf 'out %s\\r\\n' \"$1\"; echo err >&2; exit 3", LONG, "a 'b'");

    assertThat(outcome.end()).isEqualTo(End.EXITED);
    assertThat(outcome.exitCode()).isEqualTo(3);
    assertThat(outcome.output()).isEqualTo("out a 'b'\n");
    assertThat(outcome.errors()).isEqualTo("err\n");
  }

  @Test
  void run_environment_isTheGivenAndWhatWindowsNeeds() throws Exception {
    ProgramResult outcome = run("env | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^OLDPWD=' | sort", LONG);

    assertThat(outcome.output())
        .isEqualTo(
            "ComSpec=cmd.exe\nPATH=/usr/bin:/bin\nSystemRoot="
                + directory
                + "\nTEMP=/staged\nTMP=/staged\nTMPDIR=/staged\n");
  }

  @Test
  void runAll_stopsAtTheFirstFailure() throws Exception {
    Path script = Script.write(directory.resolve("program"), "echo $1; exit $1");
    try (Staging staging = Staging.create(() -> directory)) {
      ProgramResult outcome =
          runner.runAll(
              List.of(
                  List.of(script.toString(), "0"),
                  List.of(script.toString(), "7"),
                  List.of(script.toString(), "9")),
              staging,
              ENVIRONMENT,
              RunLimits.ofCompile(LONG));

      assertThat(outcome.output()).isEqualTo("0\n7\n");
      assertThat(outcome.exitCode()).isEqualTo(7);
    }
  }

  @Test
  void run_pastDeadline_isEndedWithItsChildren() throws Exception {
    String deaf = "trap '' TERM; echo begun; sleep 600 & echo $! >" + pid + "; wait; sleep 600";

    ProgramResult outcome = run(deaf, Duration.ofSeconds(1));

    assertThat(outcome.end()).isEqualTo(End.TIMED_OUT);
    assertThat(outcome.output()).isEqualTo("begun\n");
    Script.awaitDeath(Script.awaitPid(pid));
    assertThat(ended).doesNotExist();
  }

  @Test
  void run_printsTooMuch_isEnded() throws Exception {
    Path script = Script.write(directory.resolve("program"), "while :; do echo xxxxxxxx; done");
    try (Staging staging = Staging.create(() -> directory)) {
      ProgramResult outcome =
          runner.run(List.of(script.toString()), staging, ENVIRONMENT, RunLimits.ofProbe(LONG));

      assertThat(outcome.end()).isEqualTo(End.PRINTED_TOO_MUCH);
      assertThat(outcome.excess()).contains("printed more than 1 MB and was ended");
    }
  }

  @Test
  void close_whileRunning_endsTheProgramAndRefusesMore() throws Exception {
    CompletableFuture<ProgramResult> result = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                result.complete(run("sleep 600 & echo $! >" + pid + "; wait", LONG));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            })
        .start();
    long child = Script.awaitPid(pid);

    runner.close();

    assertThat(result.get().end()).isEqualTo(End.CLOSED);
    Script.awaitDeath(child);
    assertThatThrownBy(() -> run("true", LONG)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void run_batchFile_isRefusedInOneLine() throws Exception {
    try (ProgramRunner windows = DirectRunner.onWindows(Map.of());
        Staging staging = Staging.create(() -> directory)) {
      assertThatThrownBy(
              () ->
                  windows.run(
                      List.of("C:\\hipcc.bat"), staging, Map.of(), RunLimits.ofCompile(LONG)))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "cannot start a program: C:\\hipcc.bat is a batch file, whose arguments cmd.exe would"
                  + " change; name a .exe instead");
    }
  }

  /** Some are not Java's to end, or it does not find them. */
  @Test
  void tree_descendantsThatStay_areLeftToTaskkill() throws Exception {
    kind().of(new Leader(true)).end();
    assertThat(ended).hasContent("/T /F /PID 4711");

    Files.delete(ended);
    kind().of(new Leader(false)).end();
    assertThat(ended).doesNotExist();
  }

  /** A process with a child that nobody can end, or with none. */
  private static final class Leader extends Process {
    private final boolean hasChild;

    Leader(boolean hasChild) {
      this.hasChild = hasChild;
    }

    @Override
    public Stream<ProcessHandle> descendants() {
      ProcessHandle stubborn =
          (ProcessHandle)
              Proxy.newProxyInstance(
                  Leader.class.getClassLoader(),
                  new Class<?>[] {ProcessHandle.class},
                  (proxy, method, arguments) -> method.getName().equals("isAlive"));
      return hasChild ? Stream.of(stubborn) : Stream.empty();
    }

    @Override
    public long pid() {
      return 4711;
    }

    @Override
    public OutputStream getOutputStream() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream getInputStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public InputStream getErrorStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public int waitFor() {
      return 0;
    }

    @Override
    public int exitValue() {
      return 0;
    }

    @Override
    public void destroy() {}
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
