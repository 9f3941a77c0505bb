// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compiles the stand-in's sources, once per content: the result's directory is named after the
 * sources, the command and the compiler, and appears in one step.
 */
final class Compilation {
  /** One for the tests of all modules, which run in directories beside this one's. */
  private static final Path ROOT =
      Path.of("..", "hip-loader", "target", "stand-in").toAbsolutePath().normalize();

  private static final List<String> WARNINGS = List.of("-Wall", "-Wextra", "-Werror");
  private static final List<String> HEADERS =
      List.of("calls.h", "cuda.h", "hip.h", "hsa.h", "hsa_events.h", "standin.h");

  private static final List<String> LIBRARIES = List.of("-lpthread", "-lm", "-ldl");

  /** What both platforms are made of. */
  private static final List<String> COMMON =
      List.of(
          "binary.c",
          "bytes.c",
          "calls.c",
          "control.c",
          "copies.c",
          "devices.c",
          "errors.c",
          "events.c",
          "faults.c",
          "functions.c",
          "handles.c",
          "hosted.c",
          "kernels.c",
          "launch.c",
          "memory.c",
          "modules.c",
          "properties.c",
          "streams.c");

  private static final Map<Platform, List<String>> OWN =
      Map.of(
          Platform.AMD, List.of("contents.c", "image.c", "loader.c", "metadata.c", "targets.c"),
          Platform.NVIDIA, List.of("cubin.c", "cuda.c", "cuda_calls.c", "ptx.c"));

  /** What HSA has beside all of AMD's. */
  private static final List<String> HSA =
      List.of(
          "hsa_agents.c",
          "hsa_code.c",
          "hsa_events.c",
          "hsa_memory.c",
          "hsa_queues.c",
          "hsa_signals.c",
          "hsa_waits.c");

  /** CUDA's names of functions that a test may want to miss. */
  private static final Map<String, String> CUDA_NAMES =
      Map.of(
          "hipMallocAsync", "cuMemAllocAsync",
          "hipFreeAsync", "cuMemFreeAsync",
          "hipDeviceGetUuid", "cuDeviceGetUuid*",
          "hipDeviceGetPCIBusId", "cuDeviceGetPCIBusId");

  private static final List<String> NOTHING = List.of();
  private static final String HSA_SONAME = "libhsa-runtime64.so.1";

  private static final Compiler COMPILER = Compiler.find();

  private Compilation() {}

  /** Gives the library that stands in for {@code libhsa-runtime64}, without some functions. */
  static Path hsa(SortedSet<String> without) {
    String name = "libhsa-runtime64.so.1";
    List<String> sources = List.of("hsa_events.c", "hsa_faults.c");
    Map<String, byte[]> files = new TreeMap<>();
    files.put("hsa_events.h", read("hsa_events.h"));
    sources.forEach(source -> files.put(source, read(source)));
    files.put("exports.map", all(without).getBytes(StandardCharsets.UTF_8));
    List<String> options =
        List.of(
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
            "-Wl,-soname=" + name,
            "-Wl,--version-script=exports.map");
    return compiled(name, options, sources, LIBRARIES, files);
  }

  /**
   * Gives the library of a version that lacks some functions.
   *
   * @param needed the library that it is linked with, which the system's loader loads with it
   */
  static Path library(StandIn.Version version, SortedSet<String> without, Optional<Path> needed) {
    Platform platform = version.platform();
    List<String> sources =
        Stream.of(COMMON, OWN.getOrDefault(platform, List.of()), version.isHsa() ? HSA : NOTHING)
            .flatMap(List::stream)
            .toList();
    Map<String, byte[]> files = new TreeMap<>();
    HEADERS.forEach(header -> files.put(header, read(header)));
    sources.forEach(source -> files.put(source, read(source)));

    // What CUDA's driver answers is most like the newest HIP.
    List<String> options =
        new ArrayList<>(
            platform == Platform.AMD
                ? List.of("-DSTAND_IN_MAJOR=" + version.major())
                : List.of("-DSTAND_IN_CUDA", "-DSTAND_IN_MAJOR=7"));
    if (version.isHsa()) {
      options.add("-DSTAND_IN_HSA");
    }
    // A fused multiply-add rounds once where the kernels' definition rounds twice.
    options.addAll(List.of("-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-r", "-nostdlib"));
    Path whole = compiled("whole.o", options, sources, List.of(), files);
    return linked(version, whole, exports(version, without), needed);
  }

