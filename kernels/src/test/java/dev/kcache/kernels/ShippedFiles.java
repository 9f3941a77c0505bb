// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The shipped sources as files, and the compilers that tests run on them. */
final class ShippedFiles {
  private ShippedFiles() {}

  static Path directory() {
    return find("binary.hip").getParent();
  }

  /** Returns the path of a resource of this package. */
  static Path find(String resource) {
    URL url = Objects.requireNonNull(KernelCatalog.class.getResource(resource), resource);
    try {
      return Path.of(url.toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the names of the {@code .hip} files, sorted. */
  static List<String> units() throws IOException {
    try (Stream<Path> files = Files.list(directory())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".hip"))
          .sorted()
          .toList();
    }
  }

  /** Returns all units of the catalogue, or the first one of each family. */
  static List<KernelUnit> units(boolean all) {
    return all
        ? KernelCatalog.load().units()
        : Stream.of(Family.values()).map(family -> family.units().get(0)).toList();
  }

  /** Returns the source of the binary kernels of a type. */
  static KernelSource source(DType type) {
    return KernelCatalog.load().sourceOf("binary_add_" + type).orElseThrow();
  }

  /**
   * Checks that a compiled unit has exactly the kernels that the catalogue promises, and that they
   * keep to their registers.
   */
  static void checkKernels(CodeObject code, KernelUnit unit) {
    // A reduction's walks may take some more scalar registers than there are; those that are left
    // go to lanes of a vector register, not to memory.
    checkRegisters(code, unit.name(), unit.family() == Family.REDUCE ? 32 : 0);
    assertThat(code.kernels())
        .as("%s for %s", unit.name(), code.target())
        .extracting(KernelMetadata::name)
        .containsExactlyInAnyOrderElementsOf(unit.kernels());
  }

  private static void checkRegisters(CodeObject code, String unit, int mostScalarSpills) {
    assertThat(code.kernels())
        .as("%s for %s", unit, code.target())
        .allSatisfy(
            kernel -> {
              assertThat(kernel.scratchBytes()).as(kernel.name()).isZero();
              assertThat(kernel.dynamicStack()).as(kernel.name()).isFalse();
              assertThat(kernel.registers().vgprSpills()).as(kernel.name()).isZero();
              assertThat(kernel.registers().sgprSpills())
                  .as(kernel.name())
                  .isLessThanOrEqualTo(mostScalarSpills);
            });
  }

  /** Returns a source with a kernel for each mathematical function and type. */
  static KernelSource deviceMath() {
    return KernelSource.resource(ShippedFiles.class, "device_math.hip");
  }

  /** Checks that each mathematical function is one kernel that keeps to its registers. */
  static void checkDeviceMath(CodeObject code) {
    checkRegisters(code, "device_math.hip", 0);
    assertThat(code.kernels())
        .extracting(KernelMetadata::name)
        .containsExactlyInAnyOrderElementsOf(
            MathFunction.all()
                .map(Arguments::get)
                .map(pair -> ((MathFunction) pair[0]).kernel((DType) pair[1]))
                .toList());
  }

  /** Returns the machine code of an ELF file, which alone has the flag for executable sections. */
  static ByteBuffer machineCode(CodeObject code) {
    ByteBuffer file = code.bytes().order(ByteOrder.LITTLE_ENDIAN);
    int size = file.getShort(0x3a);
    for (int i = 0; i < file.getShort(0x3c); i++) {
      int section = (int) file.getLong(0x28) + i * size;
      if ((file.getLong(section + 0x08) & 0x4) != 0) {
        return file.slice((int) file.getLong(section + 0x18), (int) file.getLong(section + 0x20));
      }
    }
    throw new AssertionError("no code in " + code);
  }

  /** Returns the targets of a comma-separated system property; {@code all} stands for some. */
  static List<TargetId> targets(String usual, Supplier<Stream<Processor>> all) {
    String wanted = System.getProperty("kcache.tests.targets", usual);
    return wanted.equals("all")
        ? all.get().map(TargetId::of).toList()
        : Arrays.stream(wanted.split(",")).map(TargetId::parse).toList();
  }

  /** Runs a command to its end and fails with what it printed unless it succeeds in silence. */
  static void run(List<String> command, Path log) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(log.toFile());
    // Where nvcc is installed too, hipcc would otherwise run that.
    builder.environment().put("HIP_PLATFORM", "amd");
    Process process = builder.start();
    if (!process.waitFor(120, SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new AssertionError("not done within 120 s: " + command);
    }
    String output = Files.readString(log, UTF_8);
    if (process.exitValue() != 0 || output.contains("warning:")) {
      throw new AssertionError(String.join(" ", command) + "\n" + output);
    }
  }
}
