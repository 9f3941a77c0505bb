// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrateScannerTest {
  @TempDir Path temporary;

  /** The home of cargo comes with the process; {@code CrateTest} has all else. */
  @Test
  void lockedCrate_isFoundWhereCargoFetchedIt() throws IOException {
    Path home = temporary.toRealPath().resolve("home");
    Path crate = temporary.toRealPath().resolve("k");
    write(crate.resolve("Cargo.toml"), "[package]\nname = \"k\"\n");
    write(
        crate.resolve("Cargo.lock"),
        "[[package]]\nname = \"libm\"\nversion = \"0.2.8\"\nsource ="
            + " \"registry+https://example.org/index\"\nchecksum = \"ff\"\n");
    Path fetched = home.resolve("registry/src/example.org-1949cf8c6b5b557f/libm-0.2.8");
    write(fetched.resolve("Cargo.toml"), "[package]\nname = \"libm\"\nversion = \"0.2.8\"\n");
    write(fetched.resolve(".cargo-ok"), "");

    SourcePath main = new SourcePath(new DiskTree(), crate.resolve("Cargo.toml").toString());
    IncludeClosure closure =
        CrateScanner.scan(new SourceSnapshot(), main, "k/Cargo.toml", home.toString());

    assertThat(closure.files().values())
        .extracting(IncludeClosure.File::display)
        .containsExactlyInAnyOrder(
            "k/Cargo.lock",
            "k/Cargo.toml",
            "libm-0.2.8/.cargo-checksum.json",
            "libm-0.2.8/Cargo.toml");
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
