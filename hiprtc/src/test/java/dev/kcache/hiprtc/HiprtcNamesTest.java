// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that are not ASCII: the process that loads hiprtc has no locale. */
class HiprtcNamesTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final String KERNEL = "extern \"C\" __attribute__((global)) void %s() {}\n";

  /** Knows the libraries of this machine, as a later process does. */
  @TempDir static Path home;

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void askForHiprtc() throws IOException {
    environment.put("KCACHE_TOOLCHAIN", "hiprtc");
    environment.put("KCACHE_DIR", home.toString());
    environment.put("TMPDIR", Files.createDirectory(temp.resolve("времен ный")).toString());
  }

  @Test
  void filesAndDirectories_areFound() throws IOException {
    write("каталог/внутри.h", KERNEL.formatted("k"));
    Path main = write("ядро.hip", "#include \"заголовок.h\"\n#include <внутри.h>\n");
    write("заголовок.h", "");
    KernelSource source = KernelSource.read(main).withIncludeDirectory(temp.resolve("каталог"));

    assertThat(compile(source, "one").kernels())
        .extracting(KernelMetadata::name)
        .containsExactly("k");
  }

  @Test
  void headerInMemory_isFound() {
    KernelSource source =
        KernelSource.of("ядро.hip", "#include \"日本/été.h\"\n")
            .withHeader("日本/été.h", KERNEL.formatted("k"));

    assertThat(compile(source, "one").kernels()).hasSize(1);
  }

  @Test
  void error_namesTheFile() throws IOException {
    Path main = write("ядро.hip", "#include \"заголовок.h\"\n");
    Path header = write("заголовок.h", "\nint i = nowhere;\n");

    assertThatThrownBy(() -> compile(KernelSource.read(main), "one"))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining(header + ":2:9: error: use of undeclared identifier 'nowhere'");
  }

  /** The temporary directory's name stands nowhere in a result, also if it has such a name. */
  @ParameterizedTest
  @ValueSource(strings = {"-O3", "-g"})
  void twoCompiles_giveTheSameBytes(String option) {
    KernelSource source =
        KernelSource.of(
                "ядро.hip",
                "#include \"заголовок.h\"\nextern \"C\" __global__ void k(dim3* d) { *d = make(); }\n")
            .withHeader("заголовок.h", "__device__ dim3 make() { return dim3(1, 2); }\n")
            .withOptions(CompileOptions.of(option));

    assertThat(compile(source, "one").digest()).isEqualTo(compile(source, "two").digest());
  }

  @Test
  void library_mayLieInADirectoryOfSuchAName() throws Exception {
    environment.put("KCACHE_HIP_LIBRARY", temp.resolve("библиотеки").toString());
    new StandInHiprtc().in(temp.resolve("библиотеки"));
    try (CacheManager cache = manager("one")) {
      assertThat(cache.toolchain(Platform.AMD).label()).hasToString("hiprtc7.1");
      assertThat(cache.toolchain(Platform.AMD).processors()).hasSize(1);
    }
  }

  private CodeObject compile(KernelSource source, String directory) {
    try (CacheManager cache = manager(directory)) {
      return cache.getOrCompile(source, GFX90A);
    }
  }

  private CacheManager manager(String directory) {
    return CacheManager.builder()
        .environment(environment)
        .directory(temp.resolve(directory))
        .build();
  }

  private Path write(String name, String text) throws IOException {
    Path file = temp.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }
}
