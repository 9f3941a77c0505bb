// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Compiles the stand-in's sources, once per content: the result's directory is named after the
 * sources, the command and the compiler, and appears in one step.
 */
final class Compilation {
  private static final Path ROOT = Path.of("target", "stand-in").toAbsolutePath();

  private static final List<String> WARNINGS = List.of("-Wall", "-Wextra", "-Werror");
  private static final List<String> HEADERS = List.of("calls.h", "hip.h", "standin.h");
  private static final List<String> SOURCES =
      List.of(
          "binary.c",
          "calls.c",
          "contents.c",
          "control.c",
          "copies.c",
          "devices.c",
          "errors.c",
          "events.c",
          "functions.c",
          "handles.c",
          "image.c",
          "kernels.c",
          "launch.c",
          "memory.c",
          "metadata.c",
          "modules.c",
          "properties.c",
          "streams.c",
          "targets.c");

  private static final Compiler COMPILER = Compiler.find();

  private Compilation() {}

  /** Gives the library of a version that lacks some functions. */
  static Path library(StandIn.Version version, SortedSet<String> without) {
    String hidden = without.isEmpty() ? "" : "local: " + String.join("; ", without) + "; ";
    String script = "{ global: *; " + hidden + "};\n";
    Map<String, byte[]> files = sources();
    files.put("exports.map", script.getBytes(StandardCharsets.UTF_8));

    String name = "libamdhip64.so." + version.major();
    List<String> options = new ArrayList<>(List.of("-DSTAND_IN_MAJOR=" + version.major()));
    // A fused multiply-add rounds once where the kernels' definition rounds twice.
    options.addAll(List.of("-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-shared"));
    options.addAll(List.of("-Wl,-Bsymbolic", "-Wl,--version-script=exports.map"));
    options.add("-Wl,-soname=" + name);
    return compiled(name, options, SOURCES, files);
  }

  /** Gives a program of one source file. */
  static Path program(String name) {
    String source = name + ".c";
    return compiled(name, List.of(), List.of(source), new TreeMap<>(Map.of(source, read(source))));
  }

  private static Map<String, byte[]> sources() {
    Map<String, byte[]> sources = new TreeMap<>();
    HEADERS.forEach(name -> sources.put(name, read(name)));
    SOURCES.forEach(name -> sources.put(name, read(name)));
    return sources;
  }

  private static byte[] read(String resource) {
    try (InputStream in = Compilation.class.getResourceAsStream(resource)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static synchronized Path compiled(
      String name, List<String> options, List<String> sources, Map<String, byte[]> files) {
    List<String> command = new ArrayList<>(List.of(COMPILER.path(), "-std=gnu11", "-O1", "-g"));
    command.add("-D_GNU_SOURCE");
    command.addAll(WARNINGS);
    command.addAll(options);
    command.addAll(List.of("-o", "out/" + name));
    command.addAll(sources);
    command.addAll(List.of("-lpthread", "-lm", "-ldl"));
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
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update((COMPILER.version() + command).getBytes(StandardCharsets.UTF_8));
      files.forEach(
          (name, bytes) -> {
            digest.update(name.getBytes(StandardCharsets.UTF_8));
            digest.update(bytes);
          });
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
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
