// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SystemIncludesTest {
  @Test
  void in_whatGccPrints_areTheDirectoriesOfTheSecondList() {
    String printed =
        """
        Using built-in specs.
        ignoring nonexistent directory "/usr/local/include/x86_64-linux-gnu"
        #include "..." search starts here:
         /quoted/only
        #include <...> search starts here:
         /usr/include/c++/12
         /usr/lib/gcc/x86_64-linux-gnu/12/include
         /opt/with a blank/include
         relative
        End of search list.
         /after
        """;

    assertThat(SystemIncludes.in(printed))
        .containsExactly(
            "/usr/include/c++/12",
            "/usr/lib/gcc/x86_64-linux-gnu/12/include",
            "/opt/with a blank/include");
  }

  @Test
  void in_somethingElse_isEmpty() {
    assertThat(SystemIncludes.in("")).isEmpty();
    assertThat(SystemIncludes.in("gcc: error: unrecognized command-line option\n /usr/include\n"))
        .isEmpty();
  }

  @Test
  void in_listThatIsCutOff_isWhatIsThere() {
    assertThat(SystemIncludes.in("#include <...> search starts here:\r\n /usr/include\r\n"))
        .containsExactly("/usr/include");
  }
}
