// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MakeRuleTest {
  @Test
  void prerequisites_continuedLines_givesEachFile() {
    assertThat(MakeRule.prerequisites("x: src/a.hip \\\n  /usr/include/b.h \\\n  inc0/c.h\n"))
        .containsExactly("src/a.hip", "/usr/include/b.h", "inc0/c.h");
  }

  /** As clang 20 for Windows wrote it under Wine. */
  @Test
  void prerequisites_onWindows_givesEachFile() {
    assertThat(
            MakeRule.prerequisites(
                "x: src\\main.hip Z:\\lib\\stdint.h \\\r\n  src\\a.h sp\\ ace\\c.h\r\n"))
        .containsExactly("src\\main.hip", "Z:\\lib\\stdint.h", "src\\a.h", "sp ace\\c.h");
  }

  @Test
  void prerequisites_escapes_areUndone() {
    assertThat(MakeRule.prerequisites("x: a\\ b.h c$$d.h \\#e.h f\\g.h\n"))
        .containsExactly("a b.h", "c$d.h", "#e.h", "f\\g.h");
  }

  /** rustc has a rule for each of its outputs, and one for each input. */
  @Test
  void prerequisites_ofSeveralRules_areThoseOfTheFirst() {
    assertThat(
            MakeRule.prerequisites(
                """
                ../out.d: src/a.rs src/b.rs

                ../out.o: src/a.rs src/b.rs

                src/a.rs:

                # env-dep:HOME=/home
                """))
        .containsExactly("src/a.rs", "src/b.rs");
  }

  @Test
  void prerequisites_noRule_isEmpty() {
    assertThat(MakeRule.prerequisites("")).isEmpty();
    assertThat(MakeRule.prerequisites("x: \n")).isEmpty();
  }
}
