// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaunchesTest {
  private final Launches launches = new Launches();
  private final LaunchRing ring = launches.open();

  private static void launch(LaunchRing ring, String kernel) {
    ring.end(ring.begin(kernel), kernel, true);
  }

  private List<String> kernels() {
    return launches.suspects().kernels();
  }

  @Test
  void suspects_ofSeveralStreams_areEachNamedOnce() {
    launch(ring, "a");
    launch(ring, "b");
    launch(ring, "a");
    launch(launches.ofDefaultStream(), "c");

    assertThat(launches.suspects().kernels()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(launches.suspects().lost()).isZero();
  }

  @Test
  void suspects_afterAWait_areThoseLaunchedSinceItBegan() {
    launch(ring, "before");
    long mark = ring.mark();
    launch(ring, "during");
    ring.passed(mark);

    assertThat(kernels()).containsExactly("during");
    ring.passed(ring.mark());
    assertThat(launches.suspects().isEmpty()).isTrue();
  }

  @Test
  void passed_ofAnOlderMark_bringsNothingBack() {
    launch(ring, "a");
    long older = ring.mark();
    launch(ring, "b");
    ring.passed(ring.mark());
    ring.passed(older);

    assertThat(kernels()).isEmpty();
  }

  /** The runtime may get the launch after it was asked to wait. */
  @Test
  void mark_whileALaunchIsInProgress_isBeforeAll() {
    launch(ring, "a");
    long position = ring.begin("b");
    ring.passed(ring.mark());
    ring.end(position, "b", true);

    assertThat(kernels()).containsExactly("a", "b");
  }

  @Test
  void suspects_ofARefusedLaunch_areNone() {
    ring.end(ring.begin("refused"), "refused", false);

    assertThat(launches.suspects().isEmpty()).isTrue();
    launch(ring, "a");
    assertThat(kernels()).containsExactly("a");
  }

  @Test
  void suspects_ofMoreLaunchesThanAreKept_areTheLastAndACount() {
    IntStream.range(0, LaunchRing.KEPT + 3).forEach(i -> launch(ring, "k" + i));

    Suspects suspects = launches.suspects();
    assertThat(suspects.kernels()).hasSize(LaunchRing.KEPT).startsWith("k3").endsWith("k18");
    assertThat(suspects.lost()).isEqualTo(3);
    assertThat(suspects.describe()).endsWith("k18 and 3 earlier launches");
  }

  @Test
  void passing_ofTheDevice_passesAllStreams() {
    launch(ring, "a");
    launch(launches.ofDefaultStream(), "b");
    Runnable passed = launches.passing();
    launch(ring, "c");
    passed.run();

    assertThat(kernels()).containsExactly("c");
  }

  @Test
  void close_ofAStream_forgetsItsLaunches() {
    launch(ring, "a");
    launches.close(ring);

    assertThat(kernels()).isEmpty();
  }

  @Test
  void describe_namesOneKernelSeveralOrNone() {
    assertThat(new Suspects(List.of("a"), 0).describe()).isEqualTo("the kernel in flight was a");
    assertThat(new Suspects(List.of("a", "b"), 0).describe())
        .isEqualTo("the kernels in flight were a, b");
    assertThat(Suspects.NONE.describe()).isEqualTo("kcache had no kernel in flight there");
  }
}
