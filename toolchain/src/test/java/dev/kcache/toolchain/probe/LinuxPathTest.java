// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Java's own paths are the oracle: the tests run on Linux. */
class LinuxPathTest {
  private static final List<String> NAMES =
      List.of("", "/", "a", "..", ".", "b c", "\\", "C:", "ä");

  /** All paths of up to three names, with slashes in each place. */
  private static List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (String first : NAMES) {
      for (String second : NAMES) {
        for (String third : NAMES) {
          texts.add(first + "/" + second + "/" + third);
          texts.add(first + second + "/" + third);
        }
      }
    }
    return texts;
  }

  @Test
  void path_isWhatJavasIsOnLinux() {
    for (String text : texts()) {
      LinuxPath path = LinuxPath.of(text);
      Path oracle = Path.of(text);
      assertThat(path).hasToString(oracle.toString());
      assertThat(path.normalize()).as(text).hasToString(oracle.normalize().toString());
      assertThat(text(path.parent())).as(text).isEqualTo(text(oracle.getParent()));
      assertThat(path.name())
          .as(text)
          .isEqualTo(Objects.requireNonNullElse(oracle.getFileName(), Path.of("")).toString());
      assertThat(path.isAbsolute()).as(text).isEqualTo(oracle.isAbsolute());
    }
  }

  @Test
  void twoPaths_areToEachOtherAsJavasOnLinux() {
    List<String> texts = texts().stream().distinct().toList();
    for (String text : texts) {
      for (String other : List.of("/", "", "a", "/a", "a/b c", "..", "/a/../b c", "C:/a", "\\a")) {
        LinuxPath path = LinuxPath.of(text);
        assertThat(path.resolve(other))
            .as("%s and %s", text, other)
            .hasToString(Path.of(text).resolve(other).toString());
        assertThat(path.startsWith(LinuxPath.of(other)))
            .as("%s and %s", text, other)
            .isEqualTo(Path.of(text).startsWith(other));
        assertThat(Integer.signum(path.compareTo(LinuxPath.of(other))))
            .as("%s and %s", text, other)
            .isEqualTo(Integer.signum(Path.of(text).compareTo(Path.of(other))));
      }
    }
  }

  @Test
  void nul_isInNoPath() {
    assertThatThrownBy(() -> LinuxPath.of("/a\0b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a path with a NUL: /a?b");
  }

  private static String text(@Nullable Object path) {
    return path == null ? "none" : path.toString();
  }
}
