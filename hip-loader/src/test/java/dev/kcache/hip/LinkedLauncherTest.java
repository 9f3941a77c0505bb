// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Launches by the Java runtime's own linker, where it has one and the program allows it. */
class LinkedLauncherTest {
  private static final boolean HAS_LINKER = Runtime.version().feature() >= 22;

  @ParameterizedTest
  @EnumSource(names = {"HIP_6_4", "CUDA_13_0"})
  void launches_whereNativeAccessIsAllowed_areLinked(Version version) {
    String printed =
        LaunchProbe.run(StandIn.build(version).library().toString(), HAS_LINKER, HAS_LINKER);

    assertThat(printed)
        .endsWith(" 1024.0\n")
        .matches(line -> line.startsWith("LinkedLauncher ") == HAS_LINKER);
  }

  /**
   * What JNA's own load allows serves us too; without it, on 22 and 23, a warning of ours would be
   * printed that users have not asked for.
   */
  @ParameterizedTest
  @EnumSource(names = {"HIP_6_4", "CUDA_13_0"})
  void launches_whereNothingIsSaidOfNativeAccess_giveNoWarningOfOurs(Version version) {
    boolean loadedByJna = Runtime.version().feature() >= 24;

    String printed =
        LaunchProbe.run(StandIn.build(version).library().toString(), loadedByJna, false);

    assertThat(printed).endsWith(" 1024.0\n").doesNotContain("dev.kcache", "Linker");
    assertThat(printed.startsWith("LinkedLauncher ")).isEqualTo(loadedByJna);
  }
}
