// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a source gets by its include directives from hiprtc, beside what it gets from hipcc. */
class HiprtcHeadersTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final String RUNTIME = "#include <hip/hip_runtime.h>\n";

  /** Macros of the host's API, and those that HIP's headers need themselves. */
  private static final Pattern NOT_FOR_KERNELS =
      Pattern.compile(
          "hip(?!ThreadIdx|BlockIdx|BlockDim|GridDim).*|.*_H_?|HIP_(LAUNCH|TRS|IPC|DEPRECATED).*"
              + "|HIP_VERSION_(BUILD|GITHASH).*|HIP_(IMAGE|SAMPLER|TEXTURE)_OBJECT.*"
              + "|HIP_(PUBLIC|INTERNAL_EXPORTED)_API|__HIP_(API|HAS|DEFINE|SURFACE|TEXTURE|USE)_.*"
              + "|__hip_img_chk__");

  @TempDir static Path home;

  private static CacheManager hiprtc;
  private static CacheManager hipcc;

  @BeforeAll
  static void open() {
    hiprtc = manager("hiprtc");
    hipcc = manager("hipcc");
  }

  @AfterAll
  static void close() {
    hiprtc.close();
    hipcc.close();
  }

  private static CacheManager manager(String toolchain) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", home.toString());
    environment.put("KCACHE_TOOLCHAIN", toolchain);
    return CacheManager.builder().environment(environment).build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The languages' own.
        """
        #include <stdbool.h>
        #include <cstdbool>
        __global__ void k(bool* p) { *p = true; }
        """,
        """
        #include <iso646.h>
        #include <ciso646>
        __global__ void k(bool* p) { *p = *p and not p[1]; }
        """,
        """
        #include <stdalign.h>
        __global__ void k(int* p) { alignas(16) int i = 1; *p = i; }
        static_assert(__alignas_is_defined, "");
        """,
        """
        #include <stdarg.h>
        #include <cstdarg>
        __device__ int first(int n, ...) { va_list l; va_start(l, n); int i = n; va_end(l); return i; }
        __global__ void k(int* p) { std::va_list l; *p = first(1); }
        """,
        """
        #include <stdnoreturn.h>
        noreturn __device__ void stop() { __builtin_trap(); }
        """,
        """
        #include <stddef.h>
        #include <cstddef>
        struct S { int a, b; };
        __global__ void k(std::size_t* p) { *p = offsetof(S, b); ptrdiff_t d = 1; p[1] = d; }
        """,
        """
        #include <inttypes.h>
        #include <cinttypes>
        #include <cstdio>
        __global__ void k(uint64_t* p) { printf("%" PRIu64 "\\n", *p); }
        """,
        """
        #include <new>
        struct S { int i; __device__ S(int j) : i(j) {} };
        __global__ void k(int* p) { new (p) S(3); new (p + 1) int[2]; }
        """,
        """
        #include <initializer_list>
        __device__ int sum(std::initializer_list<int> l) {
          int s = 0; for (int i : l) s += i; return s + l.size(); }
        __global__ void k(int* p) { *p = sum({1, 2, 3}); }
        """,
        """
        #include <array>
        __global__ void k(int* p) { std::array<int, 4> a = {1, 2}; a[2] = *p;
          for (int i : a) p[i] = a.size(); p[1] = a.back() + std::get<1>(a); }
        """,
        """
        #include <functional>
        template <class F> __device__ int fold(int a, int b, F f) { return f(a, b); }
        __global__ void k(int* p) { *p = fold(p[0], p[1], std::plus<int>())
          + fold(1, 2, std::less<>()) + fold(1, 2, std::multiplies<>()); }
        """,
        """
        #include <stdio.h>
        #include <stdlib.h>
        #include <cstdlib>
        __global__ void k(int* p) { printf("%d", abs(*p) + std::abs(p[1])); }
        """,
        // Included out of habit.
        """
        #include <iostream>
        #include <vector>
        #include <string>
        #include <map>
        #include <chrono>
        #include <memory>
        #include <stdexcept>
        #include <time.h>
        __global__ void k() {}
        """,
        """
        #include <hip/hip_ext.h>
        #include <hip/library_types.h>
        #include <hip/hip_runtime_api.h>
        #include <hip/texture_types.h>
        #include <hip/surface_types.h>
        #include <hip/hip_version.h>
        __global__ void k(hipTextureObject_t* t, float* p) { *p = tex2D<float>(*t, 1.0f, 2.0f); }
        """,
        // What HIP's header gives by itself.
        """
        __global__ void k(float* p, unsigned char* q, int* i) {
          uchar a = 1; ushort b = 2; uint c = 3; ulong d = 4; uint8_t e = 5; int64_t f = 6;
          p[0] = std::numeric_limits<float>::max() + std::min(p[2], p[3]) + a + b + c + d + e + f;
          p[1] = std::sqrt(p[5]) + INFINITY + NAN + CHAR_BIT;
          i[1] = INT_MAX; i[2] = UINT32_MAX; p[1] += (float)M_PI;
          static_assert(std::is_same<int, int>::value && sizeof(std::uint32_t) == 4, "");
          assert(p[1] > 0 && p != NULL); memcpy(q, p, 4); memset(q, 0, 4); new (i) int(3);
          std::size_t n = 3; p[n] = std::move(p[2]); }
        """,
      })
  void source_isTakenAsHipccTakesIt(String text) {
    compile(hipcc, RUNTIME + text);
    assertThat(compile(hiprtc, RUNTIME + text).log()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"c++11", "c++14", "c++17", "c++20"})
  void everyHeader_compilesTwiceInEachLanguage(String language) {
    StringBuilder text = new StringBuilder();
    String all = "algorithm array functional initializer_list new cstdio cstdlib cinttypes utility";
    for (int i = 0; i < 2; i++) {
      for (String header : all.split(" ", -1)) {
        text.append("#include <").append(header).append(">\n");
      }
      HiprtcHeaders.all()
          .forEach(header -> text.append("#include <").append(header.path()).append(">\n"));
    }
    KernelSource source =
        KernelSource.of("kernel.hip", text + "__global__ void k() {}\n")
            .withOptions(CompileOptions.of(List.of("-std=" + language, "-Wall")));

    assertThat(hiprtc.resolveAsync(source, GFX90A).join().log()).isEmpty();
  }

  /** A macro that is not there takes the other branch, and nobody hears of it. */
  @Test
  void everyMacroOfHip_isThere() throws Exception {
    List<String> macros = macrosOfHipcc();
    assertThat(macros).contains("HIP_VERSION", "__HIP_PLATFORM_AMD__", "hipThreadIdx_x");
    StringBuilder text = new StringBuilder(RUNTIME);
    for (String macro : macros) {
      text.append("#ifndef %s\n#warning no %s\n#endif\n".formatted(macro, macro));
    }
    text.append("__global__ void k() {}\n");

    assertThat(compile(hiprtc, text.toString()).log()).isEmpty();
  }

  @Test
  void version_isOneThatCanBeCompared() {
    String source =
        RUNTIME
            + """
            #if HIP_VERSION < 50000000 || HIP_VERSION / 10000000 != HIP_VERSION_MAJOR
            #error wrong
            #endif
            #if !__HIP_ARCH_HAS_DOUBLES__ || __HIP_ARCH_HAS_DYNAMIC_PARALLEL__
            #error wrong
            #endif
            __global__ void k(int* p) { *p = hipThreadIdx_x + hipBlockIdx_y * hipBlockDim_z; }
            """;
    compile(hipcc, source);
    compile(hiprtc, source);
  }

  private static List<String> macrosOfHipcc() throws IOException, InterruptedException {
    Path source = home.resolve("macros.hip");
    Files.writeString(source, RUNTIME + "#include <hip/hip_fp16.h>\n");
    ProcessBuilder builder =
        new ProcessBuilder(
            "hipcc", "--cuda-device-only", "--offload-arch=gfx90a", "-E", "-dM", source.toString());
    builder.environment().put("HIP_PLATFORM", "amd");
    Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return said.lines()
        .map(line -> line.split("[ (]", 3)[1])
        .filter(macro -> macro.matches("(hip|HIP_|__HIP|__hip_).*"))
        .filter(macro -> !NOT_FOR_KERNELS.matcher(macro).matches())
        .sorted()
        .toList();
  }

  /** Returns what it gave; fails if it was refused. */
  private static CacheResult compile(CacheManager cache, String text) {
    return cache.resolveAsync(KernelSource.of("kernel.hip", text + "\n"), GFX90A).join();
  }
}
