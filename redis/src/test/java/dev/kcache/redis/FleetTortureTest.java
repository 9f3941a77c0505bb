// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults in the middle of a cold start. */
@Tag("torture")
class FleetTortureTest extends FleetTestBase {
  private static final int ROUNDS = Integer.getInteger("kcache.fleet.rounds", 1);

  @Test
  void coldStarts_outliveKilledAndFrozenHoldersAndTheServer() throws Exception {
    launchAll();
    for (int i = 0; i < ROUNDS; i++) {
      startCold("cold" + i);
      loseTwo("lost" + i);
    }
    List<Node> first = nodes.subList(0, 1);
    begin("alone", first);
    awaitCompiles("alone", 1);
    server.close();
    begin("alone", nodes.subList(1, nodes.size()));
    // Each machine compiles for itself, but no kernel twice.
    assertThat(end("alone", nodes)).as(told()).hasSizeBetween(KERNELS, MACHINES * KERNELS);
  }

  /** What those two were compiling is compiled once more. */
  private void loseTwo(String round) throws Exception {
    Node killed = nodes.remove(0);
    Node frozen = nodes.remove(0);
    begin(round, List.of(killed, frozen));
    awaitCompiles(round, 2);
    killed.process.destroyForcibly().waitFor();
    signal("-STOP", frozen);
    begin(round, nodes);
    int most = KERNELS + 2 * (SLOTS + 1);
    assertThat(end(round, nodes)).as(told()).hasSizeBetween(KERNELS, most);
    signal("-CONT", frozen);
    assertThat(end(round, List.of(frozen))).as(told()).hasSizeBetween(KERNELS, most);
    nodes.add(frozen);
  }
}
