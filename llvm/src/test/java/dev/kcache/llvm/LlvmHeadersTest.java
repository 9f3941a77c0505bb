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
import java.util.stream.Collectors;
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
          "hip_bfloat16 b(*p); *p = float(b) / 2; *i = clock64() + wall_clock64()",
          "__half2 q(*p, *p); q = __lows2half2(__highs2half2(q, q), q); __half2_raw r = q; *p = __low2float(r)",
          "__half h(*p); *p = __hadd_sat(h, h) + __hsub_sat(h, h) * __hmul_sat(h, h) - __hfma_sat(h, h, h)",
          "__half2 q(*p, *p); q = __hadd2_sat(q, __hsub2_sat(q, q)); q = __hfma2_sat(__hmul2_sat(q, q), q, q)",
          "__hip_bfloat162 q(*p, *p); q = __lows2bfloat162(__highs2bfloat162(q, q), q); __hip_bfloat162_raw r = q; q = r",
          "__hip_bfloat162 q(*p, *p); q = __low2bfloat162(__high2bfloat162(q)); *p = __low2bfloat16(q) + __high2bfloat16(q)",
          "float2 f = __bfloat1622float2(__bfloat162bfloat162(__short_as_bfloat16(3))); *p = __high2float(__float22bfloat162_rn(f))",
          "*i = __bfloat16_as_short(__halves2bfloat162(2.5, 3u).y)",
          "*p = __ldca(p) + __ldcg(p) + __ldcs(p) + fdividef(1, *p) + __drcp_rn(*p) + __dsub_rn(2, *p)",
          "*i = __hadd(1, *i) + __rhadd(1, *i) + __uhadd(1, *i) + __urhadd(1, *i)",
          "*i = __bitextract_u32(*i, 3, 5) + __bitinsert_u32(*i, 1, 2, 3) + __bitextract_u64(*i, 33, 5) + __bitinsert_u64(*i, 1, 40, 3)",
          "*i = __funnelshift_lc(1, 2, *i) + __funnelshift_rc(1, 2, *i) + __popcll(__lanemask_lt() | __lanemask_gt() | __lanemask_eq())",
          "int all; *i = __popcll(__match_any(*i) | __match_any_sync(~0ull, *p) | __match_all(1.0, &all) | __match_all_sync(~0ull, 7ll, &all))",
          "unsafeAtomicMax(p, 1.0f); safeAtomicMin(p, 1.0f); double d = 0; unsafeAtomicMin(&d, 1.0); safeAtomicMax(&d, 1.0)",
          "*p = sqrt(2) + floor(7) + fmax(1, *p) + fma(1, 2.0f, 3.0) + ldexp(3, 2) + std::sqrt(3u) + max(short(1), short(2))",
          "static_assert(__is_same(decltype(fmax(*p, *p)), float) && __is_same(decltype(fmax(*p, 1)), double)); *p = nanf(\"0x7\")",
          "*i = isgreater(1, *p) + isunordered(*p, 2.0) + fpclassify(*p) + std::isless(1.0f, *p) + scalbln(*p, 3l)",
          "struct A { __device__ virtual int f() = 0; }; struct B : A { __device__ int f() override { return 1; } }; B b; A* volatile a = &b; *i = a->f()",
          "*i = __fns(5, 0, 2) + __fns64(7, 2, -1) + amd_mixed_dot(make_char4(1, 2, 3, 4), make_char4(1, 2, 3, 4), *i, true) + __smid()",
          "float v[3] = {1, 2, *p}; *p = normf(3, v) + rnormf(3, v); double d[2] = {1, *p}; *p = norm(2, d) + rnorm(2, d)");

  /** In the four directions that a number can be rounded in. */
  private static Stream<String> conversions() {
    Stream<String> halves =
        Stream.of("short", "ushort", "int", "uint", "ll", "ull")
            .map(
                type ->
                    "*p = "
                        + each("float(__" + type + "2half_%1$s(__half2" + type + "_%1$s(*p)))"));
    Stream<String> others =
        Stream.of(
                "int2float",
                "uint2float",
                "ll2float",
                "ull2float",
                "ll2double",
                "ull2double",
                "double2float",
                "float2half",
                "float2int",
                "float2uint",
                "float2ll",
                "float2ull",
                "double2int",
                "double2uint",
                "double2ll",
                "double2ull")
            .map(name -> "*p = " + each("float(__" + name + "_%s(*p))"));
    return Stream.concat(halves, others);
  }

  private static String each(String call) {
    return Stream.of("rn", "rz", "rd", "ru")
        .map(call::formatted)
        .collect(Collectors.joining(" + "));
  }

  /** What both types of half a word have. */
  private static Stream<String> ofHalves(String type, String pair) {
    String one = type + " h(*p); *p = ";
    String two = pair + " q(*p, *p); ";
    Stream<String> comparisons =
        Stream.of("eq", "ne", "lt", "le", "gt", "ge")
            .flatMap(
                name ->
                    Stream.of(
                            one + "__h%1$s(h, h) + __h%1$su(h, h)",
                            two + "*i = __hb%1$s2(q, q) + __hb%1$su2(q, q)",
                            two
                                + "*p = __low2float(__h%1$s2(q, q)) + __high2float(__h%1$su2(q, q))")
                        .map(text -> text.formatted(name)));
    String functions = "ceil exp exp10 exp2 floor log log10 log2 rcp rint rsqrt sqrt trunc";
    Stream<String> mathematical =
        Stream.of(functions.split(" "))
            .map(name -> two + "*p = float(h%1$s(q.x)) + __low2float(h2%1$s(q))".formatted(name));
    Stream<String> arithmetic =
        Stream.of(
            one + "__hadd(h, h) + __hsub(h, h) * __hmul(h, h) / __hdiv(h, h)",
            one + "__hfma(h, __habs(h), __hneg(h)); *i = __hisnan(h) + __hisinf(h)",
            one + "__hmax(h, h) + __hmin(h, h) - __hmax_nan(h, h) - __hmin_nan(h, h)",
            two + "q = __hadd2(q, __hsub2(q, __hmul2(q, __h2div(q, q)))); q += q * q - q / -q",
            two + "q = __hfma2(q, __habs2(q), __hneg2(q)); q = __hmax2(q, __hmin2(q, q))",
            two + "q = __hisnan2(q); q = __hisinf2(q); *p = __low2float(__lowhigh2highlow(q))");
    return Stream.of(comparisons, mathematical, arithmetic).flatMap(statements -> statements);
  }

  @TempDir static Path directory;

  private static CacheManager cache;

  @BeforeAll
  static void openACache() {
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_DIR", directory.toString());
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    cache = CacheManager.builder().environment(environment).batching().build();
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
    if (target.equals("gfx90a") || target.equals("compute_90")) {
      // These are written without a processor's own functions, and take as long as all others.
      conversions().forEach(statements::add);
      ofHalves("__half", "__half2").forEach(statements::add);
      ofHalves("__hip_bfloat16", "__hip_bfloat162").forEach(statements::add);
    }
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
            "array",
            "cassert",
            "cfloat",
            "cinttypes",
            "ciso646",
            "cstdarg",
            "cstdbool",
            "cstdio",
            "cstdlib",
            "functional",
            "initializer_list",
            "inttypes.h",
            "iostream",
            "new",
            "time.h",
            "vector",
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
