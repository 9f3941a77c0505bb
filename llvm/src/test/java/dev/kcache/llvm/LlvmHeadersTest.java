// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a kernel has of HIP and of the C++ library where nothing but the embedded LLVM is. */
class LlvmHeadersTest {
  private static final List<String> STATEMENTS =
      List.of(
          "*p = hipThreadIdx_x + hipBlockIdx_y * hipBlockDim_z + hipGridDim_x",
          "*p = threadIdx.x + blockIdx.x * blockDim.x + gridDim.z + warpSize",
          "dim3 size = blockDim; *p = size.x * size.y",
          "extern __shared__ float tile[]; *p = tile[threadIdx.x]",
          "HIP_DYNAMIC_SHARED(int, words) *p = words[threadIdx.x]",
          "__shared__ int a[64]; a[threadIdx.x] = 1; __syncthreads(); *p = a[0]",
          "*i = __syncthreads_count(*i) + __syncthreads_and(*i) + __syncthreads_or(*i)",
          "*i = __sad(1, -2, 3) + __usad(1, 2, 3) + lroundf(*p) + llrint(2.5) + lrintf(*p)",
          "unsafeAtomicAdd(p, 1.0f); double d = 0; safeAtomicAdd(&d, 1.0)",
          "__threadfence(); __threadfence_block(); __threadfence_system(); __syncwarp()",
          "atomicAdd(p, 1.0f); atomicExch(p, 2.0f); atomicMin(p, 1.0f); atomicMax(p, 3.0f)",
          "atomicAdd(i, 1); atomicSub(i, 1); atomicAnd(i, 3); atomicOr(i, 4); atomicXor(i, 5)",
          "*i = atomicCAS(i, 1, 2) + atomicMin(i, 3) + atomicMax(i, 4) + atomicAdd_block(i, 1)",
          "unsigned u = 0; *i = atomicInc(&u, 7) + atomicDec(&u, 7)",
          "unsigned long long u = 0; *i = atomicAdd(&u, 7ull); double d = 0; atomicAdd(&d, 1.0)",
          "*p = __shfl(*p, 3) + __shfl_up(*p, 1) + __shfl_down(*p, 1, 16) + __shfl_xor(*p, 2)",
          "double d = __shfl_xor(2.5, 4); long long l = __shfl(7ll, 1); *p = d + l",
          "*p = __shfl_down_sync(~0ull, *p, 1) + __any_sync(~0ull, 1) + __all_sync(~0ull, 1)",
          "*i = __any(*i) + __all(*i) + __popcll(__ballot(*i)) + __popcll(__activemask())",
          "*i = __lane_id() + __popc(3) + __clz(1) + __clzll(1) + __ffs(4) + __ffsll(8) + __brev(1)",
          "*i = __mulhi(3, 4) + __umulhi(3u, 4u) + __mul24(2, 3) + __byte_perm(1, 2, 0x3210)",
          "*i = __mul64hi(3ll, 4ll) + __umul64hi(1, 2) + __funnelshift_l(1, 2, 3) + __brevll(1)",
          "*p = __int_as_float(__float_as_int(*p)) + __uint_as_float(__float_as_uint(*p))",
          "*p = __longlong_as_double(__double_as_longlong(1.0)) + __float2int_rn(*p)",
          "*p = __ldg(p) + __fsub_rn(1, 2) + __fdiv_rn(1, 2) + __ddiv_rn(1, 2) + __dsqrt_rn(2)",
          "*i = __double2int_rn(2.5) + __float2ll_rz(1.5f) + __double2hiint(1) + __double2loint(1)",
          "*p = __hiloint2double(1, -2) + __ll2float_rn(3) + __fma_rn(1, 2, 3)",
          "float4 v = make_float4(1, 2, 3, 4); v += v * 2.0f; *p = (v - float4(1)).w / v.x",
          "int3 v = make_int3(1, 2, 3); *i = (v << int3(1)).x + (v == v) + (-v).y + (v % 2).z",
          "double2 v = {1, 2}; uchar4 b = make_uchar4(1, 2, 3, 4); *p = v.x + b.w + sizeof(v)",
          "*p = sqrtf(*p) + fmaf(*p, 2, 3) + floorf(*p) + fminf(*p, 1) + fmaxf(*p, 2) + expf(*p)",
          "*p = logf(*p) + log2f(*p) + log10f(*p) + exp2f(*p) + rsqrtf(*p) + fabsf(*p) + rintf(*p)",
          "*p = __expf(*p) + __logf(*p) + __sinf(*p) + __cosf(*p) + __powf(*p, 2) + __fdividef(1, 2)",
          "*p = std::sqrt(2.0) + std::fma(1.0, 2.0, 3.0) + std::exp(1.0f) + std::abs(-1.5f)",
          "*p = std::isnan(*p) + std::isinf(*p) + std::signbit(*p) + isfinite(*p) + copysignf(1, *p)",
          "*p = min(1, 2) + max(1u, 2u) + min(1.0f, 2.0f) + max(1ll, 2ll) + ldexpf(*p, 3) + M_PI",
          "*p = std::numeric_limits<float>::max() + std::numeric_limits<int>::lowest() + FLT_EPSILON",
          "static_assert(std::is_same_v<std::remove_cvref_t<const int&>, int>); *i = INT32_MAX",
          "int a = 1, b = 2; std::swap(a, b); *i = std::max(a, b) + std::clamp(a, 0, 1)",
          "assert(i != nullptr); memset(p, 0, sizeof *p); memcpy(p, p + 1, 4); *i = INT_MAX",
          "__half h = __float2half(*p); h += h * __half(2.0f); *p = __half2float(hsqrt(h))",
          "__half2 h = __floats2half2_rn(1, 2); h = __hfma2(h, h, h); *p = __high2float(h)",
          "_Float16 f = _Float16(*p); __half h = f; *p = float(h) + (h < __half(1.0f)) + float(__hmax(h, h))",
          "__hip_bfloat16 b = __float2bfloat16(*p); b = b * b + b; *p = __bfloat162float(__hneg(b))",
          "hip_bfloat16 b(*p); *p = float(b) / 2; *i = clock64() + wall_clock64()");

