// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Layers from the shell: {@code prewarm --cache-dir} makes them, {@code KCACHE_PATH} reads them.
 */
class LayersTest extends CommandTestBase {
  private Path layer;
  private Path source;

  @BeforeEach
  void createLayer() {
    layer = directory.resolve("layer");
    source = command.kernel("a.hip");
    // What is remembered of a compile stays with whoever compiled.
    String own = command.environment.put("KCACHE_DIR", directory.resolve("theirs").toString());
    succeeds("prewarm", source, "--arch", "gfx90a", "--cache-dir", layer);
    put("KCACHE_DIR", own, "KCACHE_PATH", layer.toString());
  }

  @Test
  void prewarm_hitsALayerAndCopiesNothing() {
    Run run = command.run("prewarm", source, "--arch", "gfx90a");

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).startsWith("hit       gfx90a").contains("1 hit, 0 compiled");
    assertThat(command.toolchain.jobs).hasSize(1);
    assertThat(command.cache).doesNotExist();
  }

  @Test
  void prewarm_ofANamedDirectory_isCompleteWithoutTheLayers() {
    Path complete = directory.resolve("complete");

    Run run = command.run("prewarm", source, "--arch", "gfx90a", "--cache-dir", complete);

    assertThat(run.out()).startsWith("compiled  gfx90a");
    put("KCACHE_PATH", complete.toString());
    assertThat(command.run("prewarm", source, "--arch", "gfx90a").out()).startsWith("hit  ");
  }

  @Test
  void prewarm_laterStage_addsToTheSameLayer() {
    Path other = command.kernel("b.hip", "second");

    Run run = command.run("prewarm", source, other, "--arch", "gfx90a", "--cache-dir", layer);

    assertThat(run.out()).contains("hit       gfx90a  " + source, "compiled  gfx90a  " + other);
  }

  @Test
  void prewarm_aPrivateDirectory_doesNotOpenIt() throws IOException {
    Path closed = Files.createDirectory(directory.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));

    succeeds("prewarm", source, "--arch", "gfx90a", "--cache-dir", closed);
    assertThat(Files.getPosixFilePermissions(closed))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void list_showsWhichDirectoryHoldsEachEntry() {
    command.run("prewarm", command.kernel("own.hip"), "--arch", "gfx1030");

    Run run = succeeds("list");

    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("gfx1030  ").endsWith("  " + command.cache),
            line -> assertThat(line).startsWith("gfx90a   ").endsWith("  " + layer));
    assertThat(command.run("list", "--arch", "gfx90a").out().lines()).hasSize(1);
  }

  @Test
  void list_json_namesTheLayersAndEachEntrysDirectory() throws IOException {
    assertThat(command.run("list", "--json").out())
        .contains(
            "\"directory\":\"%s\",\"layers\":[\"%s\"],".formatted(command.cache, layer),
            "{\"directory\":\"%s\",\"target\":\"gfx90a\",".formatted(layer));
  }

  @Test
  void list_ofANamedDirectory_showsNoOther() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));

    Run run = command.run("list", "--cache-dir", empty);

    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("kcache: no entries in '" + empty + "'\n");
  }

  @Test
  void list_tellsOnceThatTheCacheDirectoryIsOpenToOthers() throws Exception {
    Files.createDirectory(command.cache);
    Files.setPosixFilePermissions(command.cache, PosixFilePermissions.fromString("rwxrwxrwx"));

    Run run =
        Programs.run(Programs.builder(directory, command.environment, Programs.kcache("list")));

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).contains("a.hip");
    assertThat(run.err())
        .startsWith("kcache: cache directory " + command.cache + " can be written by other users")
        .hasLineCount(1);
  }

  @Test
  void list_ofNothing_namesEveryDirectory() {
    assertThat(succeeds("list", "--arch", "gfx942").err())
        .isEqualTo(
            "kcache: no entries for gfx942 in '"
                + command.cache
                + "' (does not exist), '"
                + layer
                + "'\n");
    assertThat(succeeds("list", "--arch", "gfx942,gfx1201").err())
        .startsWith("kcache: no entries for gfx942, gfx1201 in '");
  }
}
