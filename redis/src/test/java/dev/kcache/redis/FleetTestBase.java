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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Machines with several processes each, which start cold and ask for the same kernels, with one
 * Redis. With {@code -Dkcache.fleet.machines=20} and {@code -Dkcache.fleet.processes=10} they are
 * 200 processes.
 */
abstract class FleetTestBase {
  static final int MACHINES = Integer.getInteger("kcache.fleet.machines", 4);
  private static final int PROCESSES = Integer.getInteger("kcache.fleet.processes", 3);
  static final int KERNELS = 20;
  private static final int WAVE = 4;

  /** How many compile at once in each. */
  static final int SLOTS = Runtime.getRuntime().availableProcessors();

  /** The cores are few: if all began at once, each would wait for them, and not for the others. */
  private static final int PACE_MILLIS = Integer.getInteger("kcache.fleet.pace", 100);

  /** Each machine begins while the first compiles. */
  private static final int COMPILE_MILLIS = 2 * PACE_MILLIS * MACHINES;

  private static FleetJava java;

  @TempDir static Path archive;
  @TempDir Path temp;
  private final List<Process> launched = new ArrayList<>();
  final List<Node> nodes = new ArrayList<>();
  private Network network;
  RedisServer server;

  @BeforeEach
  void start() throws IOException {
    network = new Network(MACHINES);
    server =
        RedisServer.start(temp, "--bind", "127.0.0.1", network.address(), "--protected-mode", "no");
    if (java == null) {
      java = new FleetJava(archive, arguments("nobody", 0, 0));
    }
  }

  @AfterEach
  void stop() throws IOException {
    launched.forEach(Process::destroyForcibly);
    server.close();
    network.close();
  }

  @AfterAll
  static void forgetJava() {
    java = null;
  }

  /** A process of the fleet. */
  static final class Node {
    final Process process;
    private final BufferedReader out;

    Node(Process process) throws IOException {
      this.process = process;
      out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
      assertThat(out.readLine()).isEqualTo("ready");
    }

    void go(String round) throws IOException {
      process.getOutputStream().write((round + "\n").getBytes(UTF_8));
      process.getOutputStream().flush();
    }

    /** Returns when it has closed its cache. */
    void end() throws IOException, InterruptedException {
      process.getOutputStream().close();
      assertThat(process.waitFor()).isZero();
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

  /** What was compiled in a round. */
  final List<String> compiles(String round) throws IOException {
    List<String> all = Files.exists(log()) ? Files.readAllLines(log()) : List.of();
    return all.stream().filter(name -> name.startsWith(round)).toList();
  }

  /** Returns once so many kernels of a round are being compiled. */
  final void awaitCompiles(String round, int number) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (compiles(round).size() < number) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private List<String> arguments(String machine, int kernels, long millis) {
    return List.of(
        server.urlAt(network.address()),
        temp.resolve(machine).toString(),
        log().toString(),
        "" + kernels,
        "" + millis);
  }

  /** What the processes warned of, each once. */
  final String told() throws IOException {
    try (Stream<String> lines = Files.lines(temp.resolve("errors"))) {
      return String.join("\n", lines.filter(line -> line.startsWith("WARN")).distinct().toList());
    }
  }

  /** Starts a process on a machine, on which all use one directory. */
  final Process launch(int machine, int kernels, long millis) throws IOException {
    List<String> command = java.command(arguments("machine" + machine, kernels, millis));
    Process process =
        new ProcessBuilder(network.on(machine, command))
            .redirectError(ProcessBuilder.Redirect.appendTo(temp.resolve("errors").toFile()))
            .start();
    launched.add(process);
    return process;
  }

  /** Starts all processes, in waves, since the cores are few. */
  final void launchAll() throws IOException {
    for (int i = 0; i < MACHINES * PROCESSES; i++) {
      launch(i % MACHINES, KERNELS, COMPILE_MILLIS);
      if (i >= WAVE) {
        nodes.add(new Node(launched.get(i - WAVE)));
      }
    }
    for (Process process : launched.subList(nodes.size(), launched.size())) {
      nodes.add(new Node(process));
    }
  }

  /** Lets one after the other begin. */
  static void begin(String round, List<Node> nodes) throws IOException {
    for (Node node : nodes) {
      node.go(round);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PACE_MILLIS));
    }
  }

  /** Returns what was compiled, once all of them have each kernel and the same of it. */
  final List<String> end(String round, List<Node> all) throws IOException {
    Set<String> digests = new HashSet<>();
    Map<String, Integer> origins = new TreeMap<>();
    long slowest = 0;
    for (Node node : all) {
      List<String[]> results = node.results();
      assertThat(results).hasSize(KERNELS);
      for (String[] result : results) {
        origins.merge(result[1], 1, Integer::sum);
        digests.add(result[0] + " " + result[2]);
        slowest = Math.max(slowest, Long.parseLong(result[3]));
      }
    }
    assertThat(digests).hasSize(KERNELS);
    List<String> compiles = compiles(round);
    System.out.printf(
        "%s: %d processes on %d machines, %d kernels, %d compiles of %d ms, %s, the slowest after"
            + " %d ms%n",
        round, all.size(), MACHINES, KERNELS, compiles.size(), COMPILE_MILLIS, origins, slowest);
    return compiles;
  }

  /** Asserts that each kernel is compiled once when nothing goes wrong. */
  final void startCold(String round) throws IOException {
    begin(round, nodes);
    assertThat(end(round, nodes))
        .as(told())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, KERNELS).mapToObj(i -> round + "k" + i).toList());
  }

  static void signal(String signal, Node node) throws Exception {
    Process kill = new ProcessBuilder("kill", signal, "" + node.process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }
}
