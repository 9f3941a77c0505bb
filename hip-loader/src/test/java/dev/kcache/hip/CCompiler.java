// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The machine's C compiler, for small libraries and programs that a test is about. */
public final class CCompiler {
  private CCompiler() {}

  /** Makes a library that has nothing of HIP but its version, in HIP's own form. */
  public static Path runtime(Path library, int version) {
    return library(
        library,
        "int hipRuntimeGetVersion(int *version) { *version = " + version + "; return 0; }");
  }

  /** Makes a library that has nothing of CUDA's driver but its version, in CUDA's own form. */
  public static Path cudaDriver(Path library, int version) {
    return library(
        library, "int cuDriverGetVersion(int *version) { *version = " + version + "; return 0; }");
  }

  /** Makes a library. */
  static Path library(Path library, String source) {
    return compile(library, source, "-shared", "-fPIC");
  }

  /** Makes a program or library, and the directory that it is to be in. */
  static Path compile(Path output, String source, String... options) {
    try {
      Files.createDirectories(output.getParent());
      Path file = Files.writeString(Files.createTempFile("kcache-", ".c"), source);
      List<String> command = new ArrayList<>(List.of("cc", "-o", output.toString()));
      command.addAll(List.of(options));
      command.add(file.toString());
      run(command, Map.of());
      Files.delete(file);
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a program to its end and returns what it printed to standard output. */
  static String run(List<String> command, Map<String, String> environment) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
      builder.environment().putAll(environment);
      Process process = builder.start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as(output).isZero();
      return output;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
