// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the headers that stand in for HIP's give a kernel. */
class NvccHeadersTest {
  private static final String ERROR = "#error";

  @Test
  void all_areInDirectoriesOfTheirOwnAndHaveContent() {
    assertThat(NvccHeaders.ALL)
        .allMatch(header -> header.path().matches("(hip|kcache)/[a-z0-9_]+\\.h"))
        .allMatch(header -> header.content().hasRemaining())
        .extracting(Toolchain.SourceFile::path)
        .doesNotHaveDuplicates()
        .contains("hip/hip_runtime.h", "hip/hip_fp16.h", "hip/hip_runtime_api.h");
  }

  @Test
  void digest_isOfNamesAndContents() {
    List<Toolchain.SourceFile> headers = NvccHeaders.ALL;

    assertThat(HeaderSet.digest(headers))
        .isEqualTo(HeaderSet.digest(List.copyOf(headers)))
        .isNotEqualTo(HeaderSet.digest(headers.subList(1, headers.size())))
        .isNotEqualTo(HeaderSet.digest(HeaderSet.standard()));
  }

  /** Returns the names of the headers that have a counterpart. */
  static Stream<String> present() {
    return NvccHeaders.ALL.stream()
        .filter(header -> !text(header).startsWith(ERROR))
        .map(Toolchain.SourceFile::path);
  }

  /** Returns the names of those that have none. */
  static Stream<String> absent() {
    return NvccHeaders.ALL.stream()
        .filter(header -> text(header).startsWith(ERROR))
        .map(Toolchain.SourceFile::path);
  }

  /** Returns what a kernel may say after including a header. */
  static Stream<Arguments> bodies() {
    return Stream.of(
        Arguments.of(
            "hip_runtime",
            List.of(
                "*p = hipThreadIdx_x + hipBlockIdx_y * hipBlockDim_z + hipGridDim_x;",
                "*p = threadIdx.x + blockIdx.x * blockDim.x + gridDim.z + warpSize;",
                "extern __shared__ float tile[]; *p = tile[threadIdx.x];",
                "HIP_DYNAMIC_SHARED(float, tile) *p = tile[threadIdx.x];",
                "*p = __shfl(*p, 0) + __shfl_up(*p, 1u) + __shfl_down(*p, 1, 16);",
                "*p = __shfl_xor(1.0, 1) + __shfl(1LL, 0) + __shfl_sync(~0u, *p, 1);",
                "*p = __any(*p > 0) + __all(*p > 1) + __popcll(__ballot(*p > 2));",
                "static_assert(sizeof(__ballot(1)) == 8, \"64 lanes\");",
                "*p = __lane_id() + __activemask() + clock64();",
                "assert(*p > 0); printf(\"%f\\n\", *p);",
                "atomicAdd(p, 1.0f); __syncthreads(); __threadfence();",
                "float4 v = make_float4(1, 2, 3, 4); *p = v.w; uint64_t n = sizeof(size_t);"
                    + " *p += n;",
                "auto f = [=] __device__ { return *p; }; *p = f();")),
        Arguments.of(
            "hip_fp16",
            List.of(
                "__half h = __float2half(*p); *p = __half2float(h * h + h);"
                    + " half2 t{h, h}; *p += __low2float(t);")),
        Arguments.of(
            "hip_bf16",
            List.of(
                "__hip_bfloat16 b = __float2bfloat16(*p); __hip_bfloat162 t{b, b};"
                    + " *p = __bfloat162float(__hadd(b, t.x));")),
        Arguments.of(
            "hip_bfloat16",
            List.of("hip_bfloat16 b(*p); b += hip_bfloat16(1.0f); *p = float(b * b);")),
        Arguments.of(
            "hip_cooperative_groups",
            List.of(
                "auto g = cooperative_groups::this_thread_block(); g.sync();"
                    + " *p = cooperative_groups::tiled_partition<32>(g).shfl_down(*p, 1);")),
        Arguments.of(
            "math_functions",
            List.of("*p = sinf(*p) + __expf(*p) + rsqrtf(*p) + std::fmax(*p, 1.0f);")));
  }

  private static String text(Toolchain.SourceFile header) {
    return UTF_8.decode(header.content().duplicate()).toString();
  }

