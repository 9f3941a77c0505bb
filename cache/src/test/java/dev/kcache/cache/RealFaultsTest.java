// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.codeobject.TargetId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process whose cache directory is full, only read, out of reach or nowhere, as containers have
 * it: made by mounts in a namespace of its own, and by another user's number.
 */
@Timeout(120)
class RealFaultsTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final List<String> NOBODY =
      List.of("setpriv", "--reuid", "64321", "--regid", "64321", "--clear-groups", "--");

  private static final String READ_ONLY = "mount --bind $0 $0; mount -o remount,bind,ro $0";

  @TempDir Path temp;
  private Path root;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void makeRoot() throws Exception {
    assumeTrue(Files.getAttribute(temp, "unix:uid").equals(0), "only root can mount");
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
    root = temp.resolve("cache");
    environment.put("KCACHE_DIR", root.toString());
    environment.put("PATH", System.getenv("PATH"));
  }

  private record Run(List<String> out, List<String> warnings) {}

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "size=64k    | head -c 64k /dev/zero > $0/full   | 2",
        "size=28k    | head -c 8k  /dev/zero > $0/nearly | 1",
        "nr_inodes=2 | :                                 | 2"
      })
  void fullDisk_costsTheEntriesAndOneWarning(String option, String fill, int notKept)
      throws Exception {
    Run run = run(mounted("mount -t tmpfs -o mode=0700," + option + " none $0; " + fill));

    assertCompiled(run, notKept, "No space left on device");
  }

  @Test
  void fullDiskOfATrace_costsOneWarning() throws Exception {
    Path trace = Files.createDirectory(temp.resolve("trace"));
    environment.put("KCACHE_TRACE", trace.toString());

    Run run = run(mounted("mount -t tmpfs -o nr_inodes=2 none " + trace));

    assertThat(run.out()).contains("0 hits, 2 compiled, 0 not kept");
    assertThat(run.warnings()).singleElement().asString().contains("No space left", "KCACHE_TRACE");
  }

  @Test
  void readOnlyRoot_servesWhatItHasAndKeepsNothing() throws Exception {
    fill(DegradedMain.SOURCES.get(0));

    Run run = run(mounted(READ_ONLY));

    assertThat(run.out()).contains("1 hits, 1 compiled, 1 not kept");
    assertThat(run.warnings()).singleElement().asString().contains("it is read-only");
  }

  @Test
  void readOnlyRootWithoutACache_costsTheEntriesAndOneWarning() throws Exception {
    environment.put("KCACHE_DIR", root.resolve("below").toString());

    assertCompiled(run(mounted(READ_ONLY)), 2, "cannot be created in " + root);
  }

  @Test
  void homeThatCannotBeWritten_costsTheEntriesAndOneWarning() throws Exception {
    Path home = Files.createDirectory(temp.resolve("home"));
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("r-xr-xr-x"));
    environment.remove("KCACHE_DIR");
    for (String place : List.of(home.toString(), "/")) {
      environment.put("HOME", place);

      assertCompiled(
          run(NOBODY),
          2,
          "cannot be created in "
              + place
              + ", which this user cannot write; set KCACHE_DIR or --cache-dir to a directory that can be written");
    }
    environment.remove("HOME");

    assertCompiled(run(NOBODY), 2, "set KCACHE_DIR");
  }

  @Test
  void privateCacheOfAnotherUser_isNotUsed() throws Exception {
    fill(DegradedMain.SOURCES.get(0));

    assertCompiled(
        run(NOBODY),
        2,
        root
            + " cannot be read by this user; set KCACHE_DIR or --cache-dir to a directory of your own");
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertCompiled(
        run(NOBODY),
        2,
        root
            + " can be written by other users (rwxrwxrwx); set KCACHE_DIR or --cache-dir to a directory of your own");
  }

  private static void assertCompiled(Run run, int notKept, String warning) {
    assertThat(run.out())
        .containsExactly(
            "k.hip " + FakeToolchain.fixture(GFX90A),
            "other.hip " + FakeToolchain.fixture(GFX90A),
            "0 hits, 2 compiled, " + notKept + " not kept");
    assertThat(run.warnings()).singleElement().asString().contains(warning);
  }

  private void fill(KernelSource source) {
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", root.toString()))
            .toolchain(new FakeToolchain())
            .build()) {
      cache.getOrCompile(source, GFX90A);
    }
  }

  /** Returns what to begin a command with so that it sees the cache directory mounted like this. */
  private List<String> mounted(String script) throws Exception {
    Files.createDirectories(root);
    String all = "mount --make-rprivate / 2>/dev/null; " + script + "; exec \"$@\"";
    List<String> launcher = new ArrayList<>(List.of("unshare", "-m", "--propagation", "unchanged"));
    launcher.addAll(List.of("sh", "-c", all, root.toString()));
    return launcher;
  }

  private Run run(List<String> launcher) throws Exception {
    Path err = temp.resolve("err");
    List<String> command = new ArrayList<>(launcher);
    command.addAll(CopiedClasses.in(temp).java(DegradedMain.class));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(Files.readString(err)).isZero();
    try (Stream<String> lines = Files.lines(err)) {
      return new Run(
          out.lines().toList(), lines.filter(line -> line.startsWith("WARNING")).toList());
    }
  }
}
