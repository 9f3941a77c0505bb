// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The way that a native image takes, which can't define classes: here in a JVM, which could. */
class NativeImageTest {
  @Test
  void firstRuntime_isLinked_secondIsRefused() {
    String first = StandIn.build(Version.HIP_6_4).library().toString();
    String second = StandIn.build(Version.HIP_5_2).library().toString();

    assertThat(
            RuntimeProbe.run(
                NativeImageTest.class,
                Map.of(),
                List.of("-Dorg.graalvm.nativeimage.imagecode=runtime"),
                first,
                second))
        .containsSubsequence(
            first + " has 6.4.", second, "a native image can use only one runtime of this kind");
  }

  /** Prints the version of each library, or why it can't be used. */
  public static void main(String[] libraries) {
    for (String library : libraries) {
      HipRuntime runtime = HipRuntime.at(Path.of(library));
      System.out.println(
          runtime
              .unavailability()
              .map(Throwable::getMessage)
              .orElseGet(() -> library + " has " + runtime.version()));
    }
  }
}
