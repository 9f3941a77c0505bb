// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Images in files; those in registries have tests of their own in the module that knows them. */
class ImageCommandTest extends CommandTestBase {
  private Path kernel;
  private Path tar;
  private Path copy;

  @BeforeEach
  void prewarm() {
    kernel = command.kernel("a.hip");
    tar = directory.resolve("kernels.tar");
    copy = directory.resolve("copy");
    succeeds("prewarm", kernel, "--arch", "gfx90a,gfx1030");
  }

  @Test
  void kernels_goToAnImageAndBack() {
    Run written = succeeds("image", "--to", tar);
    assertThat(written.err()).isEmpty();
    assertThat(written.out().lines())
        .satisfiesExactly(
            line ->
                assertThat(line).matches("2 kernels of .* kB in 2 layers: gfx1030-5.2, gfx90a-5.2"),
            line -> assertThat(line).matches("\\Q" + tar + "\\E  sha256:[0-9a-f]{64}"));

    Run pulled = succeeds("image", "--pull", tar, "--to", copy);
    assertThat(pulled.err()).isEmpty();
    assertThat(pulled.out()).startsWith("2 copied, 0 present, 0 refused, 0 failed; ");
    command.toolchain.missing = true;
    put("KCACHE_DIR", copy.toString());
    assertThat(succeeds("prove", kernel, "--arch", "gfx90a,gfx1030").out()).contains("2 hits, 0 ");
  }

  @Test
  void arch_choosesTheTargets() {
    assertThat(succeeds("image", "--to", tar, "--arch", "gfx90a").out())
        .contains("1 kernel of ", " in 1 layer: gfx90a-5.2\n");
    Run none = ends(ExitCode.USAGE, "image", "--to", tar, "--arch", "gfx942");
    assertThat(none.err())
        .isEqualTo(
            "kcache: there are no kernels for these targets in '%s'; fill it with 'kcache prewarm'\n"
                .formatted(command.cache));
  }

  @Test
  void json_hasTheSameNumbers() {
    assertThat(succeeds("image", "--to", tar, "--json").out())
        .matches(
            "\\{\"schema\":\"kcache.image/1\",\"image\":\"[^\"]+\",\"digest\":\"sha256:[^\"]{64}\","
                + "\"layers\":\\[\"gfx1030-5.2\",\"gfx90a-5.2\"],"
                + "\"targets\":\\[\"gfx1030\",\"gfx90a\"],\"labels\":\\[\"5.2\"],\"entries\":2,"
                + "\"size\":\\d+,\"contents\":\"[0-9a-f]{64}\"}\n");
    assertThat(succeeds("image", "--pull", tar, "--to", copy, "--json").out())
        .matches(
            "\\{\"schema\":\"kcache.image/1\",\"image\":\"[^\"]+\",\"directory\":\"[^\"]+\","
                + "\"copied\":2,\"present\":0,\"refused\":0,\"failed\":0,\"skipped\":0,"
                + "\"size\":\\d+}\n");
  }

  @Test
  void prove_looksIntoAnImage() {
    succeeds("image", "--to", tar, "--arch", "gfx90a");
    command.toolchain.missing = true;
    Run proven = succeeds("prove", kernel, "--arch", "gfx90a", "--image", tar);
    assertThat(proven.out()).endsWith("1 hit, 0 missing, 0 findings of damage in '" + tar + "'\n");
    assertThat(proven.err()).isEmpty();
    Run missing = ends(ExitCode.FAILED, "prove", kernel, "--arch", "gfx1030", "--image", tar);
    assertThat(missing.out()).contains("miss  gfx1030  ", "0 hits, 1 missing, ");
    assertThat(succeeds("prove", kernel, "--arch", "gfx90a", "--image", tar, "--json").out())
        .startsWith("{\"schema\":\"kcache.prove/1\",\"directories\":[],\"image\":\"" + tar + "\"");
    assertThat(
            ends(
                    ExitCode.USAGE,
                    "prove",
                    kernel,
                    "--image",
                    tar,
                    "--layer",
                    copy,
                    "--arch",
                    "gfx90a")
                .err())
        .contains("--image stands alone");
  }

  @Test
  void cutFile_isOneLine() throws IOException {
    succeeds("image", "--to", tar);
    Files.write(tar, Arrays.copyOf(Files.readAllBytes(tar), 3000));
    for (List<Object> arguments :
        List.<List<Object>>of(
            List.of("image", "--pull", tar, "--to", copy),
            List.of("prove", kernel, "--arch", "gfx90a", "--image", tar))) {
      Run run = ends(ExitCode.DAMAGED, arguments.toArray());
      assertThat(run.err())
          .startsWith("kcache: '" + tar + "' is cut or damaged, or no image: ")
          .endsWith("; get it again\n")
          .hasLineCount(1);
    }
    assertThat(copy).doesNotExist();
  }

  @Test
  void wrongArguments_areAWrongRequest() {
    wrong("image needs --to");
    wrong("image needs --to", "--pull", tar);
    wrong("'No Image' is no image; write REGISTRY/NAME:TAG", "--to", "No Image");
    wrong("--base is for an image that is written", "--pull", tar, "--to", copy, "--base", "x");
    wrong("there is no file '" + tar + "'", "--pull", tar, "--to", copy);
    wrong("there is no file '" + tar + "'", "--to", directory.resolve("new.tar"), "--base", tar);
    wrong("--pull takes no --cache-dir", "--pull", tar, "--to", copy, "--cache-dir", copy);
    assertThat(ends(ExitCode.UNAVAILABLE, "image", "--to", tar, "--cache-dir", copy).err())
        .isEqualTo("kcache: '" + copy + "' does not exist; name another by --cache-dir\n");
    assertThat(copy).doesNotExist();
    assertThat(tar).doesNotExist();
  }

  private void wrong(String problem, Object... arguments) {
    Object[] all = Stream.concat(Stream.of("image"), Stream.of(arguments)).toArray();
    assertThat(ends(ExitCode.USAGE, all).err()).contains(problem).hasLineCount(1);
  }
}
