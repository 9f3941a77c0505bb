// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Programs for tests: shell scripts, and what became of the processes they started. */
public final class Script {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private Script() {}

  /** Writes an executable shell script. */
  public static Path write(Path file, String body) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Changes one byte at the end, as a rebuilt file with a fixed time stamp would differ. */
  public static void replaceKeepingSizeAndTime(Path file) throws IOException {
    FileTime modified = Files.getLastModifiedTime(file);
    byte[] content = Files.readAllBytes(file);
    content[content.length - 1] = (byte) (content[content.length - 1] == '\n' ? ' ' : '#');
    Files.write(file, content);
    Files.setLastModifiedTime(file, modified);
  }

  /** Waits for a script to write a process ID. */
  public static long awaitPid(Path file) {
    await(() -> !read(file).isEmpty(), "nothing was written to " + file);
    return Long.parseLong(read(file));
  }

  /** Waits until a process is dead; a dead one that nobody collected is dead. */
  public static void awaitDeath(long pid) {
    await(() -> !isRunning(pid), "process " + pid + " still runs");
  }

  public static boolean isRunning(long pid) {
    String status = read(Path.of("/proc/" + pid + "/stat"));
    return !status.isEmpty() && !status.substring(status.lastIndexOf(')')).startsWith(") Z");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /** Waits until something is so, within reason. */
  public static void await(BooleanSupplier condition, String otherwise) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!condition.getAsBoolean()) {
      if (Instant.now().isAfter(end)) {
        throw new AssertionError(otherwise);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }
}
