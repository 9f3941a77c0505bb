// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A jar with the smallest programs of a user: a class-data archive takes classes from jars only.
 *
 * @param tools the tools, which find kcache
 * @param file the jar
 */
record StartJar(Tools tools, Path file) {
  /** Creates the jar in the working directory. */
  static StartJar in(Tools tools) {
    return write(tools, tools.work().resolve("start.jar"), tools.work(), List.of());
  }

  /** Creates one that also carries the kernels below a folder, as resources. */
  static StartJar carrying(Tools tools, Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> resources = all.filter(Files::isRegularFile).map(folder::relativize).toList();
      Path file = tools.work().resolve("start-carrying.jar");
      return write(tools, file, folder, resources);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StartJar write(Tools tools, Path file, Path folder, List<Path> resources) {
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out)) {
      for (Class<?> program : List.of(EmptyMain.class, OneKernel.class)) {
        add(jar, program);
      }
      for (Path resource : resources) {
        jar.putNextEntry(new JarEntry(resource.toString()));
        Files.copy(folder.resolve(resource), jar);
        jar.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new StartJar(tools, file);
  }

  private static void add(JarOutputStream jar, Class<?> program) throws IOException {
    String name = program.getSimpleName() + ".class";
    jar.putNextEntry(new JarEntry(program.getName().replace('.', '/') + ".class"));
    try (InputStream bytes = program.getResourceAsStream(name)) {
      if (bytes == null) {
        throw new IllegalStateException("the class file " + name + " is missing");
      }
      bytes.transferTo(jar);
    }
    jar.closeEntry();
  }

  /** Returns a JVM that does nothing. */
  Command emptyMain() {
    return tools.command(Tools.java(), "-cp", file.toString(), EmptyMain.class.getName());
  }

  /**
   * Returns a JVM that gets one kernel that is in this jar or in a cache directory, with the jars
   * of kcache.
   */
  Command oneKernel(Path cache, Pairs.Pair pair, List<String> options) {
    List<String> words = new ArrayList<>(List.of(Tools.java()));
    words.addAll(options);
    words.addAll(List.of("-cp", classPath(), OneKernel.class.getName()));
    words.addAll(List.of(pair.source().toString(), pair.target()));
    return tools.command(words, Map.of("KCACHE_DIR", cache.toString()));
  }

  private String classPath() {
    try {
      String build = Files.readString(tools.inCheckout("cli/target/newest")).strip();
      try (Stream<Path> files = Files.walk(Path.of(build, "kcache"), 3)) {
        Stream<Path> jars = files.filter(jar -> jar.toString().endsWith(".jar")).sorted();
        return Stream.concat(Stream.of(file), jars)
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "run cli/bin/kcache once, which builds it: " + e.getMessage(), e);
    }
  }
}
