// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A hiprtc that crashes, hangs or is none: a library of the test's own stands in for it. */
class HiprtcFailuresTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final KernelSource SOURCE =
      KernelSource.of("kernel.hip", "extern \"C\" __attribute__((global)) void k() {}\n");

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void askForHiprtc() throws IOException {
    environment.put("KCACHE_TOOLCHAIN", "hiprtc");
    environment.put("KCACHE_HIP_LIBRARY", temp.resolve("lib").toString());
    environment.put("TMPDIR", Files.createDirectory(temp.resolve("tmp")).toString());
  }

  @ParameterizedTest
  @CsvSource({
    "abort(), SIGABRT",
    "raise(8), SIGFPE",
    "raise(11), SIGSEGV",
    "*(volatile int *)8 = 1, SIGSEGV"
  })
  void crash_isAFailureOfTheCompile(String how, String signal) throws Exception {
    new StandInHiprtc().compiling(how + "; return 0;").in(temp.resolve("lib"));
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOfSatisfying(
              CompilationException.class,
              failure -> {
                assertThat(failure)
                    .hasMessage(
                        "kernel.hip: hiprtc crashed (%s) in a process of its own; compile with hipcc,"
                                .formatted(signal)
                            + " or change what it can't bear");
                assertThat(failure.log()).doesNotContain("Java Runtime");
              });
    }
    assertThat(temp.resolve("tmp")).isEmptyDirectory();
  }

  @Test
  void lastWordsOfACrash_areInTheMessage() throws Exception {
    new StandInHiprtc()
        .compiling("fputs(\"LLVM ERROR: out of registers\\n\", stderr); abort();")
        .in(temp.resolve("lib"));
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .hasMessageContaining("crashed (SIGABRT: LLVM ERROR: out of registers)");
    }
  }

  @Test
  void hang_isEndedInTime() throws Exception {
    new StandInHiprtc().compiling("for (;;) pause();").in(temp.resolve("lib"));
    try (CacheManager cache =
        CacheManager.builder()
            .environment(environment)
            .directory(temp.resolve("cache"))
            .compileTimeout(Duration.ofSeconds(2))
            .build()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(CompilationException.class)
          .hasMessageContaining("the compiler did not end within 2 s and was ended");
    }
    assertThat(temp.resolve("tmp")).isEmptyDirectory();
    // A process that was killed takes a moment to be gone.
    for (ProcessHandle left : ProcessHandle.allProcesses().filter(this::isOurs).toList()) {
      left.onExit().get(10, TimeUnit.SECONDS);
    }
  }

  private boolean isOurs(ProcessHandle process) {
    return process.info().commandLine().orElse("").contains(temp.resolve("lib").toString());
  }

  @Test
  void failureWithoutALog_saysWhatHiprtcReturned() throws Exception {
    new StandInHiprtc().compiling("return 5;").in(temp.resolve("lib"));
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .hasMessageContaining(
              "error: hiprtc compiled nothing and says no more than HIPRTC_ERROR_OF_A_KIND");
    }
  }

  @Test
  void resultThatIsNoCodeObject_isNotKept() throws Exception {
    new StandInHiprtc()
        .compiling("fclose(fopen(\"../out.d\", \"w\")); return 0;")
        .in(temp.resolve("lib"));
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(CompilationException.class);
      assertThat(cache.maintenance().entries()).isEmpty();
    }
  }

  @Test
  void crashWhenAsked_isNoToolchain() throws Exception {
    new StandInHiprtc().asked("abort();").in(temp.resolve("lib"));
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining(temp.resolve("lib/libhiprtc.so.7") + ": hiprtc crashed (SIGABRT)")
          .hasMessageEndingWith("repair ROCm's HIP runtime, or set ROCM_PATH to another");
    }
  }

  @Test
  void fileThatIsNoLibrary_isOneClearLine() throws Exception {
    Path file = Files.createDirectory(temp.resolve("lib")).resolve("libhiprtc.so.7");
    Files.writeString(file, "no library");
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              file
                  + ": it can't be asked what it is: error: "
                  + file
                  + ": file too short; repair ROCm's HIP runtime, or set ROCM_PATH to another");
    }
  }

  @Test
  void libraryThatIsNoHiprtc_isOneClearLine() throws Exception {
    Path file = Files.createDirectory(temp.resolve("lib")).resolve("libhiprtc.so.7");
    StandInHiprtc.library(file, "int nothing;", List.of());
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("hiprtcCreateProgram")
          .hasMessageEndingWith("repair ROCm's HIP runtime, or set ROCM_PATH to another");
    }
  }

  @Test
  void noLibrary_isOneClearLine() {
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "hiprtc is not there: no libhiprtc.so beside KCACHE_HIP_LIBRARY="
                  + temp.resolve("lib")
                  + "; correct that or unset it");
    }
    assertThat(new HiprtcToolchainProvider().isUsable(environment)).isFalse();
  }

  @Test
  void labelAndProcessors_areWhatTheLibrariesTell() throws Exception {
    new StandInHiprtc().in(temp.resolve("lib"));
    try (CacheManager cache = manager()) {
      assertThat(cache.toolchain(Platform.AMD).label()).hasToString("hiprtc7.1");
      assertThat(cache.toolchain(Platform.AMD).describe())
          .isEqualTo(temp.resolve("lib/libhiprtc.so.7") + ", hiprtc 7.1.25424");
      assertThat(cache.toolchain(Platform.AMD).processors()).containsExactly(Processor.GFX90A);
    }
    assertThat(new HiprtcToolchainProvider().isUsable(environment)).isTrue();
  }

  /** Which it lists, but may lack the device libraries for (HIP 6.4 of Debian). */
  @Test
  void genericProcessor_isTriedWhenItIsAskedFor() throws Exception {
    Path tried = temp.resolve("tried");
    new StandInHiprtc()
        .asked(
            """
            if (!strstr(options[0], "generic")) return 6;
            FILE *tried = fopen("%s", "a");
            fprintf(tried, "%%s\\n", options[0]);
            fclose(tried);
            return strstr(options[0], "gfx9-") ? 0 : 6;
            """
                .formatted(tried))
        .in(temp.resolve("lib"));
    try (CacheManager cache = manager()) {
      Toolchain toolchain = cache.toolchain(Platform.AMD);
      toolchain.identity(GFX90A, CompileOptions.DEFAULT.arguments());
      assertThat(tried).doesNotExist();

      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, TargetId.parse("gfx11-generic")))
          .isInstanceOf(CompilationException.class)
          .hasMessageContaining("does not compile for gfx11-generic; use a newer one, or hipcc");
      assertThat(tried).hasContent("--offload-arch=gfx11-generic");

      assertThat(toolchain.processors()).containsExactly(Processor.GFX9_GENERIC, Processor.GFX90A);
    }
  }

  @Test
  void identity_isOfTheLibrariesContentAndTheOptions() throws Exception {
    new StandInHiprtc().in(temp.resolve("lib"));
    Digest first = identity("-O3", "cache");

    assertThat(identity("-O3", "cache")).isEqualTo(first);
    assertThat(identity("-O3", "other")).isEqualTo(first);
    assertThat(identity("-O1", "cache")).isNotEqualTo(first);
    Files.write(temp.resolve("lib/libamd_comgr.so.3"), new byte[] {0}, StandardOpenOption.APPEND);
    assertThat(identity("-O3", "cache")).isNotEqualTo(first);
  }

  @Test
  void identity_isOfComgrsOwnIdentifier() throws Exception {
    Path identifier = Files.writeString(temp.resolve("identifier"), "a".repeat(64));
    new StandInHiprtc().identifiedBy(identifier).in(temp.resolve("lib"));
    Digest first = identity("-O3", "one");
    Files.writeString(identifier, "b".repeat(64));

    assertThat(identity("-O3", "two")).isNotEqualTo(first);
  }

  private Digest identity(String option, String directory) {
    try (CacheManager cache = manager(directory)) {
      return cache.toolchain(Platform.AMD).identity(GFX90A, CompileOptions.of(option).arguments());
    }
  }

  private CacheManager manager() {
    return manager("cache");
  }

  private CacheManager manager(String directory) {
    return CacheManager.builder()
        .environment(environment)
        .directory(temp.resolve(directory))
        .build();
  }
}
