// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The shipped kernels, compiled as plain C++ for this machine, where undefined behaviour traps. */
final class HostProgram {
  private static final Pattern CLANG = Pattern.compile("clang\\+\\+(-\\d+)?");

  private final Path executable;
  private final Path scratch;

  private HostProgram(Path executable, Path scratch) {
    this.executable = executable;
    this.scratch = scratch;
  }

  static HostProgram compile(Path scratch) throws IOException, InterruptedException {
    List<String> files = new ArrayList<>(ShippedFiles.units());
    files.add("host/launch.cpp");
    return new HostProgram(build(files, scratch), scratch);
  }

  /** Compiles resources of this package, one after the other in one file, and returns a program. */
  static Path build(List<String> files, Path scratch) throws IOException, InterruptedException {
    String program =
        files.stream()
            .map(file -> "#include \"" + ShippedFiles.find(file) + "\"\n")
            .collect(Collectors.joining());
    Path main = Files.writeString(scratch.resolve("main.cpp"), program, UTF_8);
    Path executable = scratch.resolve("kernels");
    Path header = ShippedFiles.find("host/hip/hip_runtime.h");
    ShippedFiles.run(
        List.of(
            clang(),
            "-std=c++17",
            "-O1",
            "-Wall",
            "-Wextra",
            "-fsanitize=undefined",
            "-fsanitize-trap=undefined",
            // The host program knows elements only as bytes.
            "-fno-sanitize=function,vptr",
            "-I" + header.getParent().getParent(),
            "-I" + ShippedFiles.directory(),
            "-rdynamic",
            main.toString(),
            "-o",
            executable.toString()),
        scratch.resolve("log"));
    return executable;
  }

  /** Returns the clang++ that hipcc brought along; it has _Float16, which not every g++ has. */
  private static String clang() throws IOException {
    for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
      if (Files.isDirectory(Path.of(directory))) {
        try (Stream<Path> programs = Files.list(Path.of(directory))) {
          for (Path program : programs.sorted().toList()) {
            if (CLANG.matcher(program.getFileName().toString()).matches()) {
              return program.toString();
            }
          }
        }
      }
    }
    throw new AssertionError(
        "there is no clang++ on the PATH: install hipcc, which comes with one");
  }

  /** Runs a kernel and returns what is then in the memory of its result. */
  byte[] run(Launch launch) throws IOException, InterruptedException {
    Path input = Files.write(scratch.resolve("launch"), launch.encode());
    Path output = scratch.resolve("result");
    Process process =
        new ProcessBuilder(executable.toString())
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    if (process.waitFor() != 0) {
      throw new AssertionError(launch.kernel() + " ended with exit code " + process.exitValue());
    }
    return Files.readAllBytes(output);
  }
}
