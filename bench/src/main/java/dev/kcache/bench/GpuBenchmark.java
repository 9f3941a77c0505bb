// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.HipDeviceNotFoundException;
import dev.kcache.hip.HipUnavailableException;
import dev.kcache.kernels.KernelManager;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures kcache on this machine's GPU beside a C program with the same driver calls, and prints a
 * table. {@code docs/performance.md} explains each figure.
 */
public final class GpuBenchmark {
  private final Settings settings;
  private final Map<String, String> environment;
  private final PrintStream err;

  private GpuBenchmark(Settings settings, Map<String, String> environment, PrintStream err) {
    this.settings = settings;
    this.environment = environment;
    this.err = err;
  }

  /** Measures and exits with 0; with 2 for wrong arguments, with 3 without a GPU. */
  public static void main(String[] arguments) {
    // Unbuffered, so that a run that is cut off shows how far it came.
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
    System.exit(run(List.of(arguments), System.getenv(), out, err));
  }

  /** As {@link #main}, but returns the exit code. */
  static int run(
      List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
    Settings settings;
    try {
      settings = Settings.parse(arguments);
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage());
      return 2;
    }
    try {
      Table table = new GpuBenchmark(settings, environment, err).measure();
      table.print(out);
      settings.json().ifPresent(file -> TableJson.write(table, file));
      return 0;
    } catch (HipUnavailableException | HipDeviceNotFoundException e) {
      err.println("GpuBenchmark: " + e.getMessage());
      return 3;
    }
  }

  private Table measure() {
    try (KernelManager kernels = KernelManager.builder().environment(environment).build()) {
      Path image = image(kernels);
      try {
        GpuMeasurements measurements =
            new GpuMeasurements(
                kernels,
                cProgram(kernels, image),
                settings.effort(),
                environment,
                what -> err.println("measuring: " + what));
        List<Row> rows = measurements.run();
        String toolchain = kernels.cache().toolchain(platform(kernels)).describe();
        return new Table(Machine.facts(kernels.device(), toolchain, settings.commit()), rows);
      } finally {
        Files.delete(image);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Platform platform(KernelManager kernels) {
    return kernels.device().runtime().platform();
  }

  /** Writes the code object of the empty kernels to a file. */
  private static Path image(KernelManager kernels) throws IOException {
    ByteBuffer bytes = kernels.getOrCompile(GpuKernels.emptySource()).codeObject().bytes();
    Path file = Files.createTempFile("kcache-empty", ".co");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) {
        int unused = channel.write(bytes);
      }
    }
    return file;
  }

  private Optional<CProgram> cProgram(KernelManager kernels, Path image) {
    if (settings.cProgram().isEmpty()) {
      err.println("no --c PROGRAM: kcache's figures have nothing to be compared with");
      return Optional.empty();
    }
    if (platform(kernels) != Platform.NVIDIA) {
      err.println("gpu.c calls CUDA's driver only: on AMD, kcache's figures stand alone");
      return Optional.empty();
    }
    return settings
        .cProgram()
        .map(program -> new CProgram(program, kernels.device().runtime().library(), image));
  }
}
