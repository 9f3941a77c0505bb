// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The frozen kernels, each for each target.
 *
 * @param sources the files of the kernels
 * @param targets the targets to compile for
 */
record Pairs(List<Path> sources, List<String> targets) {
  /** Targets of both HIP 5.2 and 6.4: two of CDNA, two of RDNA. */
  static final List<String> TARGETS = List.of("gfx908", "gfx90a", "gfx1010", "gfx1030");

  /** A kernel and a target. */
  record Pair(Path source, String target) {}

  /** Returns a maximum number of pairs from the frozen kernels of a directory. */
  static Pairs frozen(Path directory, int most) {
    return new Pairs(kernels(directory), TARGETS).some(most);
  }

  /**
   * Writes variants of frozen kernels into a directory, each with one more kernel, so that all code
   * objects differ. Returns a maximum number of pairs.
   */
  static Pairs variants(Path frozen, int count, Path directory, int most) {
    List<Path> kernels = kernels(frozen);
    List<Path> variants = new ArrayList<>();
    try {
      Files.createDirectories(directory);
      for (Path header : files(frozen, ".h")) {
        Files.copy(header, inside(directory, header, ""), StandardCopyOption.REPLACE_EXISTING);
      }
      for (int i = 0; i < count; i++) {
        Path kernel = kernels.get(i % kernels.size());
        Path variant = inside(directory, kernel, "v" + i / kernels.size() + "_");
        writeOnce(variant, Files.readString(kernel) + oneMore(i));
        variants.add(variant);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Pairs(variants, TARGETS).some(most);
  }

  /** Keeps an existing file with its time stamp, which ccache and sccache check. */
  private static void writeOnce(Path file, String text) throws IOException {
    if (!Files.exists(file) || !Files.readString(file).equals(text)) {
      Files.writeString(file, text);
    }
  }

  /** Returns a kernel that makes a source and its code object unique. */
  static String oneMore(int number) {
    return "\nextern \"C\" __global__ void variant_%d(int* out) { *out = %d; }\n"
        .formatted(number, number);
  }

  private static Path inside(Path directory, Path file, String prefix) {
    return directory.resolve(prefix + file.getFileName());
  }

  private static List<Path> kernels(Path directory) {
    List<Path> kernels = files(directory, ".hip");
    if (kernels.isEmpty()) {
      throw new IllegalStateException("no kernels in " + directory);
    }
    return kernels;
  }

  private static List<Path> files(Path directory, String ending) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a maximum number of pairs, of evenly distributed sources. */
  private Pairs some(int most) {
    int wanted = Math.max(1, most / targets.size());
    if (wanted >= sources.size()) {
      return this;
    }
    List<Path> some = new ArrayList<>();
    for (int i = 0; i < wanted; i++) {
      some.add(sources.get(i * sources.size() / wanted));
    }
    return new Pairs(some, targets.subList(0, Math.min(most, targets.size())));
  }

  /** Returns only the kernel with a name, for one target. */
  Pairs only(String kernel, String target) {
    List<Path> named = sources.stream().filter(source -> source.endsWith(kernel)).toList();
    return new Pairs(named, List.of(target));
  }

  /** Returns the number of pairs. */
  int count() {
    return sources.size() * targets.size();
  }

  /** Returns all pairs, ordered by source, then target. */
  List<Pair> all() {
    return sources.stream()
        .flatMap(source -> targets.stream().map(target -> new Pair(source, target)))
        .toList();
  }

  /** Returns the arguments of {@code kcache} that select them. */
  List<String> prewarm() {
    List<String> arguments =
        new ArrayList<>(List.of("prewarm", "--arch", String.join(",", targets)));
    sources.forEach(source -> arguments.add(source.toString()));
    return arguments;
  }

  /** Writes a file with a line for each pair and returns it. */
  Path write(Path file, Function<Pair, String> line) {
    try {
      return Files.write(file, all().stream().map(line).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the output file for a pair's code object. */
  static Path output(Path directory, Pair pair) {
    return directory.resolve(pair.source().getFileName() + "." + pair.target() + ".co");
  }
}
