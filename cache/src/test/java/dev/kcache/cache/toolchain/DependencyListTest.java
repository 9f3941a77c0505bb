// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DependencyListTest {
  @Test
  void parse_continuedLines_givesEachFile() {
    assertThat(DependencyList.parse("x: src/a.hip \\\n  /usr/include/b.h \\\n  inc0/c.h\n"))
        .containsExactly("src/a.hip", "/usr/include/b.h", "inc0/c.h");
  }

  @Test
  void parse_escapes_areUndone() {
    assertThat(DependencyList.parse("x: a\\ b.h c$$d.h \\#e.h f\\g.h\n"))
        .containsExactly("a b.h", "c$d.h", "#e.h", "f\\g.h");
  }

  @Test
  void parse_noRule_isEmpty() {
    assertThat(DependencyList.parse("")).isEmpty();
    assertThat(DependencyList.parse("x: \n")).isEmpty();
  }
}
