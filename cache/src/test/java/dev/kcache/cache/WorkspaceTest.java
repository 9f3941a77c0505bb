// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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
  void memoDirectory_isTheUsersOwnAlsoForALayerButNotPartOfOne() {
    Path own = temp.resolve("own");
    assertThat(workspace(Map.of(), Optional.of(temp.resolve("layer"))).memoDirectory())
        .hasValueSatisfying(memo -> assertThat(memo.getParent()).isEqualTo(own));
    assertThat(workspace(Map.of(), Optional.of(own)).memoDirectory()).isEmpty();
    assertThat(own).doesNotExist();
  }

  private Path stagingParent(String tmpdir) {
    return workspace(Map.of("TMPDIR", tmpdir), Optional.empty()).stagingParent();
  }

  private Workspace workspace(Map<String, String> environment, Optional<Path> directory) {
    CacheSettings settings = CacheSettings.of(Map.of("KCACHE_DIR", temp.resolve("own").toString()));
    return Workspace.of(environment, settings, directory);
  }
}
