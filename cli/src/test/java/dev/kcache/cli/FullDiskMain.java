// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs commands on a small disk, and once more when it has room; prints how each ended, what it
 * left there, how many records, what it left of temporary files and what it said. Mounts, so that
 * it needs a namespace of its own.
 */
final class FullDiskMain {
  private final Path disk;
  private final Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
  private final CommandRunner command;

  private FullDiskMain(Path directory) {
    command = new CommandRunner(directory);
    disk = directory.resolve("disk");
  }

  /** Takes a directory, in which {@code disk} is. */
  public static void main(String[] arguments) throws Exception {
    new FullDiskMain(Path.of(arguments[0])).run();
  }

  private void run() throws Exception {
    mount("-t", "tmpfs", "-o", "size=16m", "none", temporary.toString());
    mount("-t", "tmpfs", "none", disk.toString());
    command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a,gfx1030");
    Path tar = command.directory.resolve("k.tar");
    command.run("image", "--to", tar);

    twice("pack", disk, "pack", "--to", disk.resolve("k.jar"));
    twice("image", disk, "image", "--to", disk.resolve("k.tar"));
    twice("pull", disk, "image", "--pull", tar, "--to", disk.resolve("c"));
    twice("image's temporary", temporary, "image", "--to", disk.resolve("t.tar"));
    twice("pull's temporary", temporary, "image", "--pull", tar, "--to", disk.resolve("d"));
  }

  private void twice(String name, Path full, Object... arguments) throws Exception {
    for (String size : List.of("8k", "16m")) {
      mount("-o", "remount,size=" + size, full.toString());
      Run run = command.run(arguments);
      System.out.printf(
          "%s: %d %s %d %s %s%n",
          name, run.exitCode(), names(disk), verified(), names(temporary), run.err().strip());
    }
    mount("-t", "tmpfs", "none", disk.toString());
  }

  /** Returns how many entries a cache directory on the disk has, if they are sound. */
  private int verified() {
    List<Path> records = CommandRunner.files(disk, ".json");
    for (String name : names(disk)) {
      if (!name.contains(".")) {
        Run run = command.run("verify", "--cache-dir", disk.resolve(name));
        if (run.exitCode() != 0) {
          throw new AssertionError(run.out() + run.err());
        }
      }
    }
    return records.size();
  }

  private static List<String> names(Path directory) {
    return Stream.of(directory.toFile().list()).sorted().toList();
  }

  private static void mount(String... arguments) throws Exception {
    List<String> mount = new ArrayList<>(List.of("mount"));
    mount.addAll(List.of(arguments));
    Run run = Programs.run(new ProcessBuilder(mount));
    if (run.exitCode() != 0) {
      throw new AssertionError(run.err());
    }
  }
}
