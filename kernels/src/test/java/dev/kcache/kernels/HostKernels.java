// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import dev.kcache.codeobject.Digest;
import dev.kcache.hip.Dim3;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Kernels that are compiled as plain C++ for this machine, and checked for undefined behaviour.
 * {@code host/launch.cpp} says how they run. A stand-in runs them with {@link
 * dev.kcache.hip.standin.StandIn#kernels}; alone, on memory of the host, they run here.
 */
final class HostKernels {
  static final int UNKNOWN_KERNEL = 1;
  static final int ARGUMENTS_TOO_SHORT = 2;
  static final int DIVERGENT_BARRIER = 3;
  static final int UNDEFINED_BEHAVIOUR = 4;

  private static final Pattern CLANG = Pattern.compile("clang\\+\\+(-\\d+)?");

  private static final List<String> OPTIONS =
      List.of(
          "-shared",
          "-fPIC",
          "-fvisibility=hidden",
          "-Wl,-z,defs",
          // Else the functions of the library that was opened first would serve all.
          "-Wl,-Bsymbolic",
          "-fsanitize=float-cast-overflow",
          "-fsanitize-minimal-runtime",
          "-fno-sanitize-recover=all",
          "-fno-sanitize-link-runtime");

  /** Where units of the catalogue lie once they are compiled. */
  private static final Path BUILT = Path.of("target", "host-kernels").toAbsolutePath();

  private final Functions functions;

  private interface Functions extends Library {
    int kcache_host_launch_blocks(
        String kernel,
        int[] grid,
        int[] block,
        long first,
        long end,
        Pointer arguments,
        NativeLong size,
        Translation translation,
        Pointer context);

    String kcache_host_message();
  }

  private interface Translation extends Callback {
    @SuppressWarnings("UnusedMethod") // called from C
    Pointer translate(Pointer context, long address);
  }

  private HostKernels(Functions functions) {
    this.functions = functions;
  }

  /** Opens a library that {@link #build} gave, for launches on memory of the host. */
  static HostKernels open(Path library) {
    return new HostKernels(
        Native.load(
            library.toString(), Functions.class, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8")));
  }

  /**
   * Compiles resources of this package, one after the other in one file, and returns a library.
   *
   * @param scratch where a directory for it is made
   * @param files names of {@code .hip} files
   * @param kernels names of {@code extern "C"} kernels in the files
   */
  static Path build(Path scratch, List<String> files, Collection<String> kernels)
      throws IOException, InterruptedException {
    return library(scratch, includes(files), kernels);
  }

  /**
   * Compiles units of the catalogue, two at a time, and returns their libraries. Each is compiled
   * once: what the tests of other classes and processes have made of the same files is found.
   */
  static List<Path> build(List<KernelUnit> units) throws InterruptedException {
    ExecutorService two = Executors.newFixedThreadPool(2);
    try {
      List<Path> libraries = new ArrayList<>();
      for (Future<Path> library : two.invokeAll(units.stream().map(HostKernels::task).toList())) {
        libraries.add(library.get());
      }
      return libraries;
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } finally {
      two.shutdown();
    }
  }

  private static Callable<Path> task(KernelUnit unit) {
    return () -> {
      Path clang = Path.of(clang()).toRealPath();
      Digest.Builder all =
          Digest.builder().text(clang.toString()).text(Files.getLastModifiedTime(clang).toString());
      for (String file : List.of("host/launch.cpp", "host/hip/hip_runtime.h")) {
        all.bytes(ByteBuffer.wrap(Files.readAllBytes(ShippedFiles.find(file))));
      }
      all.text(OPTIONS.toString()).text(unit.source().digest().toString());
      Path known = BUILT.resolve(unit.name() + "-" + all.build() + ".so");
      if (!Files.exists(known)) {
        Files.createDirectories(BUILT);
        Path made = library(BUILT, unit.family().mainFile(unit.type()), unit.kernels());
        Files.move(made, known, StandardCopyOption.ATOMIC_MOVE);
        delete(made.getParent());
      }
      return known;
    };
  }

  private static Path library(Path scratch, String text, Collection<String> kernels)
      throws IOException, InterruptedException {
    String list = kernels.stream().map(" KERNEL(%s)"::formatted).collect(Collectors.joining());
    String source =
        text
            + "#define KCACHE_KERNELS(KERNEL)"
            + list
            + "\n"
            + includes(List.of("host/launch.cpp"));
    return compile(scratch, source, OPTIONS, "libkernels.so");
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  /** Compiles resources of this package to a program, which undefined behaviour ends. */
  static Path program(Path scratch, List<String> files) throws IOException, InterruptedException {
    return compile(scratch, includes(files), List.of("-fsanitize-trap=undefined"), "program");
  }

  private static String includes(List<String> files) {
    return files.stream()
        .map(file -> "#include \"" + ShippedFiles.find(file) + "\"\n")
        .collect(Collectors.joining());
  }

  private static Path compile(Path scratch, String source, List<String> options, String name)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(scratch, "host");
    Path main = Files.writeString(directory.resolve("main.cpp"), source, UTF_8);
    Path header = ShippedFiles.find("host/hip/hip_runtime.h");
    List<String> command =
        new ArrayList<>(List.of(clang(), "-std=c++17", "-O1", "-Wall", "-Wextra"));
    // No kernel calls through pointers, and what calls them knows their types.
    command.addAll(List.of("-fsanitize=undefined", "-fno-sanitize=function,vptr"));
    command.addAll(options);
    command.addAll(
        List.of(
            "-I" + header.getParent().getParent(),
            "-I" + ShippedFiles.directory(),
            main.toString(),
            "-o",
            directory.resolve(name).toString()));
    ShippedFiles.run(command, directory.resolve("log"));
    return directory.resolve(name);
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

  /** Runs a whole launch; returns 0 or what went wrong. */
  int launch(String kernel, Dim3 grid, Dim3 block, Memory arguments) {
    return launchBlocks(kernel, grid, block, 0, (long) grid.x() * grid.y() * grid.z(), arguments);
  }

  /**
   * Runs some blocks of a launch, counted along x, then y, then z; returns 0 or what went wrong.
   *
   * @param arguments laid out as the C ABI does, with addresses of the host
   */
  int launchBlocks(String kernel, Dim3 grid, Dim3 block, long first, long end, Memory arguments) {
    return functions.kcache_host_launch_blocks(
        kernel,
        dimensions(grid),
        dimensions(block),
        first,
        end,
        arguments,
        new NativeLong(arguments.size()),
        (context, address) -> new Pointer(address),
        Pointer.NULL);
  }

  /** Returns what the last launch did wrong. */
  String message() {
    return functions.kcache_host_message();
  }

  private static int[] dimensions(Dim3 dimensions) {
    return new int[] {dimensions.x(), dimensions.y(), dimensions.z()};
  }
}
