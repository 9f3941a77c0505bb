// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.OtherUser.Run;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A directory that a group shares, and real processes of its members and of others. */
@Timeout(120)
class SharedDirectoryTest {
  private static final int TEAM = 20_000;
  private static final int SHARED = 02770;

  @TempDir static Path programs;
  @TempDir Path temp;
  private Path root;
  private OtherUser ann;
  private OtherUser bob;
  private OtherUser stranger;

  @BeforeEach
  void makeTheDirectoryAsAnAdministratorWould() throws IOException {
    assumeTrue(Files.getAttribute(temp, "unix:uid").equals(0), "only root can become other users");
    setPermissions(programs, "rwxr-xr-x");
    setPermissions(temp, "rwxr-xr-x");
    root = Files.createDirectory(temp.resolve("kernels"));
    Files.setAttribute(root, "unix:gid", TEAM);
    Files.setAttribute(root, "unix:mode", SHARED);
    ann = new OtherUser(programs, 10_001, 10_001, TEAM).withUmask("077");
    bob = new OtherUser(programs, 10_002, TEAM).withUmask("002");
    stranger = new OtherUser(programs, 10_003, 10_003);
  }

  @Test
  void members_useWhatTheOthersMade() throws Exception {
    assertResult(get(ann, "a.hip"), "COMPILED kept");
    assertResult(get(bob, "a.hip"), "DISK kept");
    assertResult(get(bob, "b.hip"), "COMPILED kept");
    assertResult(get(ann, "b.hip"), "DISK kept");
    assertThat(modes(root)).containsOnly("d 42770 " + TEAM, "f 100660 " + TEAM);
  }

  @Test
  void members_whoDoNotShare_refuseIt() throws Exception {
    Map<String, String> environment = environment();
    environment.remove("KCACHE_SHARED");

    assertNotUsed(get(ann, environment, "a.hip"), "can be written by other users (rwxrwx---)");
  }

  @Test
  void others_areRefusedAndRefuseIt() throws Exception {
    get(ann, "a.hip");
    assertNotUsed(get(stranger, "a.hip"), "cannot be read by this user");
  }

  /** What everybody can write, a stranger's group, and what is not prepared for a group. */
  @ParameterizedTest
  @CsvSource({
    "0, 20000, 2777, can be written by other users (rwxrwxrwx)",
    "10003, 10003, 2775, can be written by other users (rwxrwxr-x)",
    "10001, 20000, 0700, is not shared with its group (rwx------); run 'chmod 2770' on it",
    "10001, 20000, 0750, is not shared with its group (rwxr-x---); run 'chmod 2770' on it",
    "10001, 20000, 0770, is not shared with its group (rwxrwx---); run 'chmod 2770' on it",
  })
  void directoryThatIsNotAGroupsOwn_isNotUsed(int owner, int group, String mode, String fault)
      throws Exception {
    Files.setAttribute(root, "unix:uid", owner);
    Files.setAttribute(root, "unix:gid", group);
    Files.setAttribute(root, "unix:mode", Integer.parseInt(mode, 8));

    assertNotUsed(get(ann, "a.hip"), fault);
    assertThat(root).isEmptyDirectory();
  }

  @Test
  void directoryOfAMember_belowTheMembersOwn_isUsed() throws Exception {
    Path home = Files.createDirectory(temp.resolve("home"));
    setPermissions(home, "rwxr-xr-x");
    root = Files.move(root, home.resolve("kernels"));
    Files.setAttribute(home, "unix:uid", 10_002);
    assertNotUsed(get(ann, "a.hip"), "is reached through " + home + ", which belongs to 10002");
    Files.setAttribute(root, "unix:uid", 10_002);

    assertResult(get(bob, "a.hip"), "COMPILED kept");
    assertResult(get(ann, "a.hip"), "DISK kept");
  }

  @Test
  void entryThatWasPrivate_isServedAndToldOf() throws Exception {
    get(ann, "a.hip");
    for (Path image : CacheTestBase.files(root, ".co")) {
      setPermissions(image, "rw-------");
    }

    Run run = get(ann, "a.hip");
    assertThat(run.out()).contains("DISK kept");
    assertThat(run.err()).contains(root + " has parts that its group cannot write");
  }

  @Test
  void fileOfAnotherGroup_isAMiss() throws Exception {
    get(ann, "a.hip");
    for (Path record : CacheTestBase.files(root, ".json")) {
      Files.setAttribute(record, "unix:uid", 10_003);
      Files.setAttribute(record, "unix:gid", 10_003);
    }

    assertResult(get(bob, "a.hip"), "COMPILED kept");
  }

  @Test
  void damagedEntry_isMovedAsideByAnyMember() throws Exception {
    get(ann, "a.hip");
    for (Path image : CacheTestBase.files(root, ".co")) {
      Files.write(image, new byte[] {1, 2, 3});
    }

    assertThat(get(bob, "a.hip").out()).contains("COMPILED kept");
    assertThat(root.resolve("quarantine")).isNotEmptyDirectory();
    assertResult(get(ann, "a.hip"), "DISK kept");
  }

