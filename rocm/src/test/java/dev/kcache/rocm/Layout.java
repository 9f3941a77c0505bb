// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;

/**
 * A directory that stands for a machine. Each line makes one thing: {@code program PATH}, {@code
 * file PATH}, {@code directory PATH}, {@code script PATH} of a Python wheel, or {@code link PATH ->
 * TARGET}.
 */
record Layout(Path root) {
  /** As pip writes it for an entry point. */
  private static final String SCRIPT =
      """
      #!/usr/bin/python3
      # -*- coding: utf-8 -*-
      import re
      import sys
      from rocm_sdk_core._cli import main
      if __name__ == '__main__':
          sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
          sys.exit(main())
      """;

  Layout add(String lines) throws IOException {
    for (String line : lines.lines().map(String::strip).toList()) {
      if (!line.isEmpty()) {
        String[] words = line.split(" ", 2);
        make(words[0], words[1]);
      }
    }
    return this;
  }

  private void make(String kind, String what) throws IOException {
    String[] names = what.split(" -> ", 2);
    Path path = root.resolve(names[0]);
    Files.createDirectories(path.getParent());
    switch (kind) {
      case "directory" -> Files.createDirectories(path);
      case "link" -> Files.createSymbolicLink(path, Path.of(names[1]));
      case "file" -> Files.createFile(path);
      case "program" -> executable(path, "#!/bin/sh\nexit 1\n");
      case "script" -> executable(path, SCRIPT);
      default -> throw new IllegalArgumentException(kind);
    }
  }

  private static void executable(Path path, String content) throws IOException {
    Files.writeString(path, content);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Returns the finder of this machine; {@code ~} in a variable is its root. */
  RocmFinder finder(Map<String, String> variables) {
    return finder(variables, false);
  }

  RocmFinder finder(Map<String, String> variables, boolean windows) {
    Map<String, String> environment = new TreeMap<>();
    variables.forEach((name, value) -> environment.put(name, value.replace("~", root.toString())));
    return new RocmFinder(new Environment(environment), root, windows);
  }

  /** Returns a path as it is below the root. */
  String relative(Path path) {
    return root.relativize(path).toString();
  }
}