  /** Libraries that lack different functions are one object, with other names exported. */
  private static Path linked(
      StandIn.Version version, Path whole, String exports, Optional<Path> needed) {
    String name = version.library();
    List<String> options = new ArrayList<>(List.of("-shared", "-Wl,-Bsymbolic"));
    options.add("-Wl,--version-script=exports.map");
    if (version.platform() == Platform.AMD) {
      // Else a search for the machine's own driver would find this one by its soname.
      options.add("-Wl,-soname=" + (version.isHsa() ? HSA_SONAME : name));
    }
    Map<String, byte[]> files = new TreeMap<>();
    files.put("exports.map", exports.getBytes(StandardCharsets.UTF_8));
    try {
      files.put("whole.o", Files.readAllBytes(whole));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> libraries = new ArrayList<>(LIBRARIES);
    needed.ifPresent(
        linked ->
            libraries.addAll(
                List.of(
                    "-Wl,--no-as-needed", linked.toString(), "-Wl,-rpath," + linked.getParent())));
    Path library = compiled(name, options, List.of("whole.o"), libraries, files);
    return version.isHsa() ? linkedByItsSoname(library) : library;
  }

  /** Gives the link to a library by which programs know it, beside it. */
  private static Path linkedByItsSoname(Path library) {
    Path link = library.resolveSibling(HSA_SONAME);
    try {
      Files.createSymbolicLink(link, library.getFileName());
    } catch (FileAlreadyExistsException e) {
      // The content is the same.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return link;
  }

  private static String hidden(SortedSet<String> without) {
    return without.stream().map(name -> name + "; ").collect(Collectors.joining());
  }

  private static String all(SortedSet<String> without) {
    String hidden = without.isEmpty() ? "" : "local: " + String.join("; ", without) + "; ";
    return "{ global: *; " + hidden + "};\n";
  }

  private static String exports(StandIn.Version version, SortedSet<String> without) {
    if (version.isHsa()) {
      return "{ global: hsa_*; standin_*; local: *; " + hidden(without) + "};\n";
    }
    if (version.platform() == Platform.AMD) {
      return all(without);
    }
    String hidden =
        without.stream()
            .map(name -> CUDA_NAMES.getOrDefault(name, name) + "; ")
            .collect(Collectors.joining());
    return "{ global: cu*; standin_*; local: hip*; " + hidden + "};\n";
  }

  /** Gives a program of one source file. */
  static Path program(String name) {
    String source = name + ".c";
    return compiled(
        name, List.of(), List.of(source), LIBRARIES, new TreeMap<>(Map.of(source, read(source))));
  }

  private static byte[] read(String resource) {
    try (InputStream in = Compilation.class.getResourceAsStream(resource)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static synchronized Path compiled(
      String name,
      List<String> options,
      List<String> sources,
      List<String> libraries,
      Map<String, byte[]> files) {
    List<String> command = new ArrayList<>(List.of(COMPILER.path(), "-std=gnu11", "-O0"));
    command.add("-D_GNU_SOURCE");
    command.addAll(WARNINGS);
    command.addAll(options);
    command.addAll(List.of("-o", "out/" + name));
    command.addAll(sources);
    command.addAll(libraries);
    Path directory = ROOT.resolve(digest(command, files));
    try {
      if (!Files.isDirectory(directory)) {
        compile(command, files, directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return directory.resolve(name);
  }

  private static String digest(List<String> command, Map<String, byte[]> files) {
    Digest.Builder digest = Digest.builder().text(COMPILER.version() + command);
    files.forEach((name, bytes) -> digest.text(name).bytes(ByteBuffer.wrap(bytes)));
    return digest.build().toString().substring(0, 16);
  }

  private static void compile(List<String> command, Map<String, byte[]> files, Path directory)
      throws IOException {
    Files.createDirectories(ROOT);
    Path work = Files.createTempDirectory(ROOT, "building-");
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(work.resolve(file.getKey()), file.getValue());
    }
    Path out = Files.createDirectory(work.resolve("out"));
    Finished compiler = Finished.run(command, work, Map.of());
    if (compiler.status() != 0) {
      throw new AssertionError(String.join(" ", command) + " says:\n" + compiler.output());
    }
    try {
      Files.move(out, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      // Another process was faster; the same content gives the same result.
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
    deleteAll(work);
  }

  private static void deleteAll(Path directory) throws IOException {
    List<Path> below;
    try (var walk = Files.walk(directory)) {
      below = new ArrayList<>(walk.toList());
    }
    for (int i = below.size() - 1; i >= 0; i--) {
      Files.delete(below.get(i));
    }
  }

  /** A C compiler: the machine's own, or the one that hipcc brought. */
  private record Compiler(String path, String version) {
    private static Compiler find() {
      return Stream.of("cc", "gcc", "clang")
          .flatMap(path -> at(path).stream())
          .findFirst()
          .or(Compiler::ofHip)
          .orElseThrow(() -> new AssertionError("the stand-in needs a C compiler, such as gcc"));
    }

    private static Optional<Compiler> ofHip() {
      return output("hipconfig", "--hipclangpath").flatMap(path -> at(path.strip() + "/clang"));
    }

    private static Optional<Compiler> at(String path) {
      return output(path, "--version").map(version -> new Compiler(path, version));
    }

    private static Optional<String> output(String... command) {
      try {
        Finished finished = Finished.run(List.of(command), Path.of("."), Map.of());
        return finished.status() == 0 ? Optional.of(finished.output()) : Optional.empty();
      } catch (IOException e) {
        return Optional.empty(); // there is no such program
      }
    }
  }
}