  /** With the machine's real nvcc. */
  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class ForNvcc {
    private DriverToolchain toolchain;

    @BeforeAll
    void find(@TempDir Path memo) {
      RealNvcc.orSkip();
      toolchain =
          TestToolchains.find(Platform.NVIDIA, System.getenv(), () -> memo, Optional.of(memo));
    }

    @AfterAll
    void close() {
      if (toolchain != null) {
        toolchain.close();
      }
    }

    @ParameterizedTest
    @MethodSource("dev.kcache.toolchain.driver.NvccHeadersTest#present")
    void presentHeader_compilesByItselfAndTwice(String header) throws Exception {
      String include = "#include <" + header + ">\n";

      Toolchain.Output output = compile(include + include + kernel("*p = hipThreadIdx_x;"));

      assertThat(output.log()).isEmpty();
      assertThat(output.codeObject().kernels()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("dev.kcache.toolchain.driver.NvccHeadersTest#absent")
    void absentHeader_saysSoWithItsName(String header) {
      assertThatThrownBy(() -> compile("#include <" + header + ">\n" + kernel("")))
          .isInstanceOf(CompilationException.class)
          .hasMessage(
              "k.hip: "
                  + header
                  + ":1:2: error: #error "
                  + header
                  + ": kcache has no counterpart of it for NVIDIA; include it only where"
                  + " __HIP_PLATFORM_AMD__ is defined");
    }

    /** Each of a header's bodies is a kernel. */
    @ParameterizedTest
    @MethodSource("dev.kcache.toolchain.driver.NvccHeadersTest#bodies")
    void presentHeader_givesWhatHipsDoes(String header, List<String> bodies) throws Exception {
      String kernels =
          IntStream.range(0, bodies.size())
              .mapToObj(i -> kernel(bodies.get(i)).replace(" k(", " k" + i + "("))
              .collect(Collectors.joining());

      Toolchain.Output output = compile("#include <hip/" + header + ".h>\n" + kernels);

      assertThat(output.codeObject().kernels()).hasSameSizeAs(bodies);
    }

    /** Names that we define may not stand in the way of CUDA's own headers. */
    @ParameterizedTest
    @ValueSource(
        strings = {
          "hip/hip_cooperative_groups.h",
          "hip/hip_fp16.h",
          "hip/hip_bf16.h",
          "cub/cub.cuh",
          "cuda/std/functional",
          "cuda/atomic",
          "thrust/functional.h"
        })
    void runtimeHeader_beforeAnotherOne_leavesItAlone(String header) throws Exception {
      String source = "#include <hip/hip_runtime.h>\n#include <" + header + ">\n";

      assertThat(
              compile(source + kernel("*p = __any(1) + __all(1) + __ballot(1);"))
                  .codeObject()
                  .kernels())
          .extracting(KernelMetadata::name)
          .contains("k");
    }

    @Test
    void platform_isToldByHipsMacros() throws Exception {
      List<String> defined =
          List.of("__HIP_PLATFORM_NVIDIA__", "__HIP_PLATFORM_NVCC__", "__HIPCC__");
      String source = "#include <hip/hip_runtime.h>\n";
      for (String macro : defined) {
        source += "#ifndef " + macro + "\n#error no " + macro + "\n#endif\n";
      }
      source += "#ifdef __HIP_PLATFORM_AMD__\n#error not AMD's\n#endif\n";
      source += "#if defined(__CUDA_ARCH__) != defined(__HIP_DEVICE_COMPILE__)\n#error\n#endif\n";

      assertThat(compile(source + kernel("*p = 1;")).codeObject().kernels()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "__global__ void k() { hipMemcpy(nullptr, nullptr, 0, 0); }",
          "__global__ void k() { __builtin_amdgcn_s_barrier(); }",
          "hipError_t host() { return {}; }",
        })
    void nameOfAmdOrOfTheHost_isSaidToBe(String code) {
      assertThatThrownBy(() -> compile("#include <hip/hip_runtime.h>\n" + code + "\n"))
          .isInstanceOf(CompilationException.class)
          .hasMessageStartingWith("k.hip:2: error: identifier \"")
          .hasMessageEndingWith(
              "nvcc compiles device code and has no such name: use it only where"
                  + " __HIP_PLATFORM_AMD__ is defined");
    }

    @Test
    void headerOfAmdsInTheSystem_isNotRead() {
      assertThatThrownBy(() -> compile("#include <hip/amd_detail/host_defines.h>\n" + kernel("")))
          .isInstanceOf(CompilationException.class)
          .message()
          .containsAnyOf(
              "only where __HIP_PLATFORM_AMD__ is defined",
              "hip/amd_detail/host_defines.h: No such file or directory");
    }

    private Toolchain.Output compile(String source) throws InterruptedException {
      return toolchain.compile(RealNvcc.job("k.hip", source));
    }

    private static String kernel(String body) {
      return "extern \"C\" __global__ void k(float* p) {\n" + body + "\n}\n";
    }
  }
}
