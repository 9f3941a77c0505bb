// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HIP's vectors as the embedded LLVM has them, without any HIP to compare with. */
class HipVectorsTest {
  /** The types of elements by the names of their vectors. */
  private static final Map<String, Integer> SIZES =
      Map.ofEntries(
          Map.entry("char", 1),
          Map.entry("uchar", 1),
          Map.entry("short", 2),
          Map.entry("ushort", 2),
          Map.entry("int", 4),
          Map.entry("uint", 4),
          Map.entry("float", 4),
          Map.entry("long", 8),
          Map.entry("ulong", 8),
          Map.entry("longlong", 8),
          Map.entry("ulonglong", 8),
          Map.entry("double", 8));

  private static final List<String> TAKEN =
      List.of(
          "float4 v(1)",
          "float4 v{1, 2.5, 3u, s}",
          "float4 v = {1, 2, 3, 4}",
          "v = float4(s) * 2 - 1.0f / w",
          "v += 2; v -= w; ++v; v--; w = -v",
          "v.data = v.data * w.data; s = v.data[1]",
          "HIP_vector_type<float, 4> q = v; float4::value_type x = q.w; s = x",
          "*i = (v == w) + (v != 2)",
          "int2 a(1, 2); a = ~a << 1 | a & 3 ^ a % int2(5) >> a; *i = a.x",
          "int3 a = make_int3(1, 2, 3); *i = a.data[2] + (a == int3{1, 2, 3})",
          "one(1)",
          "f(1, 2)",
          "static_assert(__is_same(char3, HIP_vector_type<char, 3>))",
          "static_assert(__is_trivially_copyable(float4) && __is_standard_layout(float4))",
          "uchar a = 255; ushort b = a; uint c = b; ulong d = c; *i = d == 255ul");

  /** HIP 5.2 and 6.4 refuse all of these. */
  private static final List<String> REFUSED =
      List.of(
          "float4 v = 1.0f",
          "float4 v = {1.0f}",
          "float1 v = {1.0f}",
          "float4 v(1, 2)",
          "v = 1.0f",
          "take(1.0f)",
          "uint2 a(1); -a",
          "~v",
          "!v",
          "v % w",
          "v << 1",
          "int2 a(1); a %= 2",
          "int2 a(1); 1 << a",
          "v < w",
          "v[0]",
          "int4 a(1); v + a",
          "if (v) {}");

  private static final String BEFORE =
      """
      #include <hip/hip_runtime.h>
      __device__ int f(float4, float4);
      __device__ int f(int, int) { return 1; }
      __device__ void one(float1) {}
      __device__ void one(int) {}
      __device__ void take(float4) {}
      """;

  @TempDir static Path directory;

  private static EmbeddedCompiler compiler;

  @BeforeAll
  static void open() {
    compiler = new EmbeddedCompiler(directory, null);
  }

  @AfterAll
  static void close() {
    compiler.close();
  }

  /**
   * A kernel's arguments lie where the host's compiler puts them: HIP's vectors of four are as much
   * aligned as they are large, CUDA's at most to 16 bytes.
   */
  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100", "compute_70"})
  void vectors_lieAsTheHostsCompilerLaysThemOut(String target) {
    List<String> lines = new ArrayList<>(List.of("#include <hip/hip_runtime.h>"));
    SIZES.forEach(
        (name, size) -> {
          for (int count = 1; count <= 4; count++) {
            int whole = count == 3 ? size : count * size;
            int alignment = target.startsWith("gfx") ? whole : Math.min(whole, 16);
            lines.add(
                "static_assert(sizeof(%1$s%2$d) == %3$d && alignof(%1$s%2$d) == %4$d);"
                    .formatted(name, count, count * size, alignment));
          }
        });

    assertThat(compiler.refusals(String.join("\n", lines) + "\n", target)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "compute_70"})
  void formsThatHipTakes_compile(String target) {
    assertThat(compiler.refusals(probes(TAKEN), target)).isEmpty();
  }

  @Test
  void formsThatHipRefuses_areRefused() {
    List<String> taken = new ArrayList<>(REFUSED);
    Map<Integer, String> refusals = compiler.refusals(probes(REFUSED), "gfx90a");
    int first = (int) BEFORE.lines().count() + 1;
    refusals.keySet().forEach(line -> taken.remove(REFUSED.get(line - first)));

    assertThat(taken).isEmpty();
  }

  /** Clang has an attribute of that name, which it does not look at for AMD. */
  @Test
  void launchBounds_areThoseOfTheKernel() {
    String text =
        """
        #include <hip/hip_runtime.h>
        extern "C" __global__ void __launch_bounds__(256) one(int* p) { *p = 1; }
        extern "C" __global__ void __launch_bounds__(128, 3) two(int* p) { *p = 1; }
        """;

    assertThat(compiler.compile(text, "gfx90a").codeObject().kernels())
        .extracting(kernel -> kernel.name() + " " + kernel.maxThreadsPerBlock())
        .containsExactlyInAnyOrder("one 256", "two 128");
  }

  private static String probes(List<String> statements) {
    StringBuilder text = new StringBuilder(BEFORE);
    for (int k = 0; k < statements.size(); k++) {
      String shadowed = statements.get(k).startsWith("float4 v") ? "float4 u" : "float4 v";
      text.append(
          "__global__ void k%d(%s, float4 w, float s, int* i) { %s; }\n"
              .formatted(k, shadowed, statements.get(k)));
    }
    return text.toString();
  }
}
