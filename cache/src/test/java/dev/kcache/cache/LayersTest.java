// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A manager over its own directory and what others prewarmed. */
class LayersTest extends CacheTestBase {
  private static final TargetId XNACK_OFF = TargetId.parse("gfx90a:sramecc+:xnack-");

  @Test
  void layer_hitWithTheSameCompiler_compilesAndCopiesNothing() throws IOException {
    Path layer = prewarmed("layer");
    List<String> before = tree(layer);
    try (CacheManager cache = over(layer)) {
      CacheResult result = cache.resolveAsync(SOURCE, GFX90A).join();
      assertThat(result.origin()).isEqualTo(Origin.LAYER);
      assertThat(result.kept()).isTrue();
      assertThat(result.codeObject()).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(cache.resolveAsync(SOURCE, GFX90A).join().origin()).isEqualTo(Origin.MEMORY);
      assertThat(cache.statistics().diskHits()).isEqualTo(1);
      assertThat(cache.statistics().savedTime()).hasMillis(500);
    }
    assertThat(toolchain.jobs).hasSize(1);
    assertThat(root()).doesNotExist();
    assertThat(tree(layer)).isEqualTo(before);
  }

  @Test
  void health_tellsOfTheDirectoryAndOfEachLayerUsedOrNot() {
    Path layer = prewarmed("layer");
    Path missing = temp.resolve("missing");
    try (CacheManager cache = over(layer, missing)) {
      CacheHealth health = cache.maintenance().health();
      assertThat(health.disabled()).isFalse();
      assertThat(health.directory().orElseThrow().root()).isEqualTo(root());
      assertThat(health.layers()).extracting(DirectoryHealth::root).containsExactly(layer, missing);
      assertThat(health.layers())
          .extracting(each -> each.counts().entries())
          .containsExactly(1L, 0L);
      assertThat(health.layers().get(1).fault()).isPresent();
      assertThat(health.probeCache()).isPresent();
      assertThat(root()).doesNotExist();
    }
    try (CacheManager cache = over(Map.of("KCACHE_DISABLE", "1"), layer)) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(cache.maintenance().layers()).isEmpty();
      assertThat(cache.maintenance().health().disabled()).isTrue();
      assertThat(cache.maintenance().health().directory()).isEmpty();
      assertThat(cache.maintenance().health().layers()).isEmpty();
      assertThat(cache.maintenance().health().probeCache()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "prefer-cache", "sealed"})
  void layer_withNeitherCompilerNorHome_isServed(String policy) {
    Path layer = prewarmed("layer");
    Map<String, String> bare =
        environment(
            "KCACHE_POLICY", policy, "KCACHE_PATH", layer.toString(), "ROCM_VERSION", "5.2");
    bare.putAll(Map.of("ARCH", "gfx90a", "PATH", temp.toString()));
    bare.remove("KCACHE_DIR");
    try (CacheManager cache = CacheManager.builder().environment(bare).build()) {
      assertThat(cache.getOrCompile(SOURCE)).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(cache.maintenance().directory()).isEmpty();
      assertThat(cache.maintenance().layers()).containsExactly(layer);
    }
  }

