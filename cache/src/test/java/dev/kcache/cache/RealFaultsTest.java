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

/**
 * A process whose cache directory is full, only read, out of reach or nowhere, as containers have
 * it: made by mounts in a namespace of its own, and by another user's number.
 */
@Timeout(120)
class RealFaultsTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final List<String> NOBODY =
      List.of("setpriv", "--reuid", "64321", "--regid", "64321", "--clear-groups", "--");

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

  @Test
  void fullDisk_costsTheEntriesAndOneWarning() throws Exception {
    Run run =
        run(
            mounted(
                "mount -t tmpfs -o mode=0700,size=64k none $0; head -c 64k /dev/zero > $0/full"));

    assertCompiled(run, 2);
    assertThat(run.warnings()).singleElement().asString().contains("No space left on device");
  }

  @Test
  void fullDiskAfterTheFirstEntry_keepsThat() throws Exception {
    String script = "mount -t tmpfs -o mode=0700,size=28k none $0";
    Run run = run(mounted(script + "; head -c 8k /dev/zero > $0/nearly"));

    assertThat(run.out()).contains("0 hits, 2 compiled, 1 not kept");
    assertThat(run.warnings()).singleElement().asString().contains("No space left on device");
  }

  @Test
  void noInodesLeft_costsTheEntriesAndOneWarning() throws Exception {
    Run run = run(mounted("mount -t tmpfs -o mode=0700,nr_inodes=2 none $0"));

    assertCompiled(run, 2);
    assertThat(run.warnings()).singleElement().asString().contains("No space left on device");
  }

  @Test
  void readOnlyRoot_servesWhatItHasAndKeepsNothing() throws Exception {
    fill(DegradedMain.SOURCES.get(0));

    Run run = run(mounted("mount --bind $0 $0; mount -o remount,bind,ro $0"));

    assertThat(run.out()).contains("1 hits, 1 compiled, 1 not kept");
    assertThat(run.warnings()).singleElement().asString().contains("it is only read");
  }

  @Test
  void readOnlyRootWithoutACache_costsTheEntriesAndOneWarning() throws Exception {
    environment.put("KCACHE_DIR", root.resolve("below").toString());

    Run run = run(mounted("mount --bind $0 $0; mount -o remount,bind,ro $0"));

    assertCompiled(run, 2);
    assertThat(run.warnings()).singleElement().asString().contains("cannot be created in " + root);
  }

  @Test
  void homeThatCannotBeWritten_costsTheEntriesAndOneWarning() throws Exception {
    Path home = Files.createDirectory(temp.resolve("home"));
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("r-xr-xr-x"));
    environment.remove("KCACHE_DIR");
    environment.put("HOME", home.toString());

    Run run = run(NOBODY);

    assertCompiled(run, 2);
    assertThat(run.warnings()).singleElement().asString().contains("cannot be created in " + home);
  }

  @Test
  void randomUserWithTheRootAsHome_costsTheEntriesAndOneWarning() throws Exception {
    environment.remove("KCACHE_DIR");
    environment.put("HOME", "/");

    Run run = run(NOBODY);

    assertCompiled(run, 2);
    assertThat(run.warnings()).singleElement().asString().contains("cannot be created in /");
  }

  @Test
  void randomUserWithoutAHome_costsTheEntriesAndOneWarning() throws Exception {
    environment.remove("KCACHE_DIR");

    Run run = run(NOBODY);

    assertCompiled(run, 2);
    assertThat(run.warnings()).singleElement().asString().contains("set KCACHE_DIR");
  }

  @Test
  void privateCacheOfAnotherUser_isNotUsed() throws Exception {
    fill(DegradedMain.SOURCES.get(0));

    Run run = run(NOBODY);

    assertCompiled(run, 2);
    assertThat(run.warnings()).singleElement().asString().contains("cannot be read by this user");
  }

  private static void assertCompiled(Run run, int notKept) {
    assertThat(run.out())
        .containsExactly(
            "k.hip " + FakeToolchain.fixture(GFX90A),
            "other.hip " + FakeToolchain.fixture(GFX90A),
            "0 hits, 2 compiled, " + notKept + " not kept");
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
    return List.of(
        "unshare",
        "-m",
        "--propagation",
        "unchanged",
        "sh",
        "-c",
        "mount --make-rprivate / 2>/dev/null; " + script + "; exec \"$@\"",
        root.toString());
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
