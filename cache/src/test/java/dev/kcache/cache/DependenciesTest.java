// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the list of what a compile read is needed, and what becomes of a request without it. */
class DependenciesTest extends CacheTestBase {
  @Override
  CacheManagerBuilder builder(String... variables) {
    return super.builder("ROCM_VERSION", "5.2").target(GFX90A);
  }

  private Origin originInANewManager() {
    try (CacheManager cache = manager()) {
      return origin(cache, SOURCE);
    }
  }

  private Path list() {
    return root()
        .resolve("gfx90a-5.2")
        .resolve(DependencyList.of(FakeToolchain.HEADERS).digest() + ".deps");
  }

  @Test
  void entriesWithTheSame_shareOneList() throws IOException {
    try (CacheManager cache = manager()) {
      cache.getOrCompile(SOURCE);
      cache.getOrCompile(OTHER);

      assertThat(cache.maintenance().entries()).hasSize(2);
      assertThat(files(root(), ".deps")).as("of dependencies, of the toolchain's files").hasSize(2);
      assertThat(cache.maintenance().entries())
          .allSatisfy(
              entry -> {
                assertThat(list()).hasFileName(entry.dependencies() + ".deps");
                assertThat(cache.maintenance().dependencies(entry)).contains(FakeToolchain.HEADERS);
              });
    }
  }

  @Test
  void record_namesItsInputsTheCompilerAndItsFiles() throws IOException {
    KernelSource source =
        KernelSource.of("k.hip", "#include \"k.h\"\n__global__ void k() {}\n")
            .withHeader("k.h", "// a header\n");
    try (CacheManager cache = manager()) {
      cache.getOrCompile(source);
      CacheEntry entry = cache.maintenance().entries().get(0);

      assertThat(entry.inputs())
          .containsExactlyElementsOf(source.inputs())
          .extracting(CacheEntry.Input::digest)
          .contains(Digest.of("// a header\n".getBytes(UTF_8)));
      assertThat(entry.compiler()).isEqualTo("a fake, 5.2");
      Path files = root().resolve("gfx90a-5.2").resolve(entry.toolchainFiles() + ".deps");
      assertThat(files)
          .hasContent(Digest.of(toolchain.content.getBytes(UTF_8)) + "  /fake/hipcc\n");
    }
  }

  @Test
  void missingListOfTheToolchainsFiles_isServedAndFoundByVerification() throws IOException {
    originInANewManager();
    try (CacheManager cache = manager()) {
      String name = cache.maintenance().entries().get(0).toolchainFiles() + ".deps";
      Files.delete(root().resolve("gfx90a-5.2").resolve(name));

      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      assertThat(cache.maintenance().verify((directory, done, total) -> {}).findings())
          .extracting(Finding::problem)
          .containsExactly("its list of the toolchain's files is gone");
    }
  }

  @Test
  void listThatIsMissingOrDamaged_isAMissUntilTheKernelIsCompiledAgain() throws IOException {
    assertThat(originInANewManager()).isEqualTo(Origin.COMPILED);
    byte[] sound = Files.readAllBytes(list());
    Files.delete(list());
    assertThat(originInANewManager()).as("missing").isEqualTo(Origin.COMPILED);
    Files.writeString(list(), "damaged");

    try (CacheManager cache = manager()) {
      assertThat(cache.getIfPresent(SOURCE)).isEmpty();
      assertThat(cache.maintenance().quarantined()).isEqualTo(1);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
    assertThat(list()).hasBinaryContent(sound);
    assertThat(originInANewManager()).isEqualTo(Origin.DISK);
  }

  @Test
  void list_isReadOnceByAManager() throws IOException {
    originInANewManager();
    try (CacheManager cache = builder().memoryLimit(0).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      Files.delete(list());
      for (int i = 0; i < 3; i++) {
        assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      }
      toolchain.changed = FakeToolchain.HEADERS;
      assertThat(cache.getIfPresent(SOURCE)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PREFER_CACHE", "SEALED"})
  void policyThatNeedsNoList_isServedWithoutIt(CachePolicy policy) throws IOException {
    originInANewManager();
    Files.delete(list());

    try (CacheManager cache = builder().policy(policy).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      assertThat(cache.maintenance().entries()).hasSize(1);
      assertThat(cache.maintenance().codeObject(cache.maintenance().entries().get(0))).isPresent();
      assertThat(cache.maintenance().dependencies(cache.maintenance().entries().get(0))).isEmpty();
    }
  }

  @Test
  void listThatTheToolchainKnows_isNotReadAndAskedForEveryTwoSeconds() throws IOException {
    originInANewManager();
    Files.delete(list());
    toolchain.known = true;
    AtomicLong nanos = new AtomicLong();
    CacheManagerBuilder builder = builder().memoryLimit(0);
    builder.nanoTime = nanos::get;
    try (CacheManager cache = builder.build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      toolchain.known = false;
      nanos.addAndGet(Duration.ofMillis(1900).toNanos());
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      nanos.addAndGet(Duration.ofMillis(200).toNanos());
      assertThat(cache.getIfPresent(SOURCE)).isEmpty();
    }
  }

  @Test
  void layer_givesItsListAndIsLeftAsItIs() throws IOException {
    originInANewManager();
    Path layer = temp.resolve("layer");
    Files.move(root(), layer);
    CacheManagerBuilder over = builder().layers(List.of(layer));
    try (CacheManager cache = over.build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      assertThat(cache.maintenance().dependencies(cache.maintenance().entries(layer).get(0)))
          .contains(FakeToolchain.HEADERS);
    }
    assertThat(root()).doesNotExist();
  }
}
