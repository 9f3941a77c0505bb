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
 * The process that a staging directory belongs to, as a line of text in it. Process numbers are
 * reused, and mean other processes in other containers. So the line also has the start time of the
 * process, the machine and its boot, and the namespaces of process numbers and time.
 *
 * @param machine the machine and its boot
 * @param namespaces the namespaces in which number and start time are valid
 * @param pid its number
 * @param start the start time, in the kernel's own unit
 */
record StagingOwner(String machine, String namespaces, long pid, String start) {
  /** The positions in {@code stat} after the program's name. */
  private static final int STATE = 1;

  private static final int THREADS = 18;
  private static final int START = 20;

  /** A single number: {@code /proc} is that of the process's own namespace, not of one above it. */
  private static final Pattern OWN_NUMBER = Pattern.compile("\nNSpid:\\s+(\\d{1,18})\n");

  /**
   * Returns this process; empty if the system does not tell what is needed, or hides processes, so
   * that an invisible one may be alive.
   *
   * @param proc the kernel's {@code /proc}
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

  /** Parses a line; empty if it is malformed or incomplete. */
  static Optional<StagingOwner> parse(String line) {
    List<String> words = List.of(line.strip().split(" ", -1));
    return line.endsWith("\n") && words.size() == 4 && words.get(2).matches("\\d{1,18}")
        ? Optional.of(
            new StagingOwner(
                words.get(0), words.get(1), Long.parseLong(words.get(2)), words.get(3)))
        : Optional.empty();
  }

  /**
   * Returns whether the process is running.
   *
   * @param here the process that looks
   * @return empty if it may be invisible from here, in another container or on another machine
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

  /** The start time is given in the time namespace of the reader, on kernels that have those. */
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
   * Returns the start time of a process; empty if it is a zombie. A process whose first thread
   * alone has ended is none. The name may contain spaces and parentheses. Source: proc(5).
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
