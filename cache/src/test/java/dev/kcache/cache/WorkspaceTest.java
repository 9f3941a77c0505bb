// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.standin.Warnings;
import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkspaceTest {
  private static final Path RUNTIMES = Path.of(System.getProperty("java.io.tmpdir"));

  @TempDir Path temp;

  @Test
  void stagingParent_isTheUsersTemporaryDirectory() {
    assertThat(stagingParent(temp.toString())).isEqualTo(temp);
    assertThat(workspace(Map.of("TMPDIR", temp.toString()), Optional.empty()).fault()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "relative", "/missing/directory", "/proc/self/status", "/proc"})
  void stagingParent_ofNoUse_isTheRuntimesAndTold(String tmpdir) {
    assertThat(stagingParent(tmpdir)).isEqualTo(RUNTIMES);
    if (tmpdir.startsWith("/")) {
      assertThat(workspace(Map.of("TMPDIR", tmpdir), Optional.empty()).fault())
          .contains(
              "the compiler works in %s, since %s cannot be written or has less than 64 MiB free;"
                      .formatted(RUNTIMES, tmpdir)
                  + " make room there or set TMPDIR to another");
    }
  }

  @Test
  void get_whenNoneServes_saysWhatToDo() throws IOException {
    List<Path> none = List.of(Path.of("/missing"), Path.of("/proc"));
    assertThat(new Workspace(none, Optional.empty()).fault())
        .contains(
            "no temporary directory, /missing or /proc, can be written and has 64 MiB free; make"
                + " room there or set TMPDIR to one that has");
    setMode(temp, 0777);
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp);
    for (Path useless : List.of(Path.of("/missing"), temp, link)) {
      assertThatThrownBy(() -> new Workspace(List.of(useless), Optional.empty()).get())
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith("cannot run a program: no temporary directory")
          .hasMessageContaining(useless.toString());
    }
  }

  @Test
  void directoryThatOthersCanChange_isPassedOverWithOneWarning() throws IOException {
    Path above = Files.createDirectory(temp.resolve("above"));
    Path tmpdir = Files.createDirectory(above.resolve("tmp"));
    Workspace workspace = workspace(Map.of("TMPDIR", tmpdir.toString()), Optional.empty());
    assertThat(workspace.get()).isEqualTo(tmpdir);
    setMode(above, 0777);

    try (Warnings warnings = Warnings.of(Workspace.class)) {
      assertThat(workspace.get()).isEqualTo(RUNTIMES);
      assertThat(workspace.get()).isEqualTo(RUNTIMES);
      assertThat(warnings.lines())
          .containsExactly(
              "temporary files are not made in "
                  + tmpdir
                  + ": it is reached through "
                  + above
                  + ", which can be written by other users (rwxrwxrwx); run 'chmod go-w' on it or"
                  + " choose another one");
    }
    assertThat(workspace.fault().orElseThrow())
        .startsWith("the compiler works in " + RUNTIMES + ", since " + tmpdir + " is reached");
  }

  @Test
  void directoryThatOthersCanWrite_servesIfItIsSticky() throws IOException {
    setMode(temp, 0777);
    assertThat(stagingParent(temp.toString())).isEqualTo(RUNTIMES);
    setMode(temp, 01777);
    assertThat(stagingParent(temp.toString())).isEqualTo(temp);
  }

  @Test
  void get_whereOthersCanChangeAll_isTheUsersOwn() throws IOException {
    setMode(temp, 0777);
    Path own = temp.resolveSibling(temp.getFileName() + "-own");
    Workspace workspace =
        new Workspace(List.of(temp), Optional.of(DiskStore.open(own, Access.PRIVATE)));
    try (Warnings warnings = Warnings.of(Workspace.class)) {
      assertThat(workspace.get()).isEqualTo(own.resolve("tmp"));
      assertThat(warnings.lines()).hasSize(1);
    } finally {
      Files.deleteIfExists(own.resolve("tmp"));
      Files.deleteIfExists(own);
    }
  }

  @Test
  void memoDirectory_isTheUsersOwnAlsoForALayerButNotPartOfOne() {
    Path own = temp.resolve("own");
    assertThat(workspace(Map.of(), Optional.of(temp.resolve("layer"))).memoDirectory())
        .hasValueSatisfying(memo -> assertThat(memo.getParent()).isEqualTo(own));
    assertThat(workspace(Map.of(), Optional.of(own)).memoDirectory()).isEmpty();
    assertThat(own).doesNotExist();
  }

  private static void setMode(Path directory, int mode) throws IOException {
    Files.setAttribute(directory, "unix:mode", mode);
  }

  private Path stagingParent(String tmpdir) {
    return workspace(Map.of("TMPDIR", tmpdir), Optional.empty()).get();
  }

  private Workspace workspace(Map<String, String> environment, Optional<Path> directory) {
    CacheManagerBuilder builder =
        CacheManager.builder().environment(Map.of("KCACHE_DIR", temp.resolve("own").toString()));
    directory.ifPresent(builder::directory);
    Path root = directory.orElse(temp.resolve("own"));
    return Workspace.of(
        environment, CacheSettings.of(builder), Optional.of(DiskStore.open(root, Access.PRIVATE)));
  }
}
