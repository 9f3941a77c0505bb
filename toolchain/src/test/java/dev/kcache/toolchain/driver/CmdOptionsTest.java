// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CmdOptionsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-DA=%PATH%",
        "-DA=a^b",
        "-DA=1&2",
        "-DA=1|2",
        "-DA=1<2",
        "-DA=2>1",
        "-DA=!B",
        "-DA=\"b\""
      })
  void objection_whatCmdChanges_saysSo(String option) {
    assertThat(CmdOptions.objection(List.of("-O3", option)))
        .contains(
            "hipcc.exe would give "
                + option
                + " to cmd.exe, which changes % ^ & | < > ! and quotes; define it in the source"
                + " instead, or set KCACHE_TOOLCHAIN=amdclang");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-O3", "-std=c++17", "-DA=a b", "-DF(x,y)=x+y", "-ffp-contract=off", "-DA='b'"})
  void objection_others_isNone(String option) {
    assertThat(CmdOptions.objection(List.of(option))).isEmpty();
  }

  @Test
  void concern_isOfWindowsAlone() {
    assertThat(CmdOptions.concern(Path.of("/usr/bin/hipcc"))).isFalse();
  }
}
