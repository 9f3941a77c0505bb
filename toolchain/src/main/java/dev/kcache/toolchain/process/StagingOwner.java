// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.probe.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process that a staging directory belongs to, as a line of text in it. Its number alone would
 * say little: numbers are used again, and mean another process in another container. So the line
 * also tells when the process was started, on which machine since which start of it, and in which
 * namespaces of process numbers and of time.
 *
 * @param machine which start of which machine
 * @param namespaces where the number and the start mean that process
 * @param pid its number
 * @param start when it was started, in the kernel's own unit
 */
record StagingOwner(String machine, String namespaces, long pid, String start) {
  /** How many fields of {@code stat} there are between the program's name and each of these. */
  private static final int STATE = 1;

  private static final int THREADS = 18;
  private static final int START = 20;

  /** One number: the files are of the process's own namespace, not of one above it. */
  private static final Pattern OWN_NUMBER = Pattern.compile("\nNSpid:\\s+(\\d{1,18})\n");

  /**
   * Returns this process; empty where the system does not tell what is to be known of it, or hides
   * processes, so that one out of sight may be alive.
   *
   * @param proc where the kernel tells of processes
   */
  static Optional<StagingOwner> thisProcess(Path proc) {
    Optional<String> boot = Host.read(proc.resolve("sys/kernel/random/boot_id"));
    Optional<String> namespaces = namespaces(proc.resolve("self/ns"));
    Optional<String> status = Host.read(proc.resolve("self/status"));
    Matcher number = OWN_NUMBER.matcher(status.orElse(""));
    if (boot.isEmpty()
        || namespaces.isEmpty()
        || !number.find()
        || !Files.isReadable(proc.resolve("1/stat"))) {
      return Optional.empty();
    }
    long pid = Long.parseLong(number.group(1));
    String machine = boot.get() + "-" + Host.local().key();
    return Host.read(stat(proc, pid))
        .flatMap(StagingOwner::start)
        .map(start -> new StagingOwner(machine, namespaces.get(), pid, start));
  }

  /** Returns the owner that a line tells; empty if it tells none, or was not written to its end. */
  static Optional<StagingOwner> parse(String line) {
    List<String> words = List.of(line.strip().split(" ", -1));
    return line.endsWith("\n") && words.size() == 4 && words.get(2).matches("\\d{1,18}")
        ? Optional.of(
            new StagingOwner(
                words.get(0), words.get(1), Long.parseLong(words.get(2)), words.get(3)))
        : Optional.empty();
  }

  /**
   * Returns whether it runs, as far as a process can tell.
   *
   * @param here the process that looks
   * @return empty if it may run out of sight, in another container or on another machine
   */
  Optional<Boolean> isAlive(StagingOwner here, Path proc) {
    if (!machine.equals(here.machine) || !namespaces.equals(here.namespaces)) {
      return Optional.empty();
    }
    Optional<String> stat = Host.read(stat(proc, pid));
    if (stat.isEmpty() && Files.exists(proc.resolve(Long.toString(pid)))) {
      return Optional.empty();
    }
    return Optional.of(stat.flatMap(StagingOwner::start).equals(Optional.of(start)));
  }

  private static Path stat(Path proc, long pid) {
    return proc.resolve(pid + "/stat");
  }

  /** A process's start is given in the time namespace of the reader, where there are such. */
  private static Optional<String> namespaces(Path links) {
    try {
      Path time = links.resolve("time");
      return Optional.of(
          Files.readSymbolicLink(links.resolve("pid"))
              + (Files.isSymbolicLink(time) ? "," + Files.readSymbolicLink(time) : ""));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns when a process was started; empty if it has ended, and nobody has asked how. One whose
   * first thread alone has ended has others. The name may hold spaces and parentheses. Source:
   * proc(5).
   */
  private static Optional<String> start(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).split(" ", -1);
    if (fields.length <= START) {
      return Optional.empty();
    }
    boolean hasEnded = fields[STATE].matches("[ZX]") && fields[THREADS].matches("[01]");
    return hasEnded ? Optional.empty() : Optional.of(fields[START]);
  }

  @Override
  public String toString() {
    return String.join(" ", machine, namespaces, Long.toString(pid), start) + "\n";
  }
}
