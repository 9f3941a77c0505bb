// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static java.util.Objects.requireNonNull;

import dev.kcache.bench.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * kcache with the embedded LLVM. It is unpacked before the measurement, as hipcc is installed
 * before; everything else in the cache is deleted before each run.
 */
final class EmbeddedLlvm {
  /** The number of small kernels to measure, each a different source. */
  private static final int SMALL = 20;

  private static final String UNPACKED = "toolchains";

  private final Tools tools;
  private final Path directory;

  /** Unpacks the compiler. */
  EmbeddedLlvm(Tools tools) {
    this.tools = tools;
    this.directory = tools.emptyDirectory("embedded");
    prewarm(sources(1), "gfx90a").run();
  }

  /** Returns the side that compiles all pairs. */
  Side side(String name, Pairs pairs) {
    return new Side(
        name,
        this::forget,
        kcache(pairs.prewarm())::run,
        () -> Checks.codeObjects(directory, pairs.count()));
  }

  /**
   * Returns the compile times of small kernels, compiled one after the other, by their records:
   * writing the files, the compiler, the linker, and the checks of the result.
   */
  Samples smallKernels() {
    forget();
    List<String> words = new ArrayList<>(List.of("-j", "1"));
    words.addAll(sources(SMALL));
    prewarm(words, "gfx90a").run();
    try {
      Map<?, ?> list = (Map<?, ?>) JsonTree.read(kcache(List.of("list", "--json")).run());
      List<Double> seconds = new ArrayList<>();
      for (Object entry : (List<?>) requireNonNull(list.get("entries"))) {
        seconds.add((Double) requireNonNull(((Map<?, ?>) entry).get("compileSeconds")));
      }
      return new Samples(seconds);
    } catch (IOException e) {
      throw new CommandFailedException("kcache list --json printed no JSON: " + e.getMessage());
    }
  }

  private Command prewarm(List<String> words, String targets) {
    List<String> all = new ArrayList<>(List.of("prewarm", "--arch", targets));
    all.addAll(words);
    return kcache(all);
  }

  private Command kcache(List<String> arguments) {
    return tools.kcache(directory, arguments, Map.of("KCACHE_TOOLCHAIN", "llvm"));
  }

  private List<String> sources(int count) {
    Path frozen = tools.inCheckout("bench/kernels/vadd.hip");
    List<String> sources = new ArrayList<>();
    try {
      String text = Files.readString(frozen);
      for (int i = 0; i < count; i++) {
        Path source = tools.work().resolve("small" + i + ".hip");
        sources.add(Files.writeString(source, text + Pairs.oneMore(i)).toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sources;
  }

  private void forget() {
    try (Stream<Path> kept = Files.list(directory)) {
      kept.filter(path -> !path.endsWith(UNPACKED)).forEach(Tools::deleteTree);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
