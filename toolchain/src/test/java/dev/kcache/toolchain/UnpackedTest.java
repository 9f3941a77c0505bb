// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may use what is unpacked. */
class UnpackedTest {
  @TempDir Path parent;

  @ParameterizedTest
  @ValueSource(strings = {"000", "022", "077", "0277"})
  void modes_areTheOwnersAlone(String umask) throws Exception {
    List<String> command =
        List.of(
            "/bin/sh",
            "-c",
            "umask " + umask + "; exec \"$@\"",
            "sh",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            parent.toString());

    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();

    assertThat(modes())
        .containsExactlyInAnyOrder(
            "700 tools", "700 tools/bin", "700 tools/bin/clang", "600 tools/x.h", "600 tools.lock");
  }

  private Set<String> modes() throws IOException {
    try (Stream<Path> files = Files.walk(parent)) {
      return files
          .filter(file -> !file.equals(parent))
          .map(file -> mode(file) + " " + parent.relativize(file))
          .collect(Collectors.toSet());
    }
  }

  private static String mode(Path file) {
    try {
      return Integer.toOctalString((Integer) Files.getAttribute(file, "unix:mode") & 07777);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Unpacks a program and a header, with what the umask gives. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
      Unpacked.in(
          Path.of(arguments[0]),
          "tools",
          directory -> Files.exists(directory.resolve("bin/clang")),
          directory -> {
            Path program = Files.createDirectory(directory.resolve("bin")).resolve("clang");
            Files.writeString(program, "x");
            if (!program.toFile().setExecutable(true, false)) {
              throw new IOException("not executable: " + program);
            }
            Files.writeString(directory.resolve("x.h"), "x");
          });
    }
  }
}
