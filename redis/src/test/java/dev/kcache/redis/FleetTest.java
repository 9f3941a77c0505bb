// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Machines that start cold and ask for the same kernels in the same moment, with one Redis. With
 * {@code -Dkcache.fleet.machines=20} and {@code -Dkcache.fleet.processes=10} they are 200
 * processes.
 */
@Tag("fleet")
class FleetTest {
  private static final int MACHINES = Integer.getInteger("kcache.fleet.machines", 4);
  private static final int PROCESSES = Integer.getInteger("kcache.fleet.processes", 3);
  private static final int KERNELS = 20;
  private static final int WAVE = 4;

  @TempDir Path temp;
  private final List<Node> nodes = new ArrayList<>();
  private Network network;
  private RedisServer server;

  @BeforeEach
  void start() throws IOException {
    network = new Network(MACHINES);
    server =
        RedisServer.start(temp, "--bind", "127.0.0.1", network.address(), "--protected-mode", "no");
  }

  @AfterEach
  void stop() throws IOException {
    nodes.forEach(node -> node.process.destroyForcibly());
    server.close();
    network.close();
  }

  /** A process of the fleet. */
  private static final class Node {
    final Process process;
    private final BufferedReader out;

    Node(Process process) throws IOException {
      this.process = process;
      out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
      assertThat(out.readLine()).isEqualTo("ready");
    }

    void go() throws IOException {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    }

    /** What it got: the kernel, the origin, the digest and the milliseconds of each. */
    List<String[]> results() throws IOException {
      List<String[]> results = new ArrayList<>();
      for (String line = out.readLine(); !"end".equals(line); line = out.readLine()) {
        assertThat(line).isNotNull();
        results.add(line.split(" "));
      }
      return results;
    }
  }

  private Path log() {
    return temp.resolve("compiles");
  }

  private List<String> compiles() throws IOException {
    return Files.exists(log()) ? Files.readAllLines(log()) : List.of();
  }

  /** Starts a process on a machine, on which all use one directory. */
  private Process launch(int machine, int kernels, long millis) throws IOException {
    List<String> java =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx40m",
            "-Xss256k",
            "-XX:CICompilerCount=1",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            FleetMain.class.getName(),
            server.urlAt(network.address()),
            temp.resolve("machine" + machine).toString(),
            log().toString(),
            "" + kernels,
            "" + millis);
    return new ProcessBuilder(network.on(machine, java))
        .redirectError(ProcessBuilder.Redirect.appendTo(temp.resolve("errors").toFile()))
        .start();
  }

  private Node node(int machine, long millis) throws IOException {
    Node node = new Node(launch(machine, 1, millis));
    nodes.add(node);
    return node;
  }

  private void awaitCompiles(int number) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (compiles().size() < number) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void coldFleet_compilesEachKernelOnce() throws IOException {
    List<Process> launched = new ArrayList<>();
    // They start in waves, since the cores are few, and begin at once.
    for (int i = 0; i < MACHINES * PROCESSES; i++) {
      launched.add(launch(i % MACHINES, KERNELS, 100));
      if (i >= WAVE) {
        nodes.add(new Node(launched.get(i - WAVE)));
      }
    }
    for (Process process : launched.subList(nodes.size(), launched.size())) {
      nodes.add(new Node(process));
    }
    for (Node node : nodes) {
      node.go();
    }
    Set<String> digests = new HashSet<>();
    for (Node node : nodes) {
      for (String[] result : node.results()) {
        digests.add(result[0] + " " + result[2]);
      }
    }
    assertThat(compiles())
        .as(Files.readString(temp.resolve("errors")))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, KERNELS).mapToObj(i -> "k" + i).toList());
    assertThat(digests).hasSize(KERNELS);
  }

  /** Lets time pass for the server: what is left of a lease is half a second. */
  private void letLeasesEnd() throws IOException {
    String lease = server.ask("--scan", "--pattern", "kcache:lease/*").strip();
    assertThat(Long.parseLong(server.ask("pttl", lease).strip())).isBetween(1L, 15_000L);
    server.ask("pexpire", lease, "500");
  }

  @Test
  void killedHolder_losesItsLease() throws Exception {
    Node holder = node(0, 60_000);
    holder.go();
    awaitCompiles(1);
    Node other = node(1, 0);
    other.go();
    holder.process.destroyForcibly().waitFor();
    letLeasesEnd();
    assertThat(other.results().get(0)[1]).isEqualTo("COMPILED");
    assertThat(compiles()).hasSize(2);
  }

  @Test
  void frozenHolder_losesItsLeaseAndDoesNoHarmWhenItGoesOn() throws Exception {
    Node holder = node(0, 3000);
    holder.go();
    awaitCompiles(1);
    signal("-STOP", holder);
    Node other = node(1, 0);
    other.go();
    letLeasesEnd();
    String[] first = other.results().get(0);
    assertThat(first[1]).isEqualTo("COMPILED");
    signal("-CONT", holder);
    String[] second = holder.results().get(0);
    assertThat(second[1]).isEqualTo("COMPILED");
    assertThat(second[2]).isEqualTo(first[2]);
    assertThat(compiles()).hasSize(2);
    assertThat(server.ask("--scan", "--pattern", "kcache:lease/*")).isBlank();
  }

  private static void signal(String signal, Node node) throws Exception {
    Process kill = new ProcessBuilder("kill", signal, "" + node.process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  @Test
  void killedServer_keepsNobodyWaiting() throws IOException {
    Node holder = node(0, 2000);
    Node other = node(1, 0);
    holder.go();
    awaitCompiles(1);
    other.go();
    String lease = server.ask("--scan", "--pattern", "kcache:lease/*").strip();
    assertThat(lease).contains("lease/gfx90a/");
    server.close();
    String[] waited = other.results().get(0);
    assertThat(waited[1]).isEqualTo("COMPILED");
    // The deadline of a request, and not what the holder takes or the bound of a wait.
    assertThat(Long.parseLong(waited[3])).isLessThan(20_000);
    assertThat(holder.results().get(0)[2]).isEqualTo(waited[2]);
    assertThat(compiles()).hasSize(2);
  }
}
