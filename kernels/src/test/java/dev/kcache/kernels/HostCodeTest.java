// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file with the host's half of a program in it: hipcc compiles the kernels, and the compilers
 * that stand in for it, with the machine's real ones, say that it would.
 */
class HostCodeTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final String KERNEL =
      """
      #include <hip/hip_runtime.h>
      #include <iostream>
      #include <vector>
      #include <stdio.h>
      __global__ void k(float* p) { p[0] = 1; }
      """;

  @TempDir static Path home;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          void go(float* p) { k<<<1, 1>>>(p); }                                | __hipPushCallConfiguration
          int main() { float* p; return hipMalloc(&p, 4) != hipSuccess; }      | 'hipMalloc'
          bool failed(hipError_t e) { return e != hipSuccess; }                | 'hipError_t'
          void wait(hipStream_t s) { (void)hipStreamSynchronize(s); }          | 'hipStream_t'
          int main() { std::cout << "hi" << std::endl; }                       | 'cout'
          using namespace std; int main() { cout << "hi"; }                    | 'cout'
          int main() { std::vector<float> v(10); return v.size(); }            | 'vector'
          int main() { fprintf(stderr, "hi"); return 0; }                      | 'stderr'
          int main() { printf("hi"); return 0; }                               | 'printf'
          void go(float* p) { hipLaunchKernelGGL(k, dim3(1), dim3(1), 0, 0, p); } | 'hipLaunchKernelGGL'
          """)
  void hostCode_needsHipcc(String code, String name) {
    String source = KERNEL + code + "\n";
    assertThat(kernels("hipcc", source)).containsExactly("_Z1kPf");
    for (String toolchain : new String[] {"hiprtc", "llvm"}) {
      assertThatThrownBy(() -> kernels(toolchain, source))
          .isInstanceOf(CompilationException.class)
          .hasMessageMatching(
              "kernel.hip:6:\\d+: error: .*"
                  + name.replace("'", "\\b")
                  + ".*; this is host code, and (hiprtc|the embedded LLVM) compiles device code"
                  + " only: compile with hipcc, or leave it out by #ifndef"
                  + " __HIP_DEVICE_COMPILE__.*");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hipcc", "hiprtc", "llvm"})
  void hostCode_thatIsLeftOut_isNoMatter(String toolchain) {
    String source =
        KERNEL
            + """
            #ifndef __HIP_DEVICE_COMPILE__
            int main() { float* p; return hipMalloc(&p, 4) + std::vector<int>(3).size(); }
            #endif
            """;
    assertThat(kernels(toolchain, source)).containsExactly("_Z1kPf");
  }

  /** The first error is not about it, but nothing helps as long as it is there. */
  @ParameterizedTest
  @ValueSource(strings = {"hiprtc", "llvm"})
  void hostCode_isSaidBeforeOtherErrors(String toolchain) {
    assertThatThrownBy(
            () -> kernels(toolchain, KERNEL + "int i = nowhere;\nvoid f() { hipDeviceReset(); }\n"))
        .hasMessageStartingWith("kernel.hip:7:12: error: ")
        .hasMessageContaining("this is host code");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hiprtc", "llvm"})
  void functionWithoutDevice_isSaidToLackIt(String toolchain) {
    assertThatThrownBy(() -> kernels(toolchain, KERNEL + "int lane() { return __lane_id(); }\n"))
        .hasMessageStartingWith("kernel.hip:6:")
        .hasMessageEndingWith("(a function for the device needs __device__)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hiprtc", "llvm"})
  void restOfTheLibrary_needsHipcc(String toolchain) {
    assertThatThrownBy(
            () ->
                kernels(
                    toolchain,
                    KERNEL + "#include <tuple>\n__device__ std::tuple<int, int> pair;\n"))
        .hasMessageMatching(
            "kernel.hip:7:17: error: .*'tuple' in namespace 'std'; (hiprtc|the embedded LLVM) has"
                + " no std::tuple: compile with hipcc");
  }

  @Test
  void errorOfAKernel_staysWhatItIs() {
    assertThatThrownBy(() -> kernels("hiprtc", KERNEL + "__device__ int i = nowhere;\n"))
        .hasMessage("kernel.hip:6:20: error: use of undeclared identifier 'nowhere'");
  }

  private static Iterable<String> kernels(String toolchain, String source) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", home.toString());
    environment.put("KCACHE_TOOLCHAIN", toolchain);
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      return cache.getOrCompile(KernelSource.of("kernel.hip", source), GFX90A).kernels().stream()
          .map(KernelMetadata::name)
          .toList();
    }
  }
}
