// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One of them compiles what all others wait for, whatever becomes of it. */
@Tag("fleet")
class FleetTest extends FleetTestBase {
  private Node node(int machine, long millis) throws IOException {
    return new Node(launch(machine, 1, millis));
  }

  @Test
  void coldFleet_compilesEachKernelOnce() throws IOException {
    launchAll();
    startCold("cold");
  }

  /** Lets time pass for the server: what is left of the leases is half a second. */
  private void letLeasesEnd() throws IOException {
    List<String> leases = leases();
    assertThat(leases).isNotEmpty();
    for (String lease : leases) {
      assertThat(Long.parseLong(server.ask("pttl", lease).strip())).isBetween(1L, 15_000L);
      server.ask("pexpire", lease, "500");
    }
  }

  private List<String> leases() throws IOException {
    return server.ask("--scan", "--pattern", "kcache:lease/*").lines().toList();
  }

  @Test
  void killedHolder_losesItsLease() throws Exception {
    Node holder = node(0, 60_000);
    Node other = node(1, 0);
    holder.go("");
    awaitCompiles("", 1);
    other.go("");
    holder.process.destroyForcibly().waitFor();
    letLeasesEnd();
    assertThat(other.results().get(0)[1]).isEqualTo("COMPILED");
    assertThat(compiles("")).hasSize(2);
  }

  @Test
  void frozenHolder_losesItsLeaseAndDoesNoHarmWhenItGoesOn() throws Exception {
    // Both before the compile, whose lease may not end before it is looked at.
    Node holder = node(0, 8000);
    Node other = node(1, 0);
    holder.go("");
    awaitCompiles("", 1);
    signal("-STOP", holder);
    other.go("");
    letLeasesEnd();
    String[] first = other.results().get(0);
    assertThat(first[1]).isEqualTo("COMPILED");
    signal("-CONT", holder);
    String[] second = holder.results().get(0);
    assertThat(second[1]).isEqualTo("COMPILED");
    assertThat(second[2]).isEqualTo(first[2]);
    assertThat(compiles("")).hasSize(2);
    holder.end();
    assertThat(leases()).isEmpty();
  }

  @Test
  void killedServer_keepsNobodyWaiting() throws IOException {
    Node holder = node(0, 2000);
    Node other = node(1, 0);
    holder.go("");
    awaitCompiles("", 1);
    other.go("");
    assertThat(leases()).singleElement().asString().contains("lease/gfx90a/");
    server.close();
    String[] waited = other.results().get(0);
    assertThat(waited[1]).isEqualTo("COMPILED");
    // The deadline of a request, and not what the holder takes or the bound of a wait.
    assertThat(Long.parseLong(waited[3])).isLessThan(20_000);
    assertThat(holder.results().get(0)[2]).isEqualTo(waited[2]);
    assertThat(compiles("")).hasSize(2);
  }
}
