// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each toolchain promises, whatever compiler is behind it: with the machine's real ones. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class ToolchainContract {
  private static final String VADD =
      """
      #include <hip/hip_runtime.h>
      #include "scale.h"
      extern "C" __global__ void vadd(const float* a, float* c, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) c[i] = a[i] * SCALE;
      }
      """;

  /** What a compiler may name after the place of a file. */
  private static final String PLACES =
      """
      static __device__ int counter;
      __device__ const char* file() { counter++; return __FILE__; }
      """;

  private static final String TEMPLATE =
      """
      #define WHEN __TIME__
      __device__ int number;
      __device__ void helper() {}
      namespace ns {
      template <class T, int N> __global__ void scale(T* x) { *x *= N; }
      __global__ void plain(int* x) { *x = 1; }
      }
      template <class T> __global__ void over(T* x, long n) { x[n] = 1; }
      template <class T> __global__ void over(T* x, double by) { *x *= by; }
      """;

  /** What is remembered of the compiler serves all of these tests. */
  private Path home;

  private Path stagings;
  private Map<String, String> place;
  private CacheManager manager;
  private Toolchain toolchain;

  /** Returns the name that users ask for the toolchain by; may skip the test. */
  abstract String name();

  /** Returns what it is to compile for. */
  abstract TargetId target();

  /** Returns the variables that lead to the toolchain where it is none of the machine's own. */
  Map<String, String> place(Path directory) throws IOException {
    return Map.of();
  }

  /** Returns the option that has the compiler say the most of where it works. */
  String talkative() {
    return "-g";
  }

  @BeforeAll
  void find(@TempDir Path directory) throws IOException {
    home = Files.createDirectory(directory.resolve("home"));
    stagings = Files.createDirectory(directory.resolve("stagings"));
    place = place(directory);
    manager = CacheManager.builder().environment(environment(Map.of())).build();
    toolchain = manager.toolchain(target().processor().platform());
  }

  @AfterAll
  void close() {
    if (manager != null) {
      manager.close();
    }
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void compile_givesTheKernelsForTheTarget() throws Exception {
    Toolchain.Output output = toolchain.compile(job(VADD, "-O3"));

    assertThat(output.codeObject().target()).isEqualTo(target());
    assertThat(output.codeObject().kernels())
        .extracting(KernelMetadata::name)
        .containsExactly("vadd");
    assertThat(output.log()).isEmpty();
    assertThat(output.command()).contains("-O3");
    assertThat(output.elapsed()).isPositive();
    assertThat(toolchain.hasUnchanged(output.dependencies())).isTrue();
  }

  /** In another place, in an environment that would change what compilers do by hand. */
  @Test
  void compile_elsewhere_givesTheSameBytes(@TempDir Path elsewhere) throws Exception {
    Files.writeString(elsewhere.resolve("scale.h"), "#error the caller's\n");
    Map<String, String> noisy = new HashMap<>();
    for (String path : List.of("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")) {
      noisy.put(path, elsewhere.toString());
    }
    for (String flags : List.of("HIPCC_COMPILE_FLAGS_APPEND", "NVCC_APPEND_FLAGS")) {
      noisy.put(flags, "-DSCALE=9");
    }
    noisy.put("CCC_OVERRIDE_OPTIONS", "+-DSCALE=9");
    noisy.put("TMPDIR", Files.createDirectories(elsewhere.resolve("a longer/place")).toString());
    Toolchain.Job job = job(VADD + PLACES, talkative());
    try (CacheManager other = CacheManager.builder().environment(environment(noisy)).build()) {
      Toolchain same = other.toolchain(target().processor().platform());

      assertThat(same.compile(job).codeObject().digest())
          .isEqualTo(toolchain.compile(job).codeObject().digest());
      assertThat(same.identity(target(), job.options()))
          .isEqualTo(toolchain.identity(target(), job.options()));
      assertThat(same.label()).isEqualTo(toolchain.label());
    }
  }

  @Test
  void identity_isOfWhatDecidesTheBytes() {
    Digest usual = toolchain.identity(target(), CompileOptions.of("-O3", "-std=c++17").arguments());

    assertThat(toolchain.identity(target(), CompileOptions.of("-O3", "-std=c++17").arguments()))
        .isEqualTo(usual);
    assertThat(toolchain.identity(target(), CompileOptions.of("-O1", "-std=c++17").arguments()))
        .isNotEqualTo(usual);
  }

  @Test
  void option_reachesTheCompiler() throws Exception {
    String source = "extern \"C\" __global__ void NAME() {}\n";

    assertThat(toolchain.compile(job(source, "-DNAME=chosen")).codeObject().kernels())
        .extracting(KernelMetadata::name)
        .containsExactly("chosen");
  }

  @Test
  void optionThatTheCompilerLacks_isOneClearLine() {
    assertThatThrownBy(() -> toolchain.compile(job(VADD, "-fno-such-thing")))
        .isInstanceOfAny(CompilationException.class, IllegalArgumentException.class)
        .hasMessageContaining("-fno-such-thing")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void error_namesTheUsersFileAndLine() {
    CompilationException failure = failure(job("__global__ void f() {\n  undeclared();\n}\n"));

    assertThat(failure).hasMessageMatching("my kernels/k\\.hip:2(:3)?: error: .*undeclared.*");
    assertThat(failure.exitCode()).isNotZero();
    assertThat(failure.command()).isNotEmpty();
    assertThat(failure.log())
        .containsPattern("my kernels/k\\.hip[:(]2")
        .doesNotContain("src/main.hip:", stagings.toString());
  }

  @Test
  void warning_isInTheLog() throws Exception {
    Toolchain.Output output =
        toolchain.compile(job("__global__ void f() {\n  int unused;\n}\n", "-Wall"));

    assertThat(output.log()).containsPattern("my kernels/k\\.hip[:(]2.*: warning.*unused");
  }

  @Test
  void fileThatIsNotDeclared_isRefused(@TempDir Path elsewhere) throws IOException {
    Path secret = Files.writeString(elsewhere.resolve("secret.h"), "#define SECRET 1\n");
    String source = "#include \"" + secret + "\"\n__global__ void f() {}\n";

    assertThat(failure(job(source)))
        .hasMessage(
            "my kernels/k.hip:1: the compile read "
                + secret
                + ", which is neither declared nor the toolchain's; declare it with --header or"
                + " withHeader");
  }

  /** Whose names macros could paste together to {@code __DATE__}, if they pasted them. */
  @Test
  void kernelsMadeByMacros_areCompiled(@TempDir Path directory) {
    KernelSource source =
        KernelSource.of(
            "k.hip",
            """
            #include <hip/hip_runtime.h>
            #define KERNEL(op, type) extern "C" __global__ void op##_##type( \\
                const type* A, type* D, int T, int E) { D[T] = A[E]; }
            KERNEL(copy, float)
            struct Any {} constexpr _{};
            __device__ int s(int a, int b, int d, int e, int h, int m) { return a + b + d + e + h + m; }
            #define NEVER __DATE__ __TIME__
            #if 0
            const char* never = __TIMESTAMP__;
            #endif
            """);
    try (CacheManager cache = in(directory)) {
      assertThat(cache.getOrCompile(source, target()).kernels())
          .extracting(KernelMetadata::name)
          .containsExactly("copy_float");
    }
  }

  /** The compiler tells, whatever a source that is only read looks like. */
  @ParameterizedTest
  @ValueSource(strings = {"__TIME__", "__DATE__", "__TIMESTAMP__", "PASTE(__TI, ME__)", "BUILT"})
  void timeThatIsExpanded_isRefusedWithItsLine(String text, @TempDir Path directory) {
    KernelSource source =
        KernelSource.of(
                "k.hip",
                "#define PASTE(a, b) a##b\n#define BUILT \"on \" __DATE__\n"
                    + "__global__ void f(char* p) { *p = "
                    + text
                    + "[0]; }\n")
            .withOptions(CompileOptions.of("-Wno-error=date-time", "-Wno-date-time"));
    try (CacheManager cache = in(directory)) {
      CompilationException failure =
          catchThrowableOfType(
              CompilationException.class, () -> cache.getOrCompile(source, target()));

      assertThat(failure)
          .message()
          .matches("k\\.hip:[23](:\\d+)?: .*")
          .endsWith(
              "; __DATE__, __TIME__ or __TIMESTAMP__ makes every compile differ: define it as a"
                  + " fixed text, as by -D'__DATE__=\"\"'");
      assertThat(cache.maintenance().entries()).isEmpty();
    }
  }

  @Test
  void noWarnings_areWhatTheOptionSays() throws Exception {
    String unused = "__global__ void f() {\n  int unused;\n}\n";
    String dated = "__global__ void f(char* p) { *p = __TIME__[0]; }\n";

    assertThat(toolchain.compile(job(unused, "-w", "-Wall")).log()).isEmpty();
    assertThat(failure(job(dated, "-w")))
        .hasMessageStartingWith("my kernels/k.hip:1:")
        .hasMessageContaining("makes every compile differ");
  }

  /** One of another version of LLVM is not known, and nvcc knows none. */
  @Test
  void optionOfLlvms_reachesTheCompiler() throws Exception {
    Toolchain.Job known = job(VADD, "-mllvm", "-inline-threshold=1000");
    Toolchain.Job unknown = job(VADD, "-mllvm", "-amdgpu-no-such-thing=1");

    if (name().equals("nvcc")) {
      assertThat(failure(known)).hasMessageContaining("nvcc is given no -mllvm");
    } else {
      assertThat(toolchain.compile(known).command())
          .containsSubsequence("-mllvm", "-inline-threshold=1000");
      assertThat(failure(unknown)).hasMessageContaining("-amdgpu-no-such-thing");
    }
  }

  /** The bytes are what the key holds, so that no encoding has to be known. */
  @Test
  void textOfAnyEncoding_isCompiled(@TempDir Path directory) throws Exception {
    byte[] text = "// \n__global__ void f() {} // \n".getBytes(UTF_8);
    text[2] = (byte) 0xe9;
    text[text.length - 2] = (byte) 0xff;
    KernelSource source = KernelSource.read(Files.write(directory.resolve("latin.hip"), text));
    try (CacheManager cache = in(directory.resolve("cache"))) {
      assertThat(cache.getOrCompile(source, target()).kernels()).hasSize(1);
    }
  }

  @Test
  void compilerThatTakesTooLong_isEnded() {
    assertThat(failure(job(VADD, Duration.ofMillis(15), "-O3")))
        .hasMessageContaining("did not end within 0.015 s");
  }

  @Test
  void interrupt_endsTheCompile() throws Exception {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> toolchain.compile(job(VADD, "-O2")))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void entry_isTheToolchainsAndServedLater(@TempDir Path directory) {
    KernelSource source =
        KernelSource.of("k.hip", VADD)
            .withHeader("scale.h", "#define SCALE 2\n")
            .withOptions(CompileOptions.of("-O3"));
    CacheResult made;
    try (CacheManager cache = in(directory)) {
      made = cache.resolveAsync(source, target()).join();
      KernelSource changed = source.withHeader("scale.h", "#define SCALE 3\n");

      assertThat(made.origin()).isEqualTo(Origin.COMPILED);
      assertThat(cache.getOrCompile(changed, target()).digest())
          .isNotEqualTo(made.codeObject().digest());
      assertThat(cache.maintenance().entries()).extracting("label").containsOnly(toolchain.label());
      assertThat(cache.maintenance().entries())
          .extracting("toolchain")
          .containsOnly(toolchain.identity(target(), source.options().arguments()));
    }
    try (CacheManager later = in(directory)) {
      CacheResult hit = later.resolveAsync(source, target()).join();

      assertThat(hit.origin()).isEqualTo(Origin.DISK);
      assertThat(hit.codeObject().digest()).isEqualTo(made.codeObject().digest());
    }
  }

  @Test
  void instances_areCompiledAndFoundByTheirNames(@TempDir Path directory) {
    KernelSource source =
        KernelSource.of("k.hip", TEMPLATE)
            .withInstantiation("ns::scale<float,4>")
            .withInstantiation("&ns::plain")
            .withInstantiation("(void (*)(double*, long))over<double>")
            .withInstantiation("ns::scale< float , 4 >");
    CacheResult made;
    try (CacheManager cache = in(directory)) {
      made = cache.resolveAsync(source, target()).join();

      assertThat(made.instances())
          .containsOnlyKeys(
              "ns::scale<float, 4>", "&ns::plain", "(void(*)(double*, long))over<double>");
      assertThat(made.log()).isEmpty();
      assertThat(made.codeObject().kernels())
          .extracting(KernelMetadata::name)
          .containsExactlyInAnyOrderElementsOf(made.instances().values());
      assertThat(made.nameInCodeObject("ns::scale<float,4>")).isEqualTo("_ZN2ns5scaleIfLi4EEEvPT_");
      assertThat(made.nameInCodeObject("&ns::plain")).isEqualTo("_ZN2ns5plainEPi");
      assertThat(cache.resolveAsync(source, target()).join().instances())
          .isEqualTo(made.instances());
    }
    ToolchainLabel label = toolchain.label();
    try (CacheManager later =
        CacheManager.builder().environment(withoutCompiler(label)).directory(directory).build()) {
      CacheResult hit = later.resolveAsync(source, target()).join();

      assertThat(hit.origin()).isEqualTo(Origin.DISK);
      assertThat(hit.instances()).isEqualTo(made.instances());
      KernelSource other = KernelSource.of("k.hip", TEMPLATE).withInstantiation("&ns::plain");
      assertThatThrownBy(() -> later.getOrCompile(other, target()))
          .isInstanceOf(CacheMissException.class);
    }
  }

  private Map<String, String> withoutCompiler(ToolchainLabel label) {
    String version = label.text().replace("cuda", "");
    return Map.of(
        "KCACHE_POLICY",
        "sealed",
        "PATH",
        "/var/empty",
        "ROCM_VERSION",
        version,
        "CUDA_VERSION",
        version);
  }

  /** An instance changes nothing of the kernels that are there without it. */
  @Test
  void instance_leavesOtherKernelsAsTheyAre(@TempDir Path directory) {
    KernelSource source =
        KernelSource.of("k.hip", TEMPLATE + "template __global__ void ns::scale<int, 2>(int*);\n");
    try (CacheManager cache = in(directory)) {
      List<KernelMetadata> alone = cache.getOrCompile(source, target()).kernels();
      List<KernelMetadata> both =
          cache.getOrCompile(source.withInstantiation("ns::scale<int, 4>"), target()).kernels();

      assertThat(both).hasSize(alone.size() + 1);
      // ptxas gives a kernel of eight registers more, where one's address is taken.
      assertThat(both)
          .usingRecursiveFieldByFieldElementComparatorIgnoringFields("registers")
          .containsAll(alone);
    }
  }

  /** The source ends in the middle of a line, in a comment that would go on. */
  @Test
  void instance_ofASourceWithAnyEnd_isCompiled(@TempDir Path directory) {
    KernelSource source = KernelSource.of("k.hip", TEMPLATE + "// the end \\");
    try (CacheManager cache = in(directory)) {
      assertThat(cache.getOrCompile(source.withInstantiation("ns::plain"), target()).kernels())
          .hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nosuch<int>",
        "ns::scale<float>",
        "ns::scale<float, nosuch>",
        "ns::scale<float, 4",
        "ns::scale",
        "ns::scale<int, 1>, ns::scale<int, 2>",
        "over<float>",
        "helper",
        "number",
        "7",
        "int",
        "*",
        "ns::scale<int, __TIME__[0]>",
        "ns::scale<int, WHEN[0]>"
      })
  void instantiationThatIsWrong_isOneLineThatNamesIt(String expression, @TempDir Path directory) {
    KernelSource source = KernelSource.of("k.hip", TEMPLATE).withInstantiation(expression);
    try (CacheManager cache = in(directory)) {
      CompilationException failure =
          catchThrowableOfType(
              CompilationException.class, () -> cache.getOrCompile(source, target()));

      assertThat(failure)
          .hasMessageStartingWith("k.hip: instantiation " + expression)
          .message()
          .doesNotContain("\n", "kcache-instance");
      if (expression.equals("ns::scale") || expression.equals("over<float>")) {
        assertThat(failure).hasMessageEndingWith("by a cast such as (void(*)(float*))f<float>");
      }
      assertThat(cache.maintenance().entries()).isEmpty();
    }
  }

  @Test
  void errorInATemplate_namesTheLineAndTheInstantiation(@TempDir Path directory) {
    KernelSource source =
        KernelSource.of("k.hip", "template <class T> __global__ void f(T* x) {\n  x->y = 1;\n}\n");
    try (CacheManager cache = in(directory)) {
      CompilationException failure =
          catchThrowableOfType(
              CompilationException.class,
              () -> cache.getOrCompile(source.withInstantiation("f<int>"), target()));

      assertThat(failure).hasMessageMatching("k\\.hip:2(:\\d+)?: error: .*");
      assertThat(failure.log())
          .containsPattern("instantiation f<int>|\\[with T=int]")
          .doesNotContain("kcache-instance");
    }
  }

  private CacheManager in(Path directory) {
    return CacheManager.builder().environment(environment(Map.of())).directory(directory).build();
  }

  private Map<String, String> environment(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", home.toString());
    environment.put("KCACHE_TOOLCHAIN", name());
    environment.put("TMPDIR", stagings.toString());
    environment.putAll(place);
    environment.putAll(more);
    return environment;
  }

  private CompilationException failure(Toolchain.Job job) {
    return catchThrowableOfType(CompilationException.class, () -> toolchain.compile(job));
  }

  private Toolchain.Job job(String text, String... options) {
    return job(text, Duration.ofMinutes(2), options);
  }

  private Toolchain.Job job(String text, Duration timeout, String... options) {
    return new Toolchain.Job(
        Digest.of(text.getBytes(UTF_8)),
        new StagedSource(
            "my kernels/k.hip",
            Map.of("src/main.hip", "my kernels/k.hip", "inc0/scale.h", "scale.h"),
            "src/main.hip",
            List.of(
                new Toolchain.SourceFile("src/main.hip", UTF_8.encode(text)),
                new Toolchain.SourceFile("inc0/scale.h", UTF_8.encode("#define SCALE 2\n"))),
            List.of("inc0")),
        target(),
        CompileOptions.of(options).arguments(),
        timeout);
  }
}
