// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmPlace;
import dev.kcache.rocm.RocmProgram;
import dev.kcache.rocm.RocmRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What kcache finds in each layout of ROCm, and makes with it, is what the table in {@code
 * docs/toolchains.md} says. The layouts are made from the files of this machine's ROCm.
 */
class RocmLayoutsTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");

  /** Two, so that they are compiled as one batch. */
  private static final List<DType> TYPES = List.of(DType.F32, DType.I32);

  private static final List<String> TOOLS = List.of("rocminfo", "hipInfo");

  @TempDir Path temp;
  private RocmParts parts;
  private int machines;
  private Map<DType, Digest> hipccs;

  @Test
  void layouts_areAsInTheTable() throws IOException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_TOOLCHAIN", "hipcc");
    environment.put("KCACHE_DIR", temp.resolve("own").toString());
    hipccs = digests(resolve(environment));
    parts = RocmParts.find(temp.resolve("own"));
    List<String> rows = new ArrayList<>();
    for (RocmLayout layout : RocmLayouts.all()) {
      machines++;
      Path machine = Files.createDirectory(temp.toRealPath().resolve("machine"));
      layout.write(machine, parts);
      for (RocmLayout.Way way : layout.ways()) {
        RocmLayout.change(way.change(), machine, parts);
        rows.add(row(way, machine));
      }
      delete(machine);
    }
    rows.add(row(new RocmLayout.Way("Debian, Ubuntu", "PATH=/usr/bin", ""), Path.of("/")));
    rows.add(windows());

    assertThat(rows).containsExactlyElementsOf(table());
  }

  private static List<String> table() throws IOException {
    return Files.readAllLines(Path.of("..", "docs", "toolchains.md")).stream()
        .dropWhile(line -> !line.startsWith("| layout"))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }

  private String row(RocmLayout.Way way, Path machine) {
    RocmFinder finder = way.finder(machine, parts);
    RocmProgram compiler = finder.compiler().orElseThrow();
    Map<String, String> environment = way.environment(machine, parts);
    environment.put("KCACHE_DIR", temp.resolve("caches/" + machines).toString());
    Path found = machine.relativize(compiler.file());
    boolean usual = found.startsWith("opt") || found.startsWith("usr");
    if (usual && machine.getNameCount() > 0) {
      // What no variable leads to lies below the root of the machine, which is another here.
      environment.put("KCACHE_COMPILER", compiler.file().toString());
    }
    Map<DType, CacheResult> made = resolve(environment);
    String version = version(environment, compiler.file());
    return cells(
        way.name(),
        compiler,
        runtime(finder, false),
        finder.tool(TOOLS).map(RocmProgram::file),
        machine,
        version,
        origin(made),
        digests(made).equals(hipccs) ? "hipcc's" : "others");
  }

  private static String origin(Map<DType, CacheResult> results) {
    Set<Origin> origins = EnumSet.noneOf(Origin.class);
    results.values().forEach(result -> origins.add(result.origin()));
    return origins.equals(Set.of(Origin.DISK))
        ? "hits"
        : origins.equals(Set.of(Origin.COMPILED)) ? "compiled" : origins.toString();
  }

  /** Returns a row, in which what is of the compiler's root is named from there. */
  private static String cells(
      String name,
      RocmProgram compiler,
      Optional<Path> runtime,
      Optional<Path> tool,
      Path machine,
      String... more) {
    String root = "/" + machine.relativize(compiler.root().directory());
    String shown = root.replaceFirst(".*/site-packages/", "");
    List<String> cells = new ArrayList<>(List.of(name, "`" + shown + "`"));
    cells.add("`" + place(compiler.file(), compiler, machine) + "`");
    cells.add(runtime.map(file -> directory(file, compiler, machine)).orElse("loader"));
    cells.add(tool.map(file -> directory(file, compiler, machine)).orElse("none"));
    cells.addAll(List.of(more));
    return "| " + String.join(" | ", cells) + " |";
  }

  private static String directory(Path file, RocmProgram compiler, Path machine) {
    return "`" + place(file.getParent(), compiler, machine) + "`";
  }

  private static String place(Path file, RocmProgram compiler, Path machine) {
    Path root = compiler.root().directory();
    Path shown = file.startsWith(root) ? root.relativize(file) : machine.relativize(file);
    return (file.startsWith(root) ? "" : "/") + shown.toString().replaceAll("llvm-\\d+", "llvm-N");
  }

  private static Optional<Path> runtime(RocmFinder finder, boolean windows) {
    List<RocmPlace> places = new ArrayList<>(finder.beforeLoader(RocmRoot.runtimeNames(windows)));
    places.addAll(finder.afterLoader());
    return places.stream()
        .flatMap(place -> place.roots().stream())
        .flatMap(root -> root.runtimes().stream())
        .findFirst();
  }

  private static String version(Map<String, String> environment, Path compiler) {
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      String described = cache.toolchain(Platform.AMD).describe();
      assertThat(described).startsWith(compiler + ", ");
      return described.endsWith(".77")
          ? "`.info/version`"
          : described.endsWith(".78") ? "`rocm_version.h`" : "HIP's";
    }
  }

  /** Nothing can be run of it here. */
  private String windows() throws IOException {
    Path machine = Files.createDirectory(temp.toRealPath().resolve("windows"));
    RocmLayout.change(RocmLayouts.WINDOWS, machine, parts);
    RocmFinder finder = new RocmFinder(new Environment(Map.of("PATH", "C:/")), machine, true);
    return cells(
        "HIP SDK, Windows",
        finder.compiler().orElseThrow(),
        runtime(finder, true),
        finder.tool(TOOLS).map(RocmProgram::file),
        machine,
        "?",
        "not run",
        "?");
  }

  private static Map<DType, CacheResult> resolve(Map<String, String> environment) {
    Map<DType, CompletableFuture<CacheResult>> all = new EnumMap<>(DType.class);
    Map<DType, CacheResult> results = new EnumMap<>(DType.class);
    try (CacheManager cache = CacheManager.builder().environment(environment).batching().build()) {
      for (DType type : TYPES) {
        all.put(type, cache.resolveAsync(ShippedFiles.source(type), GFX90A));
      }
      all.forEach((type, result) -> results.put(type, result.join()));
    }
    return results;
  }

  private static Map<DType, Digest> digests(Map<DType, CacheResult> results) {
    Map<DType, Digest> digests = new EnumMap<>(DType.class);
    results.forEach((type, result) -> digests.put(type, result.codeObject().digest()));
    return digests;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }
}
