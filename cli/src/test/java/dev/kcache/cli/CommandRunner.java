// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheManager;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the command in this process, in a directory and an environment of its own. */
final class CommandRunner {
  /** Of a user who wants the command to end as soon as it listens. */
  static final Interrupts AT_ONCE =
      action -> {
        action.run();
        return () -> {};
      };

  final Path directory;
  final Path cache;

  /** Stands for {@code /}: a machine without AMD's kernel driver, whose mounts are unknown. */
  final Path root;

  final Map<String, String> environment = new HashMap<>();
  final FakeToolchain toolchain = new FakeToolchain();
  int columns;
  String answer = "";
  Instant now = Instant.parse("2026-11-27T12:00:00Z");
  boolean realCompiler;
  boolean windows;
  boolean outIsPipe;
  boolean outIsTerminal;
  Interrupts interrupts = action -> () -> {};

  /** What a command left: its exit code and what it printed. */
  record Run(int exitCode, String out, String err) {}

  CommandRunner(Path directory) {
    this.directory = directory;
    this.cache = directory.resolve("cache");
    this.root = directory.resolve("root");
    environment.put("KCACHE_DIR", cache.toString());
  }

  /** Runs the command with the fake compiler, or the one that the environment leads to. */
  Run run(Object... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CliContext context =
        new CliContext(
            Map.copyOf(environment),
            new Console(
                new ByteArrayInputStream(answer.getBytes(UTF_8)),
                new PrintStream(out, true, UTF_8),
                () -> "",
                () -> outIsPipe,
                () -> outIsTerminal,
                new PrintStream(err, true, UTF_8),
                columns),
            () ->
                realCompiler ? CacheManager.builder() : CacheManager.builder().toolchain(toolchain),
            interrupts,
            () -> 0,
            () -> now,
            root,
            windows);
    String[] strings = new String[arguments.length];
    for (int i = 0; i < strings.length; i++) {
      strings[i] = arguments[i].toString();
    }
    int exitCode = KcacheCommand.run(context, strings);
    return new Run(exitCode, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** Returns the files below a directory whose names end like that, sorted. */
  static List<Path> files(Path directory, String end) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a file as old as that. */
  static void age(Path file, Duration age) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
  }

  /** Writes a file and returns its path. */
  Path write(String name, String text) {
    try {
      Path file = directory.resolve(name);
      Files.createDirectories(file.getParent());
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a source with a kernel and returns its path. */
  Path kernel(String name) {
    return kernel(name, "");
  }

  /** Writes a source with a kernel and a remark for the fake compiler; returns its path. */
  Path kernel(String name, String remark) {
    return write(name, "extern \"C\" __global__ void f(float* x) { *x = 1; } // " + remark + "\n");
  }
}
