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
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several compilers over one directory. */
class ToolchainsTogetherTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final List<String> NAMES = List.of("hipcc", "hiprtc", "llvm");

  private static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k(float* p) { *p = 1; }\n");

  @TempDir Path directory;

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
  void targetThatHipccLacks_isCompiledByTheNextThatHasIt() {
    TargetId lacked = lackedByHipcc();
    try (CacheManager cache = manager(Map.of())) {
      assertThat(cache.resolveAsync(SOURCE, lacked).join().origin()).isEqualTo(Origin.COMPILED);
      assertThat(cache.resolveAsync(SOURCE, GFX90A).join().origin()).isEqualTo(Origin.COMPILED);

      assertThat(cache.maintenance().entries())
          .extracting(CacheEntry::target, CacheEntry::label)
          .containsExactlyInAnyOrder(tuple(lacked, label("llvm")), tuple(GFX90A, label("hipcc")));
    }
    try (CacheManager later = manager(Map.of())) {
      assertThat(later.getIfPresent(SOURCE, lacked)).isPresent();
    }
  }

  @Test
  void targetThatHipccLacks_hipccAskedForByName_isNotCompiledByAnother() {
    TargetId lacked = lackedByHipcc();
    String hipcc;
    try (CacheManager cache = manager("hipcc")) {
      hipcc = cache.toolchain(Platform.AMD).describe().replaceFirst(", .*", "");
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, lacked))
          .isInstanceOf(CompilationException.class);
    }
    try (CacheManager cache = manager(Map.of("KCACHE_COMPILER", hipcc))) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, lacked))
          .isInstanceOf(CompilationException.class);
      assertThat(cache.maintenance().entries()).isEmpty();
    }
  }

  @Test
  void faultOfTheSource_isNotTriedWithAnotherCompiler() {
    KernelSource bad = KernelSource.of("bad.hip", "__global__ void f() { undeclared(); }\n");
    try (CacheManager cache = manager(Map.of())) {
      String hipcc = cache.toolchain(Platform.AMD).describe().replaceFirst(", .*", "");

      assertThatThrownBy(() -> cache.getOrCompile(bad, GFX90A))
          .isInstanceOfSatisfying(
              CompilationException.class,
              failure -> assertThat(failure.command()).startsWith(hipcc));
    }
  }

  /** A container for running has no compiler; what stands in for its version is found, too. */
  @Test
  void withoutCompiler_findsWhatSeveralCompilersMade() {
    TargetId lacked = lackedByHipcc();
    Digest own;
    Digest other;
    try (CacheManager builder = manager(Map.of())) {
      own = builder.getOrCompile(SOURCE, GFX90A).digest();
      other = builder.getOrCompile(SOURCE, lacked).digest();
    }
    Map<String, String> container =
        Map.of("PATH", "/nowhere", "ROCM_VERSION", label("hipcc").text());
    try (CacheManager cache = manager(container)) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A).orElseThrow().digest()).isEqualTo(own);
      assertThat(cache.getIfPresent(SOURCE, lacked).orElseThrow().digest()).isEqualTo(other);
      assertThat(cache.getIfPresent(SOURCE, TargetId.parse("gfx1030"))).isEmpty();
    }
  }

  private TargetId lackedByHipcc() {
    try (CacheManager hipcc = manager("hipcc");
        CacheManager hiprtc = manager("hiprtc");
        CacheManager llvm = manager("llvm")) {
      Set<Processor> known = EnumSet.copyOf(hipcc.toolchain(Platform.AMD).processors());
      known.addAll(hiprtc.toolchain(Platform.AMD).processors());
      return llvm.toolchain(Platform.AMD).processors().stream()
          .filter(processor -> !known.contains(processor) && !processor.isGeneric())
          .map(TargetId::of)
          .reduce((first, last) -> last)
          .orElseThrow();
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
    environment.put("KCACHE_DIR", directory.toString());
    environment.putAll(more);
    return CacheManager.builder().environment(environment).build();
  }
}
