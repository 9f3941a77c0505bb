// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskTreeTest {
  private static final char WINDOWS = '\\';

  @ParameterizedTest
  @CsvSource({
    "C:\\,/C:",
    "C:\\k.hip,/C:/k.hip",
    "D:\\My Sources\\k^&%.hip,/D:/My Sources/k^&%.hip",
    "\\\\host\\share\\,/\\\\host\\share",
    "\\\\host\\share\\inc\\a.h,/\\\\host\\share/inc/a.h",
    "\\\\wsl.localhost\\Ubuntu\\home\\me\\a.h,/\\\\wsl.localhost\\Ubuntu/home/me/a.h"
  })
  void pathOnWindows_isOneWithSlashes(String onDisk, String inTree) {
    assertThat(DiskTree.inTree(onDisk, WINDOWS)).isEqualTo(inTree);
    assertThat(DiskTree.onDisk(inTree, WINDOWS)).isEqualTo(onDisk);
  }

  /** What is staged, and so the key, depends only on names below the roots. */
  @Test
  void names_areThoseOfTheSameTreeOnLinux() {
    for (String root : List.of("C:\\work", "\\\\host\\share", "\\\\host\\share\\work")) {
      SourcePath windows =
          new SourcePath(new DiskTree(), DiskTree.inTree(root + "\\src\\k.hip", WINDOWS));
      SourcePath directory = new SourcePath(new DiskTree(), DiskTree.inTree(root, WINDOWS));

      assertThat(windows.name()).isEqualTo("k.hip");
      assertThat(windows.parent().name()).isEqualTo("src");
      assertThat(windows.parent().parent()).isEqualTo(directory);
      assertThat(windows.parent().walk("../inc/a b.h").end())
          .isEqualTo(directory.resolve("inc").resolve("a b.h"));
      assertThat(directory.contains(windows)).isTrue();
    }
  }

  @Test
  void pathOnLinux_staysAsItIs() {
    assertThat(DiskTree.pathOf(Path.of("/C:/a\\b/k.hip"))).isEqualTo("/C:/a\\b/k.hip");
  }
}
