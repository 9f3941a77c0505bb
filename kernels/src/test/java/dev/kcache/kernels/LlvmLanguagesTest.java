// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clang and lld behind the embedded LLVM. */
class LlvmLanguagesTest extends LanguageContract {
  @Override
  String name() {
    return "llvm";
  }

  /** Clang looks for it beside itself. HIP is compiled for the machine, so it is not read there. */
  @Test
  void configurationFile_ofTheTarget_isNotRead(@TempDir Path where) throws IOException {
    Digest without = digest(where.resolve("1"));
    Path clang;
    try (Stream<Path> files = Files.walk(home())) {
      clang = files.filter(file -> file.endsWith("bin/clang")).findFirst().orElseThrow();
    }
    Path file =
        Files.writeString(
            clang.resolveSibling("amdgcn-amd-amdhsa.cfg"), "-Xclang -disable-llvm-passes\n");
    try {
      assertThat(digest(where.resolve("2"))).isEqualTo(without);
    } finally {
      Files.delete(file);
    }
  }

  private Digest digest(Path directory) {
    try (CacheManager cache = in(directory)) {
      return cache.getOrCompile(example("vadd.ll"), TARGET).digest();
    }
  }
}