  @Test
  void lock_keepsMembersApart() throws Exception {
    Process holder = ann.start(environment(), temp.resolve("holder"), MemberMain.class, "hold");
    try (BufferedReader out = holder.inputReader()) {
      assertThat(out.readLine()).as(Files.readString(temp.resolve("holder"))).isEqualTo("held");
      assertThat(modes(root.resolve("beats"))).contains("f 100660 " + TEAM);

      assertThat(bob.run(environment(), MemberMain.class, "try").out()).containsExactly("waits");
      holder.getOutputStream().close();
      assertThat(out.readLine()).isEqualTo("done");
    } finally {
      holder.destroyForcibly();
    }
    assertThat(bob.run(environment(), MemberMain.class, "try").out()).containsExactly("works");
  }

  /** Nobody can be made to wait, or to write elsewhere, by what stands in place of a beat. */
  @Test
  void beatOfAMemberWhoIsGone_isReplaced() throws Exception {
    bob.run(environment(), MemberMain.class, "try");
    Path precious = Files.writeString(temp.resolve("precious"), "precious");
    setPermissions(precious, "rw-rw-rw-");
    Path beats = root.resolve("beats");
    for (Path beat : List.of(beats.resolve(beatName(0)), beats.resolve(beatName(1)))) {
      Files.deleteIfExists(beat);
      Files.createSymbolicLink(beat, precious);
    }

    assertThat(ann.run(environment(), MemberMain.class, "try").out()).containsExactly("works");
    assertThat(precious).hasContent("precious");
  }

  @Test
  void memo_isEachMembersOwn() throws Exception {
    assertThat(get(ann, "a.hip").out()).contains("memo null");
    Path home = Files.createDirectory(temp.resolve("home"));
    Files.setAttribute(home, "unix:uid", 10_001);
    Map<String, String> environment = environment();
    environment.put("HOME", home.toString());

    assertThat(get(ann, environment, "a.hip").out())
        .contains("DISK kept", "memo " + home.resolve(".cache/kcache/memo"));
    environment.put("HOME", "/nowhere");
    environment.put("XDG_CACHE_HOME", temp.toString());
    environment.put("KCACHE_DIR", temp.resolve("kcache").toString());
    assertThat(get(ann, environment, "a.hip").out()).contains("memo null");
  }

  @Test
  void layers_areNotAffected() throws Exception {
    get(ann, "a.hip");
    Map<String, String> environment = environment();
    environment.put("KCACHE_PATH", root.toString());
    environment.put("KCACHE_DIR", Files.createDirectory(temp.resolve("empty")).toString());
    Files.setAttribute(temp.resolve("empty"), "unix:gid", TEAM);
    Files.setAttribute(temp.resolve("empty"), "unix:mode", SHARED);

    Run run = get(bob, environment, "a.hip");
    assertThat(run.out()).contains("COMPILED kept");
    assertThat(run.err()).contains("not using layer " + root + ": it can be written by other");
  }

  @Test
  void builder_sharesTheDirectoryThatItNames() throws IOException {
    Path made = root.resolve("made");
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of())
            .toolchain(new FakeToolchain())
            .directory(made)
            .sharedWithGroup()
            .build()) {
      cache.getOrCompile(KernelSource.of("k.hip", "__global__ void k() {}\n"), MemberMain.GFX90A);
    }
    assertThat(modes(made)).containsOnly("d 42770 " + TEAM, "f 100660 " + TEAM);
  }

  private static String beatName(int lane) {
    return "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855-" + lane;
  }

  private Run get(OtherUser user, String name) throws Exception {
    return get(user, environment(), name);
  }

  private static Run get(OtherUser user, Map<String, String> environment, String name)
      throws Exception {
    return user.run(environment, MemberMain.class, "get", name);
  }

  private Map<String, String> environment() {
    return new HashMap<>(Map.of("KCACHE_DIR", root.toString(), "KCACHE_SHARED", "group"));
  }

  private static void assertResult(Run run, String result) {
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains(result);
  }

  private static void assertNotUsed(Run run, String fault) {
    assertThat(run.out()).contains("COMPILED not kept");
    assertThat(run.err().lines().filter(line -> line.startsWith("WARNING")))
        .singleElement()
        .asString()
        .contains(fault);
  }

  /** Returns kind, mode and group of all that is in a directory, and of itself. */
  private static List<String> modes(Path directory) throws IOException {
    return CacheTestBase.files(directory, "").stream().map(SharedDirectoryTest::mode).toList();
  }

  private static String mode(Path path) {
    try {
      Map<String, Object> attributes = Files.readAttributes(path, "unix:mode,gid");
      return (Files.isDirectory(path) ? "d " : "f ")
          + Integer.toOctalString((Integer) attributes.get("mode"))
          + " "
          + attributes.get("gid");
    } catch (IOException e) {
      return path + ": " + e;
    }
  }

  private static void setPermissions(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
