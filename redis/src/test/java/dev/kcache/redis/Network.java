// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Machines, as far as the network goes: namespaces with an address each, and a bridge to this one.
 * Takes root; all of it is gone when it is closed.
 */
final class Network implements AutoCloseable {
  /** Of addresses for measurements of networks, which lead nowhere else. */
  private final String prefix = "198.18." + ProcessHandle.current().pid() % 256 + ".";

  private final String name = "kc" + ProcessHandle.current().pid();
  private final List<String> namespaces = new ArrayList<>();

  Network(int machines) throws IOException {
    try {
      run("ip", "link", "add", name, "type", "bridge");
      run("ip", "addr", "add", address() + "/24", "dev", name);
      run("ip", "link", "set", name, "up");
      for (int i = 1; i <= machines; i++) {
        String namespace = name + "n" + i;
        run("ip", "netns", "add", namespace);
        namespaces.add(namespace);
        String outside = name + "v" + i;
        run("ip", "link", "add", outside, "type", "veth", "peer", "name", "in", "netns", namespace);
        run("ip", "link", "set", outside, "master", name, "up");
        run("ip", "-n", namespace, "addr", "add", prefix + i + "/24", "dev", "in");
        run("ip", "-n", namespace, "link", "set", "in", "up");
        run("ip", "-n", namespace, "link", "set", "lo", "up");
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Returns the address of this machine for the others. */
  String address() {
    return prefix + "254";
  }

  /** Returns what runs a command on one of the machines, which count from 0. */
  List<String> on(int machine, List<String> command) {
    List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", namespaces.get(machine)));
    all.addAll(command);
    return all;
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + ": " + output.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (String namespace : namespaces) {
      run("ip", "netns", "del", namespace);
    }
    run("ip", "link", "del", name);
  }
}
