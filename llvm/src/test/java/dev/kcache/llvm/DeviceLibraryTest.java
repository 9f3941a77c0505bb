// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The embedded LLVM with the device library that the machine's packages have. */
class DeviceLibraryTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final TargetId GFX1030 = TargetId.parse("gfx1030");

  /** One of each kind, and what the library has for double only. */
  private static final KernelSource WANTING =
      source(
          """
          float s, c, whole; double t, d;
          sincosf(x, &s, &c);
          sincos(y, &t, &d);
          x += norm3df(x, 2, 3) + rnorm4df(1, 2, x, 4) + powif(x, 3) + normcdfinvf(x) + cyl_bessel_i0f(x);
          y += norm4d(1, y, 3, 4) + rnorm3d(1, 2, y) + powi(y, 3) + normcdfinv(y) + cyl_bessel_i1(y);
          x += float(hsin(hcos(__half(x)))) + __low2float(h2sin(h2cos(__half2(x))));
          x = powf(x, 2.5f) + tanhf(x) + std::erf(x) + s * c + modff(x, &whole) + whole + ilogbf(x);
          y = pow(y, 2.5) + sin(y) + exp(y) + exp10(y) + fmod(y, 3.0) + normcdf(y) + t * d;
          if (x > 1e30f) printf("%f at %d\\n", x, i);
          """);

  private static final KernelSource MODEST = source("x = expf(x) + sqrtf(x); y = y * y;");

  /** What is unpacked serves all of these tests. */
  @TempDir static Path home;

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUpAMachineWithoutHipcc() {
    environment.put("PATH", temp.toString());
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    environment.put("KCACHE_DIR", home.toString());
  }

  @Test
  void functionsOfTheLibrary_areLinkedIn() {
    try (CacheManager cache = manager("cache")) {
      CacheResult result = cache.resolveAsync(WANTING, GFX90A).join();

      assertThat(result.log()).isEmpty();
      assertThat(result.codeObject().kernels()).extracting("name").containsExactly("k");
      assertThat(cache.resolveAsync(WANTING, GFX90A).join().codeObject().digest())
          .isEqualTo(result.codeObject().digest());
    }
    try (CacheManager later = manager("cache")) {
      assertThat(later.resolveAsync(WANTING, GFX90A).join().origin()).isEqualTo(Origin.DISK);
    }
  }

  /** The library is linked for the names that are used, whoever declares them and however. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "extern \"C\" __device__ float __ocml_tanh_f32(float);\n__device__ float f(float x) { return __ocml_tanh_f32(x); }",
        "#define OCML(name) __ocml_##name##_f32\nextern \"C\" __device__ float OCML(sinpi)(float);\n"
            + "__device__ float f(float x) { return OCML(sinpi)(x); }",
        "extern \"C\" __device__ unsigned __ockl_activelane_u32(void);\n"
            + "__device__ float f(float) { return __ockl_activelane_u32(); }",
        "#include \"mine.h\"\n__device__ float f(float x) { return mine(x); }",
        "extern \"C\" __device__ int printf(const char*, ...);\n"
            + "__device__ float f(float x) { printf(\"%f\", x); return x; }"
      })
  void functionThatTheSourceDeclaresItself_isLinkedIn(String declared) {
    KernelSource source =
        KernelSource.of(
                "k.hip", declared + "\nextern \"C\" __global__ void k(float* p) { *p = f(*p); }\n")
            .withHeader(
                "mine.h",
                """
                extern "C" __device__ double __ocml_erf_f64(double);
                inline __device__ double mine(double x) { return __ocml_erf_f64(x); }
                """);
    try (CacheManager cache = manager("cache")) {
      CacheResult result = cache.resolveAsync(source, GFX90A).join();

      assertThat(result.log()).isEmpty();
      assertThat(result.codeObject().kernels()).extracting("name").containsExactly("k");
    }
    environment.put("HIP_DEVICE_LIB_PATH", temp.toString());
    try (CacheManager cache = manager("without")) {
      assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
          .isInstanceOf(CompilationException.class)
          .hasMessageMatching(
              "k.hip: __oc[km]l_\\w+ needs ROCm's device library, which the embedded LLVM lacks;"
                  + " install it \\(rocm-device-libs\\), or compile with hipcc"
                  + " \\(KCACHE_TOOLCHAIN=hipcc\\)");
    }
  }

  @Test
  void sourceThatNeedsNone_givesTheSameWhereThereIsOne() {
    CacheResult with;
    try (CacheManager cache = manager("with")) {
      with = cache.resolveAsync(MODEST, GFX90A).join();
    }
    environment.put("HIP_DEVICE_LIB_PATH", temp.toString());
    try (CacheManager cache = manager("without")) {
      CacheResult without = cache.resolveAsync(MODEST, GFX90A).join();

      assertThat(without.origin()).isEqualTo(Origin.COMPILED);
      assertThat(without.codeObject().digest()).isEqualTo(with.codeObject().digest());
    }
  }

  @Test
  void secondTarget_isGivenWhatItWouldGetAsTheFirst() {
    CacheResult second;
    try (CacheManager cache = manager("both")) {
      cache.getOrCompile(WANTING, GFX90A);
      second = cache.resolveAsync(WANTING, GFX1030).join();
    }
    try (CacheManager cache = manager("one")) {
      CacheResult first = cache.resolveAsync(WANTING, GFX1030).join();

      assertThat(second.origin()).isEqualTo(Origin.COMPILED);
      assertThat(second.codeObject().digest()).isEqualTo(first.codeObject().digest());
      assertThat(second.log()).isEmpty();
    }
  }

  @Test
  void sourceThatNeedsOneForSomeTargets_isLinkedForThoseOnly() {
    KernelSource some = source("\n#ifdef __gfx90a__\nx = tanhf(x);\n#endif\n");
    CacheResult second;
    try (CacheManager cache = manager("both")) {
      cache.getOrCompile(some, GFX90A);
      second = cache.resolveAsync(some, GFX1030).join();
    }
    environment.put("HIP_DEVICE_LIB_PATH", temp.toString());
    try (CacheManager cache = manager("without")) {
      assertThat(second.codeObject().digest())
          .isEqualTo(cache.resolveAsync(some, GFX1030).join().codeObject().digest());
    }
  }

  @Test
  void libraryThatChanges_isCompiledWithAnew() throws IOException {
    Path library = copyOfTheLibrary();
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(WANTING, GFX90A);
      cache.getOrCompile(MODEST, GFX90A);
    }
    // Another rounding of roots, which nothing here has: only the content of the file tells.
    Files.copy(
        library.resolve("oclc_correctly_rounded_sqrt_off.bc"),
        library.resolve("oclc_correctly_rounded_sqrt_on.bc"),
        StandardCopyOption.REPLACE_EXISTING);
    try (CacheManager cache = manager("cache")) {
      assertThat(cache.resolveAsync(WANTING, GFX90A).join().origin()).isEqualTo(Origin.COMPILED);
      assertThat(cache.resolveAsync(MODEST, GFX90A).join().origin()).isEqualTo(Origin.DISK);
    }
  }

  /** As where a layer of another machine's is. */
  @Test
  void machineWithoutTheLibrary_isServedWhatWasMadeWithIt() throws IOException {
    Path library = copyOfTheLibrary();
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(WANTING, GFX90A);
    }
    Files.move(library, temp.resolve("gone"));
    try (CacheManager cache = manager("cache")) {
      assertThat(cache.resolveAsync(WANTING, GFX90A).join().origin()).isEqualTo(Origin.DISK);
    }
  }

  @Test
  void processorThatTheLibraryLacks_isToldWhoHasIt() throws IOException {
    Path library = copyOfTheLibrary();
    Files.delete(library.resolve("oclc_isa_version_90a.bc"));
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(WANTING, GFX90A))
          .isInstanceOf(CompilationException.class)
          .hasMessageContaining("sincosf needs ROCm's device library");
    }
  }

  @Test
  void errorOfTheUsers_isTheOnlyOneThatIsTold() {
    KernelSource wrong = source("x = tanhf(x) + undeclared;");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(wrong, GFX90A))
          .isInstanceOfSatisfying(
              CompilationException.class,
              e ->
                  assertThat(e.log())
                      .contains("use of undeclared identifier 'undeclared'")
                      .doesNotContain("device library"));
    }
  }

  private Path copyOfTheLibrary() throws IOException {
    Path library = Files.createDirectory(temp.resolve("library"));
    try (Stream<Path> files = Files.list(installed())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, library.resolve(file.getFileName()));
      }
    }
    environment.put("HIP_DEVICE_LIB_PATH", library.toString());
    return library;
  }

  /** Returns where Debian's package has it, of either release. */
  private static Path installed() throws IOException {
    Path old = Path.of("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
    if (Files.isDirectory(old)) {
      return old;
    }
    try (Stream<Path> files = Files.find(Path.of("/usr/lib"), 8, (f, a) -> f.endsWith("ocml.bc"))) {
      return files.findFirst().orElseThrow().getParent();
    }
  }

  private CacheManager manager(String directory) {
    return CacheManager.builder()
        .environment(environment)
        .directory(temp.resolve(directory))
        .build();
  }

  private static KernelSource source(String body) {
    String text =
        """
        #include <hip/hip_runtime.h>
        #include <hip/hip_fp16.h>
        extern "C" __global__ void k(float* p, double* q) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          float x = p[i];
          double y = q[i];
          %s
          p[i] = x;
          q[i] = y;
        }
        """
            .formatted(body);
    return KernelSource.of("k.hip", text)
        .withOptions(CompileOptions.of(List.of("-Wall", "-Wextra")));
  }
}
