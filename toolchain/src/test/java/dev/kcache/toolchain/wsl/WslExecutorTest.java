// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.executor.CommandExecutor.Command;
import dev.kcache.toolchain.executor.CommandExecutor.Result;
import dev.kcache.toolchain.standin.FakeWsl;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands in a distribution that a fake wsl.exe plays. */
@Timeout(60)
class WslExecutorTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final int MOST = 10_000_000;

  @TempDir Path directory;
  private FakeWsl fake;
  private WslExecutor executor;

  @BeforeEach
  void open() throws IOException {
    fake = FakeWsl.in(directory.resolve("System 32"), "Ubuntu 24.04", "Bare");
    executor = executor("Ubuntu 24.04", Duration.ofSeconds(30), MOST);
  }

  @AfterEach
  void close() {
    executor.close();
  }

  private WslExecutor executor(String distribution, Duration grace, int most) {
    return new WslExecutor(
        new WslProgram(fake.program(), System.getenv()), distribution, "repair it", grace, most);
  }

  private static Command command(
      List<SourceFile> files, List<String> outputs, Duration limit, String... words) {
    return new Command(
        List.of(words), Map.of("PATH", "/usr/bin:/bin"), files, outputs, limit, false);
  }

  private Result run(String script) throws Exception {
    return executor.run(command(List.of(), List.of(), LIMIT, "/bin/sh", "-c", script));
  }

  private static SourceFile file(String path, String text) {
    return new SourceFile(path, UTF_8.encode(text));
  }

  @Test
  void script_hasNothingThatAnInterpreterOnWindowsWouldChange() {
    assertThat(LinuxRun.SCRIPT).matches("[\\w $;:(){}|&<>=?,./-]+");
  }

  @Test
  void names_areTakenAsTheyAre() throws Exception {
    List<String> names =
        List.of(
            "a b.h",
            "it's.h",
            "\"q\".h",
            "100%PATH%.h",
            "a^b&c|d.h",
            "$(touch x)`id`.h",
            "C:\\a\\b.h",
            "\\\\host\\share",
            "ärger-日本.h",
            "-rf",
            "*?[a]",
            "tail ",
            "new\nline",
            "x/y z/w.h");
    List<String> words =
        new ArrayList<>(
            List.of(
                "/bin/sh",
                "-c",
                "mkdir -p 'out/x/y z'; for f do cat \"work/$f\" >\"out/$f\"; printf '%s|' \"$f\"; done",
                "sh"));
    words.addAll(names);
    Result result =
        executor.run(
            command(
                names.stream().map(name -> file("work/" + name, "of " + name)).toList(),
                Stream.concat(names.stream().map("out/"::concat), Stream.of("missing")).toList(),
                LIMIT,
                words.toArray(String[]::new)));

    assertThat(result.program().errors()).isEmpty();
    assertThat(result.program().output()).isEqualTo(String.join("|", names) + "|");
    assertThat(result.outputs()).hasSameSizeAs(names);
    names.forEach(
        name ->
            assertThat(result.outputs().get("out/" + name))
                .asString(UTF_8)
                .isEqualTo("of " + name));
  }

  @Test
  void command_hasItsOwnEnvironmentAndItsOwnDirectory() throws Exception {
    Command command =
        new Command(
            List.of("/usr/bin/env"),
            Map.of("A", "1 \"'$X\\\n2"),
            List.of(),
            List.of(),
            LIMIT,
            false);

    assertThat(executor.run(command).program().output()).isEqualTo("A=1 \"'$X\\\n2\n");
    String place = run("pwd -P").program().output().strip();
    assertThat(place).startsWith("/tmp/kcache-");
    assertThat(Path.of(place).getParent()).doesNotExist();
    assertThat(run("umask").program().output()).isEqualTo("0077\n");
  }

  @Test
  void end_isThatOfTheCommand() throws Exception {
    Result failed = run("echo said; echo wrong >&2; exit 7");
    assertThat(failed.program().end()).isEqualTo(End.EXITED);
    assertThat(failed.program().exitCode()).isEqualTo(7);
    assertThat(failed.program().output()).isEqualTo("said\n");
    assertThat(failed.program().errors()).isEqualTo("wrong\n");
    // What wsl.exe itself would fail with is a status like any other there.
    assertThat(run("exit 255").program().exitCode()).isEqualTo(255);
    assertThat(run("kill -s KILL 0").program().end()).isEqualTo(End.KILLED);
  }

  @Test
  void whatTheCommandLeavesRunning_ends() throws Exception {
    long pid = Long.parseLong(run("sleep 1000 & echo $!").program().output().strip());
    Script.awaitDeath(pid);
  }

  @Test
  void longLog_comesBackInPart() throws Exception {
    Result result = run("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");

    assertThat(result.program().output())
        .startsWith("first\nxxx")
        .contains("\n[the rest was left out]\n")
        .endsWith("xxx\nlast\n")
        .hasSizeLessThan(1_100_000);
    Result endless = run("head -c 65000000 /dev/zero");
    assertThat(endless.program().end()).isEqualTo(End.PRINTED_TOO_MUCH);
    assertThat(endless.program().excess()).hasValue("printed more than 64 MB and was ended");
  }

  @Test
  void limit_endsAllThatTheCommandStarted() throws Exception {
    Path pid = directory.resolve("pid");
    Result result =
        executor.run(
            command(
                List.of(),
                List.of(),
                Duration.ofMillis(900),
                "/bin/sh",
                "-c",
                "sh -c 'echo $$ >" + pid + "; sleep 1000'; true"));

    assertThat(result.program().end()).isEqualTo(End.TIMED_OUT);
    assertThat(result.program().excess()).hasValue("did not end within 0.9 s and was ended");
    Script.awaitDeath(Script.awaitPid(pid));
  }

  /** Starts a command that does not end, and returns its process. */
  private long started(CompletableFuture<Throwable> end, List<Thread> threads) {
    Path pid = directory.resolve("pid");
    Thread thread =
        new Thread(
            () -> {
              try {
                executor.run(
                    command(
                        List.of(),
                        List.of(),
                        LIMIT,
                        "/bin/sh",
                        "-c",
                        "echo $$ >" + pid + "; sleep 1000"));
                end.complete(new AssertionError("it ended"));
              } catch (IOException | InterruptedException e) {
                end.complete(e);
              }
            });
    thread.start();
    threads.add(thread);
    return Script.awaitPid(pid);
  }

  @Test
  void interrupt_endsTheCommandInTheDistribution() throws Exception {
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    List<Thread> threads = new ArrayList<>();
    long pid = started(end, threads);

    threads.get(0).interrupt();

    assertThat(end.get()).isInstanceOf(InterruptedException.class);
    Script.awaitDeath(pid);
  }

  @Test
  void close_endsTheCommandInTheDistribution() throws ExecutionException, InterruptedException {
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    long pid = started(end, new ArrayList<>());

    executor.close();

    assertThat(end.get()).isInstanceOf(IOException.class).hasMessage("it is closed");
    Script.awaitDeath(pid);
    assertThatThrownBy(() -> run("true"))
        .isInstanceOf(IOException.class)
        .hasMessage("it is closed");
  }

  /** So it is when the JVM is killed: nobody is left who could end anything. */
  @Test
  void inputThatEnds_endsTheCommandAndItsDirectory() throws Exception {
    Path pid = directory.resolve("pid");
    byte[] input =
        new LinuxRun(
                command(
                    List.of(),
                    List.of(),
                    LIMIT,
                    "/bin/sh",
                    "-c",
                    "pwd -P >" + pid + ".d; echo $$ >" + pid + "; sleep 1000"))
            .input();
    Process process = new ProcessBuilder("/bin/sh", "-c", LinuxRun.SCRIPT).start();
    try (OutputStream stdin = process.getOutputStream()) {
      stdin.write(input);
      stdin.flush();
      assertThat(Script.isRunning(Script.awaitPid(pid))).isTrue();
    }

    Script.awaitDeath(Script.awaitPid(pid));
    assertThat(process.waitFor()).isZero();
    assertThat(Path.of(Files.readString(directory.resolve("pid.d")).strip())).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "stopped|wsl.exe says \"The virtual machine could not be started because a required feature is not"
            + " installed.\"; does 'wsl -d Ubuntu 24.04' in a terminal of Windows start it?",
        "noise|what came back through wsl.exe is not a result, since it is not an archive: it said nothing",
        "eats-quotes|what came back through wsl.exe is not a result, since it is not an archive: it said nothing",
        "endless|more than the 10 MB that Java has room for came back; give it more memory with"
            + " KCACHE_JAVA_OPTS=-Xmx...",
      })
  void failure_isOneLine(String mode, String message) throws IOException {
    fake.mode(mode);
    assertThatThrownBy(() -> run("true")).isInstanceOf(IOException.class).hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"old", "chatter"})
  void modeOfAnyAge_runsCommands(String mode) throws Exception {
    fake.mode(mode);
    assertThat(run("echo x").program().output()).isEqualTo("x\n");
  }

  @Test
  void oldProgramsWords_areReadAsUtf16() throws IOException {
    fake.mode("old");
    try (WslExecutor unknown = executor("Gone", LIMIT, MOST)) {
      assertThatThrownBy(() -> unknown.run(command(List.of(), List.of(), LIMIT, "/bin/true")))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(
              "wsl.exe says \"There is no distribution with the supplied name.\"");
    }
  }

  @Test
  void programThatHangs_isEndedAfterItsGrace() throws IOException {
    fake.mode("hangs-later");
    try (WslExecutor hasty = executor("Bare", Duration.ofMillis(200), MOST)) {
      assertThatThrownBy(
              () -> hasty.run(command(List.of(), List.of(), Duration.ofMillis(300), "/bin/true")))
          .isInstanceOf(IOException.class)
          .hasMessageMatching(
              "wsl.exe did not end within \\d\\.\\d s and was ended; 'wsl --shutdown' in a terminal of"
                  + " Windows ends a WSL that hangs");
    }
  }

  @Test
  void distributionWithoutAProgram_isOneLine() throws IOException {
    fake.programs("Bare", "mktemp", "head", "rm", "timeout", "env", "wc", "tail");
    try (WslExecutor bare = executor("Bare", LIMIT, MOST)) {
      assertThatThrownBy(() -> bare.run(command(List.of(), List.of(), LIMIT, "/bin/true")))
          .isInstanceOf(IOException.class)
          .hasMessage("it lacks tar; install coreutils and tar in it");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"../x", "/x", "a//b", "a/./b", ""})
  void pathThatLeavesTheDirectory_isRefused(String path) {
    assertThatThrownBy(
            () -> executor.run(command(List.of(file(path, "")), List.of(), LIMIT, "/bin/true")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no path below a directory: '" + path + "'");
  }
}
