// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
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
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "relative", "/missing/directory", "/proc/self/status", "/proc"})
  void stagingParent_ofNoUse_isTheRuntimes(String tmpdir) {
    assertThat(stagingParent(tmpdir)).isEqualTo(RUNTIMES);
  }

  @Test
  void fault_ofADirectoryThatServes_isNone() {
    assertThat(workspace(Map.of("TMPDIR", temp.toString()), Optional.empty()).fault()).isEmpty();
  }

  @Test
  void fault_ofADirectoryOfNoUse_namesItAndTheOneThatServes() {
    assertThat(workspace(Map.of("TMPDIR", "/missing"), Optional.empty()).fault())
        .contains(
            "the compiler works in "
                + RUNTIMES
                + ", since /missing cannot be written or has less than 64 MiB free; make room there"
                + " or set TMPDIR to another");
  }

  @Test
  void fault_whenNoneServes_namesEach() {
    List<Path> useless = List.of(Path.of("/missing"), Path.of("/proc"));

    assertThat(new Workspace(useless, Optional.empty()).fault())
        .contains(
            "no temporary directory, /missing or /proc, can be written and has 64 MiB free; make"
                + " room there or set TMPDIR to one that has");
  }

  @Test
  void memoDirectory_isTheUsersOwnAlsoForALayerButNotPartOfOne() {
    Path own = temp.resolve("own");
    assertThat(workspace(Map.of(), Optional.of(temp.resolve("layer"))).memoDirectory())
        .hasValueSatisfying(memo -> assertThat(memo.getParent()).isEqualTo(own));
    assertThat(workspace(Map.of(), Optional.of(own)).memoDirectory()).isEmpty();
    assertThat(own).doesNotExist();
  }

  private Path stagingParent(String tmpdir) {
    return workspace(Map.of("TMPDIR", tmpdir), Optional.empty()).get();
  }

  private Workspace workspace(Map<String, String> environment, Optional<Path> directory) {
    CacheSettings settings = CacheSettings.of(Map.of("KCACHE_DIR", temp.resolve("own").toString()));
    Path root = directory.orElse(temp.resolve("own"));
    return Workspace.of(
        environment,
        settings,
        directory.orElse(null),
        Optional.of(DiskStore.open(root, Access.PRIVATE)));
  }
}
