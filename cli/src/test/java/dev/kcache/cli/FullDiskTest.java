// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Packs and images on a disk that has room for less, and then for all. */
class FullDiskTest {
  @TempDir Path directory;

  @Test
  @Timeout(60)
  void fullDisk_isOneLineAndLeavesNothing() throws Exception {
    assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root can mount");
    Files.createDirectory(directory.resolve("disk"));
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    List<String> line = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private"));
    List<String> options = List.of("-Djava.io.tmpdir=" + temporary, "-XX:TieredStopAtLevel=1");
    line.addAll(Programs.java(FullDiskMain.class, options, directory.toString()));
    Run run =
        Programs.run(
            Programs.builder(directory, Map.of("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"), line));

    assertThat(run.exitCode()).as(run.err()).isZero();
    String elsewhere =
        "make room for it and for temporary files, which -Djava.io.tmpdir=DIR puts elsewhere";
    String out =
        run.out().replaceAll("kcache-image-\\d+", "N").replace("pull: 1 [c] 1 ", "pull: 1 [c] 0 ");
    assertThat(out.replace(directory + "/", "").lines())
        .containsExactly(
            "pack: 3 [] 0 [] kcache: 'disk/k.jar' cannot be written: No space left on device; name"
                + " another file",
            "pack: 0 [k.jar] 0 [] ",
            "image: 3 [] 0 [] kcache: 'disk/k.tar': No space left on device; " + elsewhere,
            "image: 0 [k.tar] 0 [] ",
            "pull: 1 [c] 0 [] kcache: cache directory disk/c cannot be written (No space left on"
                + " device); make room there or choose another one",
            "pull: 0 [c] 2 [] ",
            "image's temporary: 3 [] 0 [] kcache: no image is written, since temporary files can't"
                + " be: cache directory tmp/N/cache cannot be written (No space left on device);"
                + " make room there or choose another one",
            "image's temporary: 0 [t.tar] 0 [] ",
            "pull's temporary: 3 [] 0 [] kcache: temporary files can't be written: No space left on"
                + " device; make room, or name another directory by -Djava.io.tmpdir=DIR",
            "pull's temporary: 0 [d] 2 [] ");
  }
}
