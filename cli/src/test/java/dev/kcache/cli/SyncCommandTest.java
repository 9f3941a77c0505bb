// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Copies between directories and a remote in memory. */
class SyncCommandTest extends CommandTestBase {
  private static final String REMOTE = "memory://sync";

  private final MemoryRemotes.Store remote = MemoryRemotes.create("sync");
  private Path copy;

  @BeforeEach
  void prewarm() {
    copy = directory.resolve("copy");
    succeeds(
        "prewarm",
        command.kernel("a.hip"),
        command.kernel("b.hip", "other"),
        "--arch",
        "gfx90a,gfx1030");
  }

  /** Returns what is in a directory: each record, code object and list, by its name. */
  private static Map<String, String> contents(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      Map<String, String> contents = new TreeMap<>();
      for (Path file :
          files.filter(each -> each.toString().matches(".*\\.(json|co|deps)")).toList()) {
        contents.put(
            directory.relativize(file).toString(), Digest.of(Files.readAllBytes(file)).toString());
      }
      return contents;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String copied(Object from, Object to, Object... more) {
    Object[] arguments =
        Stream.concat(Stream.of("sync", "--from", from, "--to", to), Stream.of(more)).toArray();
    return succeeds(arguments).out();
  }

  @Test
  void entries_goToARemoteAndBackUnchanged() throws IOException {
    assertThat(copied(command.cache, REMOTE))
        .startsWith("4 copied, 0 present, 0 refused, 0 failed; ");
    assertThat(remote.values).hasSize(8);
    assertThat(copied(REMOTE, copy)).startsWith("4 copied, 0 present, 0 refused, 0 failed; ");

    assertThat(contents(copy)).isEqualTo(contents(command.cache)).hasSize(8);
    assertThat(Files.getPosixFilePermissions(copy))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    assertThat(succeeds("verify", "--cache-dir", copy).exitCode()).isZero();
    put("KCACHE_DIR", copy.toString());
    assertThat(succeeds("prewarm", command.kernel("a.hip"), "--arch", "gfx90a").out())
        .contains("1 hit, 0 compiled");
  }

  @Test
  void pack_isCopiedAsTheDirectoryWas() throws IOException {
    Path pack = directory.resolve("kernels.jar");
    succeeds("pack", "--to", pack);
    assertThat(copied(pack, copy)).startsWith("4 copied, 0 present, 0 refused, 0 failed; ");
    assertThat(contents(copy)).isEqualTo(contents(command.cache)).hasSize(8);
    assertThat(copied(pack, copy)).startsWith("0 copied, 4 present, 0 refused, 0 failed; ");
    assertThat(copied(pack, REMOTE, "--arch", "gfx90a")).startsWith("2 copied, 0 present, ");
    String json = succeeds("sync", "--from", pack, "--to", copy, "--json").out();
    assertThat(json).contains("\"from\":\"" + pack.toRealPath() + "\"");
  }

  @Test
  void damagedPack_givesTheRest() throws IOException {
    Path pack = directory.resolve("kernels.jar");
    succeeds("pack", "--to", pack);
    byte[] bytes = Files.readAllBytes(pack);
    String text = new String(bytes, ISO_8859_1);
    int record = text.indexOf("{\n  \"schema\"", text.indexOf("META-INF/kcache/gfx90a/"));
    bytes[record] = ' ';
    Files.write(pack, bytes);

    Run run = ends(ExitCode.DAMAGED, "sync", "--from", pack, "--to", copy);
    assertThat(run.out()).startsWith("3 copied, 0 present, 1 refused, 0 failed; ");
    assertThat(run.err())
        .contains(pack + "/META-INF/kcache/gfx90a/")
        .endsWith(".json: not a sound record\n")
        .hasLineCount(1);

    Files.write(pack, Arrays.copyOf(bytes, bytes.length - 30));
    assertThat(ends(ExitCode.DAMAGED, "sync", "--from", pack, "--to", copy).err())
        .contains(pack + ": it is not a jar, or a damaged one", "make it anew with 'kcache pack'")
        .hasLineCount(1);
  }

  @Test
  void whatIsThere_isNotWrittenAgain() {
    copied(command.cache, REMOTE);
    copied(command.cache, copy);
    remote.written.clear();
    Map<String, Object> before = times(copy);

    assertThat(copied(command.cache, REMOTE)).startsWith("0 copied, 4 present, 0 refused, 0 fai");
    assertThat(copied(REMOTE, copy)).startsWith("0 copied, 4 present, 0 refused, 0 failed; 0 B");
    assertThat(remote.written).isEmpty();
    assertThat(times(copy)).isEqualTo(before);
  }

  /** Returns the identity of each record's file: another one would have taken its place. */
  private static Map<String, Object> times(Path directory) {
    Map<String, Object> times = new TreeMap<>();
    for (Path file : CommandRunner.files(directory, ".json")) {
      try {
        times.put(file.toString(), Files.getAttribute(file, "unix:ino"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return times;
  }

  @Test
  void layer_staysOneThatOthersRead() throws IOException {
    Path layer = directory.resolve("layer");
    succeeds("prewarm", command.kernel("a.hip"), "--arch", "gfx90a", "--cache-dir", layer);
    copied(command.cache, layer);
    for (Path file : CommandRunner.files(layer, ".json")) {
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
    }
    assertThat(CommandRunner.files(layer, ".json")).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({"gfx90a,2", "gfx942,0"})
  void arch_choosesTheTargets(String arch, int entries) {
    assertThat(copied(command.cache, REMOTE, "--arch", arch)).startsWith(entries + " copied, 0 pr");
    assertThat(remote.values.keySet()).hasSize(2 * entries).allMatch(name -> name.startsWith(arch));
    copied(command.cache, REMOTE);
    assertThat(copied(REMOTE, copy, "--arch", arch)).startsWith(entries + " copied, 0 present");
  }

  @ParameterizedTest
  @CsvSource({".json, 'not a sound record'", ".co, 'its code object'", ".deps, 'its list'"})
  void damagedEntryOfADirectory_isRefusedAndTheRestCopied(String suffix, String reason)
      throws IOException {
    Path source = command.cache.resolve("gfx90a-5.2");
    if (suffix.equals(".json")) {
      Files.writeString(CommandRunner.files(source, suffix).get(0), "{}");
    } else {
      for (Path file : CommandRunner.files(source, suffix)) {
        Files.write(file, new byte[3464]);
      }
    }
    Map<String, String> before = contents(command.cache);

    Run run = ends(ExitCode.DAMAGED, "sync", "--from", command.cache, "--to", copy);

    int refused = suffix.equals(".json") ? 1 : 2;
    assertThat(run.out()).startsWith("%d copied, 0 present, %d ".formatted(4 - refused, refused));
    assertThat(run.err().lines()).hasSize(refused).allMatch(line -> line.contains(reason));
    assertThat(contents(command.cache)).isEqualTo(before);
    assertThat(CommandRunner.files(copy, ".json")).hasSize(4 - refused);
  }

  @Test
  void damagedValueOfARemote_isRefusedAndOneThatWasToBeReplacedIs() {
    copied(command.cache, REMOTE);
    String damaged =
        remote.values.keySet().stream().filter(name -> !name.endsWith("any")).findFirst().get();
    byte[] sound = remote.values.put(damaged, new byte[10]);
    remote.values.put("lease/" + damaged, new byte[1]);

    Run run = ends(ExitCode.DAMAGED, "sync", "--from", REMOTE, "--to", copy);
    assertThat(run.out()).startsWith("3 copied, 0 present, 1 refused, 0 failed");
    assertThat(run.err()).isEqualTo("kcache: " + damaged + ": no ZIP that begins with a record\n");

    assertThat(copied(command.cache, REMOTE)).startsWith("1 copied, 3 present");
    assertThat(remote.values.get(damaged)).isEqualTo(sound);
  }

  /** Whoever finds one of the two entries may ask for it at once. */
  @Test
  void largeCode_isWrittenOnceAndBeforeTheEntriesThatShareIt() {
    Path large = directory.resolve("large");
    Path kernel = command.kernel("l.hip", "LARGE 1");
    Path other = command.kernel("m.hip", "LARGE 2");
    succeeds("prewarm", kernel, other, "--arch", "gfx90a", "--cache-dir", large);
    remote.slowCode = true;
    assertThat(copied(large, REMOTE)).startsWith("2 copied, 0 present");
    assertThat(remote.written).hasSize(5);
    String code = remote.written.get(0);
    assertThat(code).matches("code/[0-9a-f]{64}");
    assertThat(remote.values.get(code)).hasSize(300_000);
    assertThat(remote.values).hasSize(5);

    assertThat(copied(REMOTE, copy)).startsWith("2 copied, 0 present");
    assertThat(contents(copy)).isEqualTo(contents(large)).hasSize(4);

    remote.values.put(code, new byte[300_000]);
    Run run = ends(ExitCode.DAMAGED, "sync", "--from", REMOTE, "--to", directory.resolve("new"));
    assertThat(run.out()).startsWith("0 copied, 0 present, 2 refused, 0 failed");
    remote.values.remove(code);
    assertThat(copied(REMOTE, directory.resolve("new"))).startsWith("0 copied, 0 present, 0 ref");
    // Whose code is there again when the other one is looked for is there, too.
    assertThat(copied(large, REMOTE)).containsPattern("^(2 copied, 0|1 copied, 1) present");
    assertThat(copied(REMOTE, directory.resolve("new"))).startsWith("2 copied, 0 present");
  }

  /** Another compiler's entry for the same request is older, or newer. */
  @Test
  void any_isTheNewestOfARequest() {
    copied(command.cache, REMOTE, "--arch", "gfx90a");
    Map<String, byte[]> first = Map.copyOf(remote.values);
    command.toolchain.content = "another compiler";
    succeeds(
        "prewarm", command.kernel("a.hip"), command.kernel("b.hip", "other"), "--arch", "gfx90a");
    remote.written.clear();

    copied(command.cache, REMOTE, "--arch", "gfx90a");
    assertThat(remote.values).hasSize(6);
    first.forEach(
        (name, value) -> {
          if (name.endsWith("/any")) {
            assertThat(remote.values.get(name)).isNotEqualTo(value);
            assertThat(remote.written).contains(name);
          } else {
            assertThat(remote.values).containsEntry(name, value);
          }
        });

    // What another machine has written since then stays.
    Map<String, byte[]> newest = new TreeMap<>(remote.values);
    copied(command.cache, copy, "--arch", "gfx90a");
    remote.values.keySet().removeIf(name -> !name.endsWith("/any") && !first.containsKey(name));
    MemoryRemotes.Store old = MemoryRemotes.create("old");
    old.values.putAll(first);
    remote.written.clear();
    copied("memory://old", REMOTE);
    assertThat(remote.written).isEmpty();
    newest.forEach(
        (name, value) -> {
          if (name.endsWith("/any")) {
            assertThat(remote.values).containsEntry(name, value);
          }
        });
  }

  @Test
  void requestThatFailsInPassing_isRepeatedOnce() {
    remote.failures.set(1);
    assertThat(copied(command.cache, REMOTE))
        .startsWith("4 copied, 0 present, 0 refused, 0 failed;");
    remote.failures.set(1);
    assertThat(copied(REMOTE, copy)).startsWith("4 copied, 0 present, 0 refused, 0 failed;");
    assertThat(contents(copy)).isEqualTo(contents(command.cache)).hasSize(8);
    remote.failures.set(2);
    assertThat(ends(ExitCode.UNAVAILABLE, "sync", "--from", REMOTE, "--to", copy).err())
        .contains("connection reset");
  }

  @Test
  void remoteThatCannotBeWritten_isAFailureToldOnce() {
    remote.refusesWrites = true;
    Run run = ends(ExitCode.FAILED, "sync", "--from", command.cache, "--to", REMOTE);
    assertThat(run.out()).startsWith("0 copied, 0 present, 0 refused, 4 failed");
    assertThat(run.err()).isEqualTo("kcache: remote memory://sync: not authorized to write\n");
  }

  @Test
  void remoteThatCannotList_isAWrongRequest() {
    remote.cannotList = true;
    Run run = ends(ExitCode.USAGE, "sync", "--from", REMOTE, "--to", copy);
    assertThat(run.err())
        .isEqualTo(
            "kcache: memory://sync cannot list what it has; copy from a directory, or from another"
                + " kind of remote\n");
    assertThat(copy).doesNotExist();
  }

  @Test
  void remoteThatIsNotThere_isOneLine() {
    Run run = ends(ExitCode.UNAVAILABLE, "sync", "--from", "redis://:pw@127.0.0.1:1", "--to", copy);
    assertThat(run.err()).startsWith("kcache: remote redis://127.0.0.1:1: ").hasLineCount(1);
    assertThat(run.err()).doesNotContain("pw@");
  }

  @Test
  void directoryThatIsOpenToOthers_isNotCalledALayer() throws IOException {
    Files.setPosixFilePermissions(command.cache, PosixFilePermissions.fromString("rwxrwxrwx"));

    Run run = ends(ExitCode.UNAVAILABLE, "sync", "--from", command.cache, "--to", copy);

    assertThat(run.err())
        .isEqualTo(
            "kcache: cache directory %s can be written by other users (rwxrwxrwx); run 'chmod go-w' on it or choose another one\n"
                .formatted(command.cache));
  }

  @Test
  void wrongPlaces_areAWrongRequest() {
    String cache = command.cache.toString();
    String kernel = directory.resolve("a.hip").toString();
    wrong("sync needs --from and --to", "--from", cache);
    wrong("are the same place", "--from", cache, "--to", cache);
    wrong("are the same place", "--from", cache, "--to", cache + "/../cache");
    wrong("are the same place", "--from", REMOTE, "--to", REMOTE);
    wrong("nowhere' does not exist", "--from", directory.resolve("nowhere"), "--to", copy);
    wrong("nothing is copied to a pack; ", "--from", cache, "--to", directory.resolve("k.jar"));
    wrong("a.hip' is not a directory", "--from", cache, "--to", kernel);
    wrong("an empty name", "--from", "", "--to", copy);
    wrong("nothing here opens nosuch://", "--from", "nosuch://u:pw@host", "--to", copy);
    wrong("no URL", "--from", "://pw", "--to", copy);
    wrong("sync takes no --cache-dir", "--from", cache, "--to", copy, "--remote", "x://y");
    assertThat(copy).doesNotExist();
  }

  private void wrong(String problem, Object... arguments) {
    Object[] all = Stream.concat(Stream.of("sync"), Stream.of(arguments)).toArray();
    assertThat(ends(ExitCode.USAGE, all).err())
        .contains(problem)
        .doesNotContain("pw")
        .hasLineCount(1);
  }

  @Test
  void interrupt_leavesWholeEntriesOnlyAndIsResumed() {
    command.interrupts = CommandRunner.AT_ONCE;
    Run run = ends(ExitCode.INTERRUPTED, "sync", "--from", command.cache, "--to", copy);
    assertThat(run.out()).startsWith("0 copied, 0 present, 0 refused, 0 failed, 4 not done");
    assertThat(run.err()).isEqualTo("kcache: interrupted; run it again to copy the rest\n");
  }

  @Test
  void json_hasTheSameNumbers() {
    assertThat(copied(command.cache, copy, "--json"))
        .matches(
            "\\{\"schema\":\"kcache.sync/1\",\"from\":\"[^\"]+\",\"to\":\"[^\"]+\","
                + "\"interrupted\":false,\"copied\":4,\"present\":0,\"refused\":0,\"failed\":0,"
                + "\"skipped\":0,\"notDone\":0,\"size\":\\d+,\"elapsedSeconds\":0.0}\n");
  }
}
