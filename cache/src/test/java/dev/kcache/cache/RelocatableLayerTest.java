// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A layer that the real hipcc filled says nowhere where it was made, or out of what. */
@Timeout(60)
class RelocatableLayerTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");

  @TempDir Path temp;

  @Test
  void layer_holdsNoPathOfItsOwnAndServesAnywhere() throws IOException {
    Path layer = temp.resolve("layer");
    Path sources = Files.createDirectories(temp.resolve("sources/include"));
    Files.writeString(
        sources.resolve("f.h"), "__device__ int f() { int unused; return __LINE__; }\n");
    Path file =
        Files.writeString(
            temp.resolve("sources/k.hip"),
            """
            #include <f.h>
            __device__ const char* where = __FILE__;
            __global__ void k(const char** p) { *p = where + f(); }
            """);
    KernelSource source =
        KernelSource.read(file)
            .withIncludeDirectory(sources)
            .withOptions(CompileOptions.of("-g", "-Wall"));
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("HOME", Files.createDirectory(temp.resolve("home")).toString());
    environment.put("TMPDIR", Files.createDirectory(temp.resolve("tmp")).toString());
    CodeObject made;
    String version;
    try (CacheManager cache =
        CacheManager.builder().environment(environment).directory(layer).build()) {
      made = cache.getOrCompile(source, GFX90A);
      version = cache.toolchain(Platform.AMD).label().text();
    }

    assertThat(filesThatHold(layer, temp.toRealPath().toString())).isEmpty();
    assertThat(filesThatHold(layer, temp.getFileName().toString())).isEmpty();
    assertThat(filesThatHold(layer, "gfx90a")).isNotEmpty();
    Path moved = Files.move(layer, temp.resolve("elsewhere"));
    Map<String, String> sealed =
        Map.of("ROCM_VERSION", version, "KCACHE_POLICY", "sealed", "KCACHE_PATH", moved.toString());
    try (CacheManager cache = CacheManager.builder().environment(sealed).build()) {
      assertThat(cache.getIfPresent(source, GFX90A)).contains(made);
    }
  }

  /** All bytes of all files, and all names. */
  private static List<Path> filesThatHold(Path layer, String text) throws IOException {
    try (Stream<Path> files = Files.walk(layer)) {
      return files
          .filter(file -> layer.relativize(file).toString().contains(text) || holds(file, text))
          .toList();
    }
  }

  private static boolean holds(Path file, String text) {
    try {
      return Files.isRegularFile(file)
          && new String(Files.readAllBytes(file), ISO_8859_1).contains(text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
