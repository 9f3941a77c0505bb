// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How many compiles to run at once: one per core and some more, as far as the memory goes. The
 * extra ones keep the cores busy while others force their results to the disk.
 */
final class Parallelism {
  /** The peak memory of one compile of an ordinary kernel, in bytes. */
  static final long BYTES_PER_COMPILE = 120_000_000;

  // The limit of the container: control groups version 2, then version 1.
  private static final List<String> LIMITS =
      List.of("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes");

  private static final int MOST_BYTES = 1 << 16;

  private static final Pattern AVAILABLE =
      Pattern.compile("^MemAvailable:\\s+(\\d{1,15}) kB$", Pattern.MULTILINE);

  private Parallelism() {}

  /** Returns the number for this machine. */
  static int ofThisMachine() {
    return of(Runtime.getRuntime().availableProcessors(), availableMemory(Path.of("/")));
  }

  /** Returns the number for a machine whose memory, in bytes, may be unknown. */
  static int of(int processors, OptionalLong memory) {
    long fitting = memory.orElse(Long.MAX_VALUE) / BYTES_PER_COMPILE;
    int busy = processors + processors / 2 + 1;
    return (int) Math.max(1, Math.min(busy, fitting));
  }

  /** Returns how much memory is free for use, in bytes, by the files below {@code root}. */
  static OptionalLong availableMemory(Path root) {
    Matcher available = AVAILABLE.matcher(content(root.resolve("proc/meminfo")));
    OptionalLong free =
        available.find()
            ? OptionalLong.of(1024 * Long.parseLong(available.group(1)))
            : OptionalLong.empty();
    Stream<OptionalLong> limits = LIMITS.stream().map(file -> number(content(root.resolve(file))));
    return Stream.concat(Stream.of(free), limits).flatMapToLong(OptionalLong::stream).min();
  }

  private static OptionalLong number(String text) {
    return text.strip().matches("\\d{1,18}")
        ? OptionalLong.of(Long.parseLong(text.strip()))
        : OptionalLong.empty();
  }

  private static String content(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MOST_BYTES), UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}
