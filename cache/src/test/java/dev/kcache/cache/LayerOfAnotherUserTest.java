// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.OtherUser.Run;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A layer that root made, and a process of another user, without a compiler, that reads it. */
@Timeout(120)
class LayerOfAnotherUserTest {
  private static final int NOBODY = 65534;
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final String HIT = "hit " + FakeToolchain.fixture(GFX90A).digest();

  @TempDir static Path programs;
  @TempDir Path temp;
  private Path layer;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void fillALayerAsRoot() throws IOException {
    assumeTrue(Files.getAttribute(temp, "unix:uid").equals(0), "only root can become another user");
    setPermissions(programs, "rwxr-xr-x");
    setPermissions(temp, "rwxr-xr-x");
    layer = temp.resolve("layer");
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of())
            .directory(layer)
            .toolchain(new FakeToolchain())
            .build()) {
      cache.getOrCompile(LayerReaderMain.SOURCE, GFX90A);
    }
    environment.putAll(Map.of("KCACHE_PATH", layer.toString(), "PATH", temp.toString()));
    environment.putAll(Map.of("ARCH", "gfx90a", "ROCM_VERSION", "5.2"));
  }

  @Test
  void otherUser_withoutAHome_hits() throws Exception {
    Run run = read();

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).containsExactly("uid " + NOBODY, HIT, "layers [" + layer + "]");
  }

  @Test
  void otherUser_withAHome_hitsAndWritesNothingThere() throws Exception {
    Path home = Files.createDirectory(temp.resolve("home"));
    Files.setAttribute(home, "unix:uid", NOBODY);
    environment.put("HOME", home.toString());

    Run run = read();

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains(HIT);
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void otherUser_withTheHomeOfRoot_hits() throws Exception {
    Path home = Files.createDirectory(temp.resolve("home"));
    setPermissions(home, "rwx------");
    environment.put("HOME", home.toString());

    assertThat(read().out()).contains(HIT);
  }

  @Test
  void layer_thatOnlyRootCanRead_isOneWarning() throws Exception {
    setPermissions(layer, "rwx------");

    assertNotUsed(read(), layer + ": it cannot be read by this user");
  }

  @Test
  void layer_ofTheReader_isUsed() throws Exception {
    give(layer, NOBODY);

    assertThat(read().out()).contains(HIT);
  }

  /** With an umask of 002, which distributions set where each user has a group of his own. */
  @Test
  void layer_belowADirectoryThatOnlyAPrivateGroupCanWrite_isUsed() throws Exception {
    Path above = Files.createDirectory(temp.resolve("above"));
    setPermissions(above, "rwxrwxr-x");
    layer = Files.move(layer, above.resolve("layer"));
    environment.put("KCACHE_PATH", layer.toString());
    give(above, OtherUser.WITH_A_PRIVATE_GROUP);
    Files.setAttribute(above, "unix:gid", OtherUser.WITH_A_PRIVATE_GROUP);
    OtherUser user =
        new OtherUser(programs, OtherUser.WITH_A_PRIVATE_GROUP, OtherUser.WITH_A_PRIVATE_GROUP);
    Run run = user.run(environment, LayerReaderMain.class);
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains(HIT);
    Files.setAttribute(above, "unix:gid", NOBODY);

    assertThat(user.run(environment, LayerReaderMain.class).err())
        .contains(above + ", which can be written by other users (rwxrwxr-x)");
  }

  @Test
  void privateEntryInALayer_isAMissForOthers() throws Exception {
    for (Path record : CacheTestBase.files(layer, ".json")) {
      setPermissions(record, "rw-------");
    }

    Run run = read();

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("miss");
  }

  private void assertNotUsed(Run run, String fault) {
    assertThat(run.out()).containsExactly("uid " + NOBODY, "miss", "layers []");
    assertThat(run.err().lines().filter(line -> line.startsWith("WARNING")))
        .singleElement()
        .asString()
        .contains("not using layer " + fault);
  }

  /** Runs the reader as the other user, with what is in {@link #environment} and nothing else. */
  private Run read() throws Exception {
    return new OtherUser(programs, NOBODY, NOBODY).run(environment, LayerReaderMain.class);
  }

  private static void give(Path root, int user) throws IOException {
    for (Path file : CacheTestBase.files(root, "")) {
      Files.setAttribute(file, "unix:uid", user);
    }
  }

  private static void setPermissions(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
