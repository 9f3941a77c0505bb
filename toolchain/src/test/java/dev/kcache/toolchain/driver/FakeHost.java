// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TickingClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ResourceBundle;

/** A folder that stands for a machine, with tools that print fixtures and count their runs. */
public final class FakeHost {
  public final Path root;
  public final TickingClock clock = new TickingClock();
  public final List<String> notices = new ArrayList<>();

  public FakeHost(Path root) throws IOException {
    this.root = root;
    Files.createDirectories(root.resolve("tmp"));
    file("dev/kfd", "");
    named("machine", "host");
  }

  public FakeHost named(String machineId, String hostname) throws IOException {
    file("etc/machine-id", machineId + "\n");
    file("proc/sys/kernel/hostname", hostname + "\n");
    return this;
  }

  /** Gives the kernel a node with these properties. */
  public FakeHost node(int number, String... properties) throws IOException {
    file(
        "sys/class/kfd/kfd/topology/nodes/" + number + "/properties",
        String.join("\n", properties) + "\n");
    return this;
  }

  /** Gives the kernel a CPU as node 0 and a GPU as node 1. */
  public FakeHost gpu(int version, String id) throws IOException {
    node(0, "cpu_cores_count 16", "simd_count 0", "max_engine_clk_ccompute 3000");
    return node(1, "simd_count 416", "gfx_target_version " + version, "unique_id " + id);
  }

  /** Installs a tool that prints fixtures, one after the other. */
  public FakeHost tool(String name, String... fixtures) throws IOException {
    StringBuilder body = new StringBuilder();
    for (String fixture : fixtures) {
      body.append("cat ").append(fixture(fixture)).append('\n');
    }
    return script(name, body.toString());
  }

  /** Installs a tool. */
  public FakeHost script(String name, String body) throws IOException {
    String count = "echo " + name + " >>" + root.resolve("runs") + "\n";
    Script.write(root.resolve("bin").resolve(name), count + body);
    return this;
  }

  /** Returns which tools were run so far. */
  public List<String> runs() throws IOException {
    Path runs = root.resolve("runs");
    return Files.exists(runs) ? Files.readAllLines(runs) : List.of();
  }

  /** Returns the path of a copy of a fixture. */
  public Path fixture(String name) throws IOException {
    Path file = root.resolve(name);
    String folder = name.substring(0, name.indexOf('.'));
    try (InputStream in = FakeHost.class.getResourceAsStream("/" + folder + "/" + name)) {
      Files.write(file, in.readAllBytes());
    }
    return file;
  }

  /** Returns a detector of a new process on this machine, which remembers in {@code memo}. */
  public TargetDetector detector(Map<String, String> variables, Optional<Path> memo) {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", root.resolve("bin") + ":/usr/bin:/bin");
    environment.putAll(variables);
    return new TargetDetector(
        environment,
        () -> root.resolve("tmp"),
        memo,
        Duration.ofMinutes(1),
        new Host(root),
        clock,
        new Notices(notices));
  }

  /** Returns a detector that remembers nothing. */
  public TargetDetector detector(Map<String, String> variables) {
    return detector(variables, Optional.empty());
  }

  public Path file(String name, String content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  private record Notices(List<String> messages) implements System.Logger {
    @Override
    public String getName() {
      return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
      messages.add(message);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
      messages.add(format);
    }
  }
}
