// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Names that are more than names to a shell, to a compiler or to another system, through the real
 * hipcc. A program called {@code pwn} is on the PATH; it leaves a file that nothing may make.
 */
@Timeout(120)
class OddNamesTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final String SHELL = "a b;pwn;|pwn&&pwn&$(pwn)`pwn`'\"*?[x]{y,z}#~!<pwn>\\$HOME";
  private static final String KERNEL = "__global__ void k() {}\n";

  /** One cache for all tests, whose sources differ: the compiler is learned once. */
  @TempDir static Path shared;

  private static Path pwned;
  private static Path programs;

  @TempDir Path temp;
  private final Map<String, String> environment = new HashMap<>(System.getenv());

  @BeforeAll
  static void makeTheProgram() throws IOException {
    pwned = shared.resolve("pwned");
    programs = Files.createDirectory(shared.resolve("programs"));
    Script.write(programs.resolve("pwn"), ": > " + pwned);
  }

  @BeforeEach
  void putTheProgramOnThePath() {
    environment.put("PATH", environment.get("PATH") + ":" + programs);
    environment.put("KCACHE_DIR", shared.resolve("cache").toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-" + SHELL, "@" + SHELL, "-v", "@response"})
  void names_thatAShellOrTheCompilerTakesForMore_areOnlyNames(String name) throws IOException {
    Path directory = Files.createDirectory(temp.resolve(name));
    Path source = write(directory.resolve(name + ".hip"), include("sub/x.h") + KERNEL);
    String header = name.replaceAll("[>\\\\]", "") + ".h";
    write(directory.resolve("sub/x.h"), "#include <" + header + ">\n");
    write(directory.resolve("inc").resolve(header), "#define FOUND\n");
    environment.put("TMPDIR", Files.createDirectory(directory.resolve(name)).toString());

    compile(KernelSource.read(source).withIncludeDirectory(directory.resolve("inc")));

    assertThat(directory.resolve(name)).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ROCM_PATH", "HIP_PATH"})
  void variable_thatAShellWouldRun_isRefused(String variable) throws IOException {
    environment.put(variable, Files.createDirectory(temp.resolve("rocm$(pwn)")).toString());

    assertThatThrownBy(() -> compile(KernelSource.of("k.hip", KERNEL)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(variable + "=" + temp)
        .hasMessageContaining("hipcc would give it to a shell; use a path of letters");
    assertThat(pwned).doesNotExist();
  }

  @Test
  void hipcc_whosePathAShellWouldRun_isRefused() throws IOException {
    Path hipcc = Script.write(temp.resolve("rocm;pwn/bin/hipcc"), "pwn");
    environment.put("KCACHE_HIPCC", hipcc.toString());

    assertThatThrownBy(() -> compile(KernelSource.of("k.hip", KERNEL)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("hipcc would give it to a shell");
    assertThat(pwned).doesNotExist();
  }

  /** In capitals and not, as Windows knows them for devices, and as it would cut or split them. */
  @Test
  void names_thatOtherSystemsWouldConfuse_areKeptApart() {
    KernelSource source =
        KernelSource.of(
            "CON",
            """
            #include "aux.h"
            #include "AUX.h"
            #include "NUL"
            #include "com1.h."
            #include "c:x.h"
            #if AUX + CAPITAL_AUX + NIL + COM + COLON != 31
            #error "a header was taken for another"
            #endif
            """
                + KERNEL);
    for (Map.Entry<String, String> header :
        Map.of(
                "aux.h", "AUX 1",
                "AUX.h", "CAPITAL_AUX 2",
                "NUL", "NIL 4",
                "com1.h.", "COM 8",
                "c:x.h", "COLON 16")
            .entrySet()) {
      source = source.withHeader(header.getKey(), "#define " + header.getValue() + "\n");
    }

    compile(source);
  }

  @Test
  void names_asLongAsTheFileSystemTakes_areCompiled() throws IOException {
    String name = "n".repeat(253) + ".h";
    Path source = write(temp.resolve("m".repeat(251) + ".hip"), include(name) + KERNEL);

    compile(KernelSource.read(source).withHeader(name, ""));
    compile(KernelSource.of("s".repeat(5000) + ".hip", KERNEL));
  }

  private void compile(KernelSource source) {
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      assertThat(cache.getOrCompile(source, GFX90A).target()).isEqualTo(GFX90A);
      assertThat(cache.statistics().compiles()).isEqualTo(1);
    }
    assertThat(pwned).doesNotExist();
  }

  private static String include(String name) {
    return "#include \"" + name + "\"\n";
  }

  private static Path write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }
}
