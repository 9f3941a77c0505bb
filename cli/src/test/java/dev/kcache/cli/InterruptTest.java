// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A real SIGINT to a real process, in the middle of a compile or of a removal. */
@Timeout(120)
class InterruptTest {
  private static final int MANY = 200;

  /** A removal reads each record: of this size, one takes it milliseconds of computing. */
  private static final int RECORD_BYTES = 256 << 10;

  private static final int TRIES = 5;

  @TempDir private Path directory;

  /** The command with a compiler that never ends, as a process of its own. */
  static final class Endless {
    private Endless() {}

    public static void main(String[] arguments) {
      CliContext process = CliContext.ofProcess();
      CliContext context =
          new CliContext(
              Map.of("KCACHE_DIR", System.getenv("KCACHE_DIR")),
              process.console(),
              () -> CacheManager.builder().toolchain(new FakeToolchain()),
              process.interrupts(),
              process.nanoTime(),
              process.clock(),
              process.root(),
              process.windows());
      int exitCode = KcacheCommand.run(context, arguments);
      ShutdownInterrupts.letSignalEndFirst();
      System.exit(exitCode);
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
  void signal_endsTheCommandWithItsCodeAndKeepsWhatIsFinished(String signal, int exitCode)
      throws Exception {
    CommandRunner files = new CommandRunner(directory);
    Path good = files.kernel("good.hip");
    Path endless = files.kernel("endless.hip", "ENDLESS");
    Process process = start("prewarm", good.toString(), endless.toString(), "--arch=gfx90a", "-j1");

    BufferedReader out = process.inputReader(UTF_8);
    assertThat(out.readLine()).startsWith("compiled  gfx90a  " + good);
    send(signal, process);

    assertThat(process.waitFor(30, SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(exitCode);
    assertThat(out.readLine()).startsWith("0 hits, 1 compiled, 0 failed, 1 not done;");
    assertThat(text(process.getErrorStream()))
        .isEqualTo("kcache: interrupted; what is finished is kept, run it again to do the rest\n");
    assertThat(files.run("prewarm", good, "--arch=gfx90a").out()).startsWith("hit ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"clear", "gc --max-size=1"})
  void sigint_endsARemovalAfterTheEntryInHand(String removal) throws Exception {
    Path target = directory.resolve("cache/gfx90a-5.2");
    Process process = interruptedAmong(target, removal);
    for (int i = 1; i < TRIES && process.exitValue() == ExitCode.OK && isEmpty(target); i++) {
      process = interruptedAmong(target, removal); // The signal came too late.
    }

    assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED);
    List<String> records = names(target, "");
    records.removeIf(name -> name.endsWith(".co"));
    assertThat(records).hasSizeBetween(1, MANY - 1);
    assertThat(names(target, ".co"))
        .containsExactlyInAnyOrderElementsOf(records.stream().map(name -> name + ".co").toList());
    assertThat(text(process.getInputStream()))
        .startsWith("removed " + (MANY - records.size()) + " ");
    assertThat(text(process.getErrorStream()))
        .isEqualTo("kcache: interrupted; run it again to remove the rest\n");
  }

  /** Returns a removal that has ended and got a signal when the first entry had gone. */
  private Process interruptedAmong(Path target, String removal) throws Exception {
    Files.createDirectories(target);
    for (int i = 0; i < MANY; i++) {
      createEntry(target, i);
    }
    Process process = start(removal.split(" "));
    // Waits for a line, so that the signal comes at once.
    Process kill = new ProcessBuilder("sh", "-c", "read go; kill -s INT " + process.pid()).start();
    int all = names(target, "").size();
    while (names(target, "").size() == all && process.isAlive()) {
      Thread.onSpinWait();
    }
    kill.outputWriter(UTF_8).append("\n").close();
    assertThat(kill.waitFor(60, SECONDS)).isTrue();
    assertThat(process.waitFor(60, SECONDS)).isTrue();
    return process;
  }

  private static boolean isEmpty(Path target) {
    return names(target, "").isEmpty();
  }

  /** Creates what is an entry to all but those who read it. */
  private static void createEntry(Path target, int number) throws IOException {
    String digest = String.format(Locale.ROOT, "%064x", number);
    Path code = Files.createFile(target.resolve(digest + ".co"));
    Files.setLastModifiedTime(code, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
    Path request = Files.createDirectory(target.resolve(digest));
    try (RandomAccessFile record =
        new RandomAccessFile(request.resolve(digest + ".json").toFile(), "rw")) {
      record.write(("\"" + digest + "\"").getBytes(UTF_8));
      record.setLength(RECORD_BYTES); // without taking room on the disk
    }
  }

  /** Returns no names if the directory has gone. */
  private static List<String> names(Path directory, String end) {
    String[] names = directory.toFile().list((unused, name) -> name.endsWith(end));
    return names == null ? new ArrayList<>() : new ArrayList<>(List.of(names));
  }

  // A process started in the background of a script ignores SIGINT, and so would this one.
  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,TERM,HUP"));
    command.addAll(Programs.java(Endless.class, List.of("-XX:TieredStopAtLevel=1"), arguments));
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    return Programs.builder(directory, environment, command).start();
  }

  private static void send(String signal, Process process) throws Exception {
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -s " + signal + " " + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  private static String text(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), UTF_8);
  }
}
