// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several compilers over one directory. */
class ToolchainsTogetherTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final TargetId GFX1030 = TargetId.parse("gfx1030");
  private static final List<String> NAMES = List.of("hipcc", "hiprtc", "llvm");

  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k(float* p) { *p = 1; }\n");

  @TempDir Path directory;

  @AfterEach
  void keepAnswers() {
    KnownCompilers.keep(directory.resolve("cache"));
  }

  @Test
  void eachToolchain_isServedItsOwnEntry() {
    Map<String, Digest> made = new HashMap<>();
    for (String name : NAMES) {
      CacheResult result = resolve(name);
      assertThat(result.origin()).as(name).isEqualTo(Origin.COMPILED);
      made.put(name, result.codeObject().digest());
    }
    for (String name : NAMES) {
      CacheResult result = resolve(name);
      assertThat(result.origin()).as(name).isEqualTo(Origin.DISK);
      assertThat(result.codeObject().digest()).as(name).isEqualTo(made.get(name));
    }
    try (CacheManager cache = manager("llvm")) {
      assertThat(cache.maintenance().entries()).hasSize(NAMES.size());
      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::label)
          .doesNotHaveDuplicates();
      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::toolchain)
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void targetThatHipccLacks_isCompiledByTheNextThatHasIt() throws IOException {
    Map<String, String> lacking = hipccWithout(GFX1030);
    try (CacheManager cache = manager(lacking)) {
      assertThat(cache.resolveAsync(SOURCE, GFX1030).join().label()).isEqualTo(label("hiprtc"));
      assertThat(cache.resolveAsync(SOURCE, GFX90A).join().label()).isEqualTo(label("hipcc"));

      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::target, CacheEntry::label)
          .containsExactlyInAnyOrder(
              tuple(GFX1030, label("hiprtc")), tuple(GFX90A, label("hipcc")));
    }
    try (CacheManager later = manager(lacking)) {
      assertThat(later.getIfPresent(SOURCE, GFX1030)).isPresent();
    }
  }

  /** HIP 5.2 knows no generic targets, and they need code object version 6 of any compiler. */
  @ParameterizedTest
  @ValueSource(strings = {"gfx11-generic", "gfx9-4-generic:xnack-", "gfx10-3-generic"})
  void genericTarget_isCompiledByTheFirstThatKnowsIt(String text) {
    TargetId generic = TargetId.parse(text);
    try (CacheManager cache = manager(Map.of())) {
      boolean known = cache.toolchain(Platform.AMD).processors().contains(generic.processor());

      CacheResult made = cache.resolveAsync(SOURCE, generic).join();

      assertThat(made.label()).isEqualTo(label(known ? "hipcc" : "llvm"));
      assertThat(made.codeObject().target()).isEqualTo(generic);
      assertThat(made.codeObject().abiVersion()).isEqualTo(6);
      assertThat(made.codeObject().genericVersion()).isPositive();
    }
  }

  @Test
  void targetThatHipccLacks_hipccAskedForByName_isNotCompiledByAnother() throws IOException {
    Map<String, String> lacking = hipccWithout(GFX1030);
    Map<String, String> byKind = new HashMap<>(lacking);
    byKind.put("KCACHE_TOOLCHAIN", "hipcc");
    Map<String, String> byProgram =
        Map.of("KCACHE_COMPILER", directory.resolve("bin/hipcc").toString());
    for (Map<String, String> named : List.of(byKind, byProgram)) {
      try (CacheManager cache = manager(named)) {
        assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX1030))
            .isInstanceOf(CompilationException.class)
            .hasMessageContaining("invalid target ID 'gfx1030'");
        assertThat(cache.maintenance().entries()).isEmpty();
      }
    }
  }

  @Test
  void faultOfTheSource_isNotTriedWithAnotherCompiler() {
    KernelSource bad = KernelSource.of("bad.hip", "__global__ void f() { undeclared(); }\n");
    try (CacheManager cache = manager(Map.of())) {
      String hipcc = hipcc();

      assertThatThrownBy(() -> cache.getOrCompile(bad, GFX90A))
          .isInstanceOfSatisfying(
              CompilationException.class,
              failure -> assertThat(failure.command()).startsWith(hipcc));
    }
  }

  /** A container for running has no compiler; what stands in for its version is found, too. */
  @Test
  void withoutCompiler_findsWhatSeveralCompilersMade() throws IOException {
    Digest own;
    Digest other;
    try (CacheManager builder = manager(hipccWithout(GFX1030))) {
      own = builder.getOrCompile(SOURCE, GFX90A).digest();
      other = builder.getOrCompile(SOURCE, GFX1030).digest();
    }
    Map<String, String> container =
        Map.of("PATH", "/nowhere", "ROCM_VERSION", label("hipcc").text());
    try (CacheManager cache = manager(container)) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A).orElseThrow().digest()).isEqualTo(own);
      assertThat(cache.getIfPresent(SOURCE, GFX1030).orElseThrow().digest()).isEqualTo(other);
      assertThat(cache.getIfPresent(SOURCE, TargetId.parse("gfx1100"))).isEmpty();
    }
  }

  /** What any compiler made will do where there is none, but not for one that is asked for. */
  @Test
  void compilerThatIsAskedForAndNotThere_isAnErrorThoughTheCacheHasAnEntry() {
    try (CacheManager builder = manager("hipcc")) {
      builder.getOrCompile(SOURCE, GFX90A);
    }
    Map<String, String> container = Map.of("PATH", "/nowhere");
    for (String variable : List.of("KCACHE_COMPILER", "ROCM_PATH")) {
      Map<String, String> mistaken = new HashMap<>(container);
      mistaken.put(variable, "/missing");
      try (CacheManager cache = manager(mistaken)) {
        assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
            .isInstanceOf(ToolchainNotFoundException.class)
            .hasMessageContaining(variable + "=/missing");
      }
    }
  }

  /** Returns the PATH of a hipcc that does not know a target. */
  private Map<String, String> hipccWithout(TargetId target) throws IOException {
    Path hipcc = Files.createDirectories(directory.resolve("bin")).resolve("hipcc");
    Files.writeString(
        hipcc,
        """
        #!/bin/sh
        case "$*" in *--offload-arch=%1$s*)
          echo "clang: error: invalid target ID '%1$s'" >&2; exit 1;;
        esac
        exec %2$s "$@"
        """
            .formatted(target, hipcc()));
    Files.setPosixFilePermissions(hipcc, PosixFilePermissions.fromString("rwxr-xr-x"));
    return Map.of("PATH", hipcc.getParent() + ":" + System.getenv("PATH"));
  }

  private String hipcc() {
    try (CacheManager cache = manager("hipcc")) {
      return cache.toolchain(Platform.AMD).describe().replaceFirst(", .*", "");
    }
  }

  private ToolchainLabel label(String name) {
    try (CacheManager cache = manager(name)) {
      return cache.toolchain(Platform.AMD).label();
    }
  }

  private CacheResult resolve(String name) {
    try (CacheManager cache = manager(name)) {
      return cache.resolveAsync(SOURCE, GFX90A).join();
    }
  }

  private CacheManager manager(String name) {
    return manager(Map.of("KCACHE_TOOLCHAIN", name));
  }

  private CacheManager manager(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    environment.putAll(more);
    KnownCompilers.give(directory.resolve("cache"));
    return CacheManager.builder().environment(environment).build();
  }
}