  @TempDir static Path directory;

  private static CacheManager cache;

  @BeforeAll
  static void openACache() {
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_DIR", directory.toString());
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    cache = CacheManager.builder().environment(environment).build();
  }

  @AfterAll
  static void close() {
    cache.close();
  }

  /** In waves of 64 and of 32, and as PTX. */
  @ParameterizedTest
  @ValueSource(strings = {"gfx900", "gfx90a", "gfx942", "gfx1100", "compute_60", "compute_90"})
  void language_compilesWithoutAWarning(String target) {
    StringBuilder text = new StringBuilder();
    Stream.of(
            "hip/hip_runtime.h",
            "hip/hip_bf16.h",
            "hip/hip_bfloat16.h",
            "hip/hip_fp16.h",
            "algorithm",
            "cfloat",
            "climits",
            "limits",
            "type_traits",
            "utility",
            "math.h",
            "cstdint")
        .forEach(header -> text.append("#include <" + header + ">\n"));
    List<String> statements = new ArrayList<>(STATEMENTS);
    if (target.startsWith("gfx")) {
      statements.add("*i = atomicMax_system(i, 4) + atomicCAS_system(i, 1, 2)");
    }
    for (int k = 0; k < statements.size(); k++) {
      text.append(
          "__global__ void __launch_bounds__(256) k%d([[maybe_unused]] float* p, [[maybe_unused]] int* i) { %s; }\n"
              .formatted(k, statements.get(k)));
    }

    CacheResult result = compile(text.toString(), target);

    assertThat(result.log()).isEmpty();
    assertThat(result.codeObject().kernels()).hasSameSizeAs(statements);
  }

  /** HIP's language needs no include directive, as hipcc has it. */
  @Test
  void keywords_areThereWithoutAHeader() {
    assertThat(compile("__global__ void f(int* p) { *p = 1; }", "gfx90a").log()).isEmpty();
  }

  @Test
  void everyHeader_compilesByItselfAndTwice() {
    for (String header :
        List.of(
            "algorithm",
            "cassert",
            "cfloat",
            "climits",
            "cmath",
            "cstddef",
            "cstdint",
            "cstring",
            "limits",
            "math.h",
            "string.h",
            "type_traits",
            "utility",
            "assert.h",
            "stdint.h",
            "stddef.h",
            "hip/hip_bf16.h",
            "hip/hip_fp16.h",
            "hip/hip_vector_types.h",
            "hip/math_functions.h",
            "hip/device_functions.h")) {
      String include = "#include <" + header + ">\n";

      assertThat(compile(include + include + "__global__ void f() {}\n", "gfx90a").log())
          .as(header)
          .isEmpty();
    }
  }

  private static CacheResult compile(String text, String target) {
    CompileOptions options = CompileOptions.of(List.of("-std=c++17", "-Wall", "-Wextra"));
    KernelSource source = KernelSource.of("kernel.hip", text).withOptions(options);
    return cache.resolveAsync(source, TargetId.parse(target)).join();
  }
}