  @Test
  void layer_belowADirectoryThatCannotBeUsed_isServed() throws IOException {
    Path layer = prewarmed("layer");
    Files.writeString(root(), "not a directory");
    try (Warnings warnings = Warnings.of(Directories.class);
        CacheManager cache = over(layer)) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      assertThat(warnings.lines())
          .containsExactly(
              "cache directory "
                  + root()
                  + " is not a directory; set KCACHE_DIR or --cache-dir to a directory of your own");
    }
  }

  @Test
  void directories_areSearchedInTheirOrderWhateverIsNewer() throws IOException {
    toolchain.log = "cache";
    prewarm(CacheManager.builder().directory(root()), SOURCE, GFX90A);
    toolchain.log = "first";
    Path first = prewarmed("first");
    toolchain.log = "second";
    Path second = prewarmed("second");
    Map<String, String> sealed = Map.of("KCACHE_POLICY", "sealed");

    for (Path directory : List.of(root(), first, second)) {
      try (CacheManager cache = over(sealed, first, second)) {
        assertThat(cache.resolveAsync(SOURCE, GFX90A).join().log())
            .isEqualTo(directory.getFileName().toString());
      }
      for (Path record : files(directory, ".json")) {
        Files.delete(record);
      }
    }
    try (CacheManager cache = over(sealed, first, second)) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
    }
  }

  @Test
  void device_exactIdInTheLastLayer_goesBeforeAnyFeaturesInTheFirst() throws IOException {
    Path any = prewarmed("any");
    Path exact = prewarmed("exact", SOURCE, XNACK_OFF);
    Map<String, String> device = Map.of("PATH", rocminfoOf("gfx90a:sramecc+:xnack-").toString());
    try (CacheManager cache = over(device, any, exact)) {
      assertThat(cache.getOrCompile(SOURCE).target()).isEqualTo(XNACK_OFF);
    }
    try (CacheManager cache = over(device, any)) {
      assertThat(cache.getOrCompile(SOURCE).target()).isEqualTo(GFX90A);
    }
    assertThat(toolchain.jobs).hasSize(2);
  }

  @Test
  void alteredEntry_isNeverServed() throws IOException {
    Path altered = prewarmed("altered");
    Path sound = prewarmed("sound");
    Path code = files(altered, ".co").get(0);
    byte[] bytes = Files.readAllBytes(code);
    bytes[bytes.length / 2] ^= 1;
    Files.write(code, bytes);
    List<String> before = tree(altered);

    try (CacheManager cache = over(altered, sound)) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      assertThat(cache.getOrCompile(SOURCE, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(cache.maintenance().quarantined()).isZero();
    }
    try (CacheManager cache = over(altered)) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(cache.getOrCompile(SOURCE, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
    }
    assertThat(tree(altered)).isEqualTo(before);
    assertThat(code).hasBinaryContent(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a-5.2", ".co", ".json"})
  void layerThatCannotBeRead_isPassedOver(String part) throws IOException {
    Path broken = prewarmed("broken");
    Path sound = prewarmed("sound");
    Path file = files(broken, part).get(0);
    Files.move(file, temp.resolve("aside"));
    Files.createSymbolicLink(file, file);

    try (CacheManager cache = over(broken, sound)) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
    }
    try (CacheManager cache = over(broken)) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
    assertThat(file).isSymbolicLink();
  }

  @Test
  void miss_isCompiledIntoTheOwnDirectory() throws IOException {
    Path layer = prewarmed("layer");
    List<String> before = tree(layer);
    try (CacheManager cache = over(layer)) {
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.COMPILED);
      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::source)
          .containsExactly("other.hip");
      assertThat(cache.maintenance().entries(root())).isEqualTo(cache.maintenance().entries());
      assertThat(cache.maintenance().entries(layer))
          .extracting(CacheEntry::source)
          .containsExactly("k.hip");
      assertThatThrownBy(() -> cache.maintenance().entries(temp))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(tree(layer)).isEqualTo(before);
  }

  @Test
  void recompile_looksIntoNoLayer() {
    Path layer = prewarmed("layer");
    try (CacheManager cache = builder().layers(List.of(layer)).recompiling().build()) {
      assertThat(cache.maintenance().layers()).containsExactly(layer);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
  }

  @Test
  void layers_duplicatesAndTheOwnDirectory_areDropped() throws IOException {
    Path layer = prewarmed("layer");
    prewarm(CacheManager.builder(), OTHER, GFX90A);
    Path link = Files.createSymbolicLink(temp.resolve("link"), layer);
    Path toOwn = Files.createSymbolicLink(temp.resolve("to-own"), root());
    try (CacheManager cache = over(root(), toOwn, link, layer, link, layer)) {
      assertThat(cache.maintenance().layers()).containsExactly(link);
    }
  }

  @Test
  void unusableLayers_costOneWarningEach() throws IOException {
    Path missing = temp.resolve("missing");
    Path open = prewarmed("open");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxr-x"));
    Path layer = prewarmed("layer");
    try (Warnings warnings = Warnings.of(Directories.class);
        CacheManager cache = over(missing, open, layer)) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.COMPILED);
      assertThat(cache.maintenance().layers()).containsExactly(layer);
      assertThat(cache.maintenance().entries(open)).isEmpty();
      assertThat(warnings.lines())
          .containsExactly(
              "not using layer " + missing + ": it does not exist",
              "not using layer "
                  + open
                  + ": it can be written by other users (rwxrwxr-x);"
                  + " run 'chmod go-w' on it or choose another one");
    }
  }

  @Test
  void layerThatOthersCannotRead_isToldWhenItIsFilledAndWhenItIsHit() throws IOException {
    Path layer = Files.createDirectory(temp.resolve("layer"));
    Files.setPosixFilePermissions(layer, PosixFilePermissions.fromString("rwx------"));
    for (Origin expected : List.of(Origin.COMPILED, Origin.DISK)) {
      Notices.clear();
      try (Warnings warnings = Warnings.of(Directories.class);
          CacheManager cache = builder().directory(layer).build()) {
        assertThat(origin(cache, SOURCE)).isEqualTo(expected);
        assertThat(origin(cache, OTHER)).isEqualTo(expected);
        assertThat(warnings.lines())
            .containsExactly(
                "layer "
                    + layer
                    + " has parts that other users cannot read; run 'chmod -R go+rX' on it, or name"
                    + " it in KCACHE_DIR if it is for you alone");
      }
    }
  }

  private CacheManager over(Path... layers) {
    return over(Map.of(), layers);
  }

  private CacheManager over(Map<String, String> environment, Path... layers) {
    Map<String, String> all = environment();
    all.putAll(environment);
    all.put("KCACHE_PATH", String.join(":", Stream.of(layers).map(Path::toString).toList()));
    return builder().environment(all).build();
  }

  private Path prewarmed(String name) {
    return prewarmed(name, SOURCE, GFX90A);
  }

  private Path prewarmed(String name, KernelSource source, TargetId target) {
    Path layer = temp.resolve(name);
    prewarm(CacheManager.builder().directory(layer), source, target);
    awaitUnlocked(layer);
    return layer;
  }

  /** A lock is given back by a thread of its own, a moment after its holder has gone on. */
  private static void awaitUnlocked(Path layer) {
    String[] beats = {""};
    for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30); beats.length > 0; ) {
      assertThat(System.nanoTime()).isLessThan(end);
      beats = layer.resolve("beats").toFile().list();
    }
  }

  private void prewarm(CacheManagerBuilder builder, KernelSource source, TargetId target) {
    // What is remembered of a compile stays with whoever compiled.
    Map<String, String> environment = Map.of("KCACHE_DIR", temp.resolve("theirs").toString());
    try (CacheManager cache = builder.environment(environment).toolchain(toolchain).build()) {
      cache.getOrCompile(source, target);
    }
  }

  /** Returns a directory with a rocminfo that shows one GPU. */
  private Path rocminfoOf(String target) throws IOException {
    Path shown = Path.of("../toolchain/src/test/resources/rocminfo/rocminfo.gfx90a.txt");
    assertThat(shown).content().contains("amdgcn-amd-amdhsa--" + target);
    Path program = temp.resolve("bin/rocminfo");
    return Script.write(program, "/bin/cat '" + shown.toAbsolutePath() + "'").getParent();
  }

  private static List<String> tree(Path root) throws IOException {
    List<String> tree = new ArrayList<>();
    for (Path file : files(root, "")) {
      tree.add(file + " " + Files.getAttribute(file, "unix:ctime"));
    }
    return tree;
  }
}
