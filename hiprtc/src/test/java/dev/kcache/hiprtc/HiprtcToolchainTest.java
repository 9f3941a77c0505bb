// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine's own hiprtc as users have it: through a manager, on a machine without hipcc. */
class HiprtcToolchainTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final KernelSource VADD =
      source(
          """
          #include <hip/hip_runtime.h>
          extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) c[i] = a[i] + sinf(b[i]);
          }
          """);

  /** Knows the libraries of this machine, as a later process does. */
  @TempDir static Path home;

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUpAMachineWithoutHipcc() throws IOException {
    environment.put("PATH", temp.toString());
    environment.put("KCACHE_DIR", home.toString());
    environment.put("TMPDIR", Files.createDirectory(temp.resolve("tmp")).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hiprtc"})
  void kernel_compilesWithoutHipcc(String asked) throws IOException {
    environment.put("KCACHE_TOOLCHAIN", asked);
    try (CacheManager cache = manager("cache")) {
      CodeObject code = cache.getOrCompile(VADD, GFX90A);

      assertThat(code.target()).isEqualTo(GFX90A);
      assertThat(code.kernels()).extracting(KernelMetadata::name).containsExactly("vadd");
      assertThat(cache.maintenance().entries()).extracting("label").containsExactly(label(cache));
      assertThat(label(cache).text()).matches("hiprtc\\d+\\.\\d+");
    }
    assertThat(temp.resolve("tmp")).isEmptyDirectory();
  }

  @Test
  void firstCompile_saysOnceWhoCompilesAndWhatItLacks() {
    Notices.clear();
    List<String> told = new ArrayList<>();
    Logger logger = Logger.getLogger("dev.kcache");
    Handler listener = listener(told);
    logger.addHandler(listener);
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(VADD, GFX90A);
      cache.getOrCompile(VADD.withOptions(CompileOptions.of(List.of("-DX"))), GFX90A);
      cache.getOrCompile(VADD, GFX90A);
    } finally {
      logger.removeHandler(listener);
    }

    assertThat(told)
        .singleElement(STRING)
        .matches(
            "hiprtc of \\S+/lib\\S+\\.so\\S* compiles, with the headers of HIP that it has built in"
                + " and a part of the C\\+\\+ library's; install hipcc for all of them");
  }

  private static Handler listener(List<String> told) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        told.add(record.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void hipcc_isPreferred() {
    environment.remove("PATH");
    try (CacheManager cache = manager("cache")) {
      assertThat(label(cache).text()).matches("\\d+\\.\\d+");
    }
  }

  @Test
  void label_isHipsVersion() {
    String hipcc;
    environment.remove("PATH");
    try (CacheManager cache = manager("cache")) {
      hipcc = label(cache).text();
    }
    environment.put("KCACHE_TOOLCHAIN", "hiprtc");
    try (CacheManager cache = manager("cache")) {
      assertThat(label(cache)).isEqualTo(new ToolchainLabel("hiprtc" + hipcc));
    }
  }

  @Test
  void versionOfRocm_isNotCompiledForWithHiprtc() {
    environment.put("ROCM_VERSION", "4.2");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(VADD, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("no hipcc in")
          .hasMessageEndingWith("to compile by another version, set KCACHE_TOOLCHAIN to hiprtc");
    }
  }

  @Test
  void processors_includeThoseOfItsTimeAndEachOneCompiles() {
    try (CacheManager cache = manager("cache")) {
      assertThat(toolchain(cache).processors())
          .hasSizeGreaterThan(20)
          .contains(Processor.GFX906, Processor.GFX90A, Processor.GFX1030);
      toolchain(cache).processors().stream()
          .filter(processor -> processor.isGeneric() || processor == Processor.GFX803)
          .map(TargetId::of)
          .forEach(
              target -> assertThat(cache.getOrCompile(VADD, target).target()).isEqualTo(target));
    }
  }

  @Test
  void features_areCompiledFor() {
    TargetId target = TargetId.parse("gfx90a:sramecc+:xnack-");
    try (CacheManager cache = manager("cache")) {
      assertThat(cache.getOrCompile(VADD, target).target()).isEqualTo(target);
    }
  }

  /** Which hiprtc itself answers by ending the process (HIP 5.2 and 6.4). */
  @Test
  void processorThatItDoesNotKnow_isOneClearLine() {
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(VADD, TargetId.of(Processor.GFX1310)))
          .isInstanceOf(CompilationException.class)
          .hasMessageContaining("does not compile for gfx1310; use a newer one, or hipcc");
    }
  }

  /** As clang has for its own tests; hiprtc has clang in its process. */
  @ParameterizedTest
  @CsvSource({"crash, SIGILL|SIGTRAP|SIGSEGV", "llvm_fatal_error, SIGABRT"})
  void crashOfTheCompiler_endsTheCompileOnly(String how, String signal) {
    KernelSource source = source(kernel("k") + "#pragma clang __debug " + how + "\n");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
          .isInstanceOf(CompilationException.class)
          .hasMessageMatching(
              "kernel.hip: hiprtc crashed \\((" + signal + ")\\b.*in a process of its own.*");
      assertThat(cache.getOrCompile(VADD, GFX90A).target()).isEqualTo(GFX90A);
    }
    assertThat(temp.resolve("tmp")).isEmptyDirectory();
  }

  /** Each header's kernel has another name, which tells which header was found. */
  @Test
  void includes_findWhatHipccFinds() throws IOException {
    write("src/k.hip", "#include \"part.h\"\n#include <common.h>\n#include \"up/up.h\"\n");
    write("src/part.h", kernel("part_beside_the_source"));
    write("src/up/up.h", "#include \"beside.h\"\n#include \"../other.h\"\n#include <part.h>\n");
    write("src/up/beside.h", "#pragma once\n" + kernel("beside"));
    write("src/other.h", kernel("other"));
    write("src/common.h", kernel("common_beside_the_source"));
    write("one/common.h", kernel("common_one") + "#include_next <common.h>\n");
    write("two/common.h", kernel("common_two"));
    write("two/part.h", kernel("part_two"));
    write("two/up/beside.h", kernel("wrong"));
    KernelSource source =
        KernelSource.read(temp.resolve("src/k.hip"))
            .withIncludeDirectory(temp.resolve("one"))
            .withIncludeDirectory(temp.resolve("two"));
    List<String> expected;
    environment.remove("PATH");
    try (CacheManager hipcc = manager("hipcc")) {
      expected = kernels(hipcc.getOrCompile(source, GFX90A));
    }
    environment.put("KCACHE_TOOLCHAIN", "hiprtc");
    try (CacheManager cache = manager("cache")) {
      assertThat(kernels(cache.getOrCompile(source, GFX90A)))
          .containsExactlyInAnyOrderElementsOf(expected)
          .contains("common_one", "common_two", "part_beside_the_source", "part_two", "beside");
    }
  }

  @Test
  void headerOfTheUser_comesBeforeOurs() throws IOException {
    write("inc/limits", kernel("mine"));
    KernelSource source = source("#include <limits>\n").withIncludeDirectory(temp.resolve("inc"));
    try (CacheManager cache = manager("cache")) {
      assertThat(kernels(cache.getOrCompile(source, GFX90A))).containsExactly("mine");
    }
  }

  @Test
  void fileOfTheMachine_isNotRead() {
    KernelSource source = source("#include <unistd.h>\n" + kernel("k"));
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
          .isInstanceOf(CompilationException.class)
          .hasMessage(
              "kernel.hip:1:10: fatal error: 'unistd.h' file not found; hiprtc reads no header of"
                  + " the machine: declare it with --header or withHeader, or compile with hipcc");
    }
  }

  @Test
  void headersOfTheLanguages_areThere() {
    KernelSource source =
        source(
            """
            #include <hip/hip_runtime.h>
            #include <hip/hip_fp16.h>
            #include <algorithm>
            #include <cassert>
            #include <cfloat>
            #include <climits>
            #include <cmath>
            #include <cstddef>
            #include <cstdint>
            #include <cstring>
            #include <limits>
            #include <type_traits>
            #include <utility>
            static_assert(std::is_same_v<std::decay_t<const int (&)[3]>, const int*>);
            static_assert(std::is_same_v<std::make_unsigned_t<int>, unsigned>);
            static_assert(std::is_same_v<std::add_lvalue_reference_t<void>, void>);
            static_assert(std::is_same_v<std::remove_cvref_t<const int&>, int>);
            static_assert(std::is_integral_v<long> && !std::is_signed_v<unsigned>);
            static_assert(sizeof(int8_t) == 1 && sizeof(std::uint64_t) == 8);
            static_assert(UINT32_MAX == 4294967295u && INT64_MIN < 0 && CHAR_BIT == 8);
            static_assert(ULLONG_MAX == UINT64_MAX && UINT_MAX == UINT32_MAX && LONG_MIN < 0);
            static_assert(std::numeric_limits<int64_t>::max() == INT64_MAX);
            extern "C" __global__ void all(float* a, double* d, uint8_t* u, __half* h) {
              assert(a != nullptr);
              a[0] = INFINITY + NAN + M_PI + FLT_MAX + std::numeric_limits<float>::max();
              a[1] = std::sqrt(a[2]) + std::abs(a[3]) + std::pow(a[5], a[6]) + std::tanh(a[1]);
              d[0] = std::sqrt(d[1]) + std::signbit(a[1]) + std::isnan(d[2]);
              a[2] = std::max(a[3], a[4]) + std::min(a[5], a[6]) + std::clamp(a[1], 0.f, 1.f);
              std::swap(a[3], a[4]);
              std::memcpy(u, a, 4);
              h[0] = __float2half(a[1]);
              printf("%f", a[0]);
            }
            """);
    try (CacheManager cache = manager("cache")) {
      assertThat(kernels(cache.getOrCompile(source, GFX90A))).containsExactly("all");
    }
  }

  @Test
  void log_namesTheFilesAsTheUserDoes() throws IOException {
    Path main = write("mine/k.hip", "#include \"part.h\"\nint main_error = nowhere;\n");
    Path part = write("mine/part.h", "\nint header_error = nothing;\n");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(KernelSource.read(main), GFX90A))
          .isInstanceOfSatisfying(
              CompilationException.class,
              failure -> {
                assertThat(failure.getMessage()).contains(part + ":2:20: error: use of undecl");
                assertThat(failure.log())
                    .contains("In file included from " + main + ":1:")
                    .contains(main + ":2:18: error: use of undeclared identifier 'nowhere'")
                    .doesNotContain("<built-in>", "comgr-", temp.resolve("tmp").toString());
              });
    }
    assertThat(temp.resolve("tmp")).isEmptyDirectory();
  }

  @Test
  void hitInALaterProcess_startsNothing() {
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(VADD, GFX90A);
    }
    String java = System.getProperty("java.home");
    System.setProperty("java.home", temp.toString());
    try (CacheManager cache = manager("cache")) {
      CacheResult result = cache.resolveAsync(VADD, GFX90A).join();

      assertThat(result.origin()).isEqualTo(CacheResult.Origin.DISK);
      assertThatThrownBy(() -> cache.getOrCompile(source(kernel("other")), GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("there is no " + temp.resolve("bin/java"));
    } finally {
      System.setProperty("java.home", java);
    }
  }

  private static List<String> kernels(CodeObject code) {
    return code.kernels().stream().map(KernelMetadata::name).toList();
  }

  private static String kernel(String name) {
    return "extern \"C\" __attribute__((global)) void " + name + "() {}\n";
  }

  private Path write(String name, String text) throws IOException {
    Path file = temp.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static Toolchain toolchain(CacheManager cache) {
    return cache.toolchain(Platform.AMD);
  }

  private static ToolchainLabel label(CacheManager cache) {
    return toolchain(cache).label();
  }

  private CacheManager manager(String directory) {
    return CacheManager.builder()
        .environment(environment)
        .directory(temp.resolve(directory))
        .build();
  }

  private static KernelSource source(String text) {
    return KernelSource.of("kernel.hip", text);
  }
}
