// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A machine whose ROCm lies as some packages lay it out, and the ways of its users to that ROCm.
 *
 * @param files the lines that make it
 * @param ways each may change the machine for those after it
 */
record RocmLayout(String files, List<Way> ways) {
  /** What hipcc and kcache need of the system, without the compiler that is there too. */
  private static final List<String> PROGRAMS =
      List.of("env", "perl", "sh", "bash", "cat", "uname", "ldd", "timeout");

  /**
   * A way to a ROCm.
   *
   * @param name the row of the table in docs/toolchains.md
   * @param variables what its users set, as {@code NAME=VALUE}; {@code ~} is the machine
   * @param change the lines that change the machine first
   */
  record Way(String name, String variables, String change) {
    /** Returns the environment of a user, who has none of the system's own compilers on PATH. */
    Map<String, String> environment(Path machine, RocmParts parts) {
      Map<String, String> environment = new TreeMap<>();
      for (String each : parts.inserted(variables).split(" ", -1)) {
        String[] words = each.split("=", 2);
        if (words.length == 2) {
          environment.put(words[0], words[1].replace("~", machine.toString()));
        }
      }
      environment.merge("PATH", machine + "/programs", (own, more) -> own + ":" + more);
      return environment;
    }

    RocmFinder finder(Path machine, RocmParts parts) {
      return new RocmFinder(new Environment(environment(machine, parts)), machine, false);
    }
  }

  /** Makes the machine. */
  void write(Path machine, RocmParts parts) throws IOException {
    for (String program : PROGRAMS) {
      if (Files.exists(parts.program(program))) {
        link(machine.resolve("programs").resolve(program), parts.program(program));
      }
    }
    change(files, machine, parts);
  }

  /**
   * Changes a machine. Each line makes one thing: {@code hipcc DIRECTORY LLVM}, {@code llvm},
   * {@code headers}, {@code bitcode}, {@code runtime} or {@code tools DIRECTORY}, {@code link PATH
   * TARGET}, {@code file PATH TEXT}, {@code script PATH TEXT}; or {@code remove PATH} takes one
   * away.
   */
  static void change(String lines, Path machine, RocmParts parts) throws IOException {
    for (String line : lines.lines().toList()) {
      String[] words = parts.inserted(line).replace("~", machine.toString()).split(" ", 3);
      Path path = machine.resolve(words[1].replace("Program_Files", "Program Files"));
      make(words[0], path, words.length > 2 ? words[2] : "", machine, parts);
    }
  }

  private static void make(String kind, Path path, String more, Path machine, RocmParts parts)
      throws IOException {
    switch (kind) {
      case "hipcc" -> parts.copyHipcc(path, machine.resolve(more));
      case "llvm" -> parts.copyClang(path);
      case "headers" -> link(path.resolve("hip"), parts.headers());
      case "bitcode" -> link(path.resolve("amdgcn/bitcode"), parts.bitcode());
      case "runtime" -> link(path.resolve(parts.runtime().getFileName()), parts.runtime());
      case "tools" -> {
        for (String tool : List.of("rocminfo", "rocm_agent_enumerator")) {
          link(path.resolve(tool), parts.program(tool));
        }
      }
      case "link" -> link(path, Path.of(more));
      case "file" -> write(path, more);
      case "script" ->
          Files.setPosixFilePermissions(
              write(path, more), PosixFilePermissions.fromString("rwxr-xr-x"));
      case "remove" -> Files.delete(path);
      default -> throw new IllegalArgumentException(kind);
    }
  }

  private static void link(Path path, Path target) throws IOException {
    Files.createDirectories(path.getParent());
    Files.createSymbolicLink(path, target);
  }

  private static Path write(Path path, String text) throws IOException {
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text.replace("\\n", "\n"));
  }
}
