// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static dev.kcache.toolchain.driver.RealNvcc.COMPUTE_90;
import static dev.kcache.toolchain.driver.RealNvcc.SM_90;
import static dev.kcache.toolchain.driver.RealNvcc.job;
import static dev.kcache.toolchain.standin.TestJob.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Options;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TestJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The toolchain with the machine's real nvcc. */
class NvccToolchainTest {
  private static final String VADD =
      """
      #include <hip/hip_runtime.h>
      #include <cmath>
      #include "scale.h"
      extern "C" __global__ void vadd(const float* a, float* c, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) c[i] = std::fabs(a[i]) * SCALE;
      }
      """;

  /** Everything whose name or text nvcc could make of where the file lies. */
  private static final String PLACES =
      """
      #include <hip/hip_runtime.h>
      static __device__ int counter;
      namespace { __device__ float hidden[3]; __global__ void inner(float* p) { *p = hidden[1]; } }
      static __global__ void own(int* p) { *p = counter++; }
      template <typename T> __global__ void with(T f) { f(); }
      void host(float* p, int* q) {
        inner<<<1, 1>>>(p);
        own<<<1, 1>>>(q);
        with<<<1, 1>>>([=] __device__ { *q = 1; });
      }
      extern "C" __global__ void check(const float* p, const char** file) {
        assert(*p > 0);
        *file = __FILE__;
        printf("%s\\n", __BASE_FILE__);
      }
      """;

  /** One for all tests: the compiler's programs are hundreds of megabytes to read. */
  @TempDir static Path memo;

  @TempDir Path directory;
  private Path stagings;
  private DriverToolchain toolchain;

  @BeforeEach
  void find() throws IOException {
    RealNvcc.orSkip();
    stagings = Files.createDirectory(directory.resolve("staging parent"));
    toolchain = find(System.getenv(), stagings);
  }

  @AfterEach
  void close() throws IOException {
    if (toolchain != null) {
      toolchain.close();
      try (Stream<Path> left = Files.list(stagings)) {
        assertThat(left).as("nothing is left behind").isEmpty();
      }
    }
  }

  @Test
  void compile_processor_givesCubinAndDependencies() throws Exception {
    Toolchain.Output output = toolchain.compile(job("vadd.hip", VADD, "-O3", "-std=c++17"));

    assertThat(output.log()).isEmpty();
    assertThat(bytes(output))
        .startsWith(0x7f, 'E', 'L', 'F')
        .satisfies(image -> assertThat(image[18] & 0xff).isEqualTo(190));
    assertThat(output.codeObject().target()).isEqualTo(SM_90);
    assertThat(output.codeObject().kernels())
        .singleElement()
        .hasFieldOrPropertyWithValue("name", "vadd");
    assertThat(output.command())
        .startsWith(toolchain.program().toString(), "-cubin", "-arch=sm_90")
        .containsSubsequence("-O3", "-std=c++17", "-Iinc0", "-I../include");
    assertThat(output.dependencies())
        .extracting(Toolchain.File::path)
        .allMatch(path -> path.startsWith("/") && !path.contains(".."))
        .anyMatch(path -> path.endsWith("/include/cuda_runtime.h"))
        .anyMatch(path -> path.endsWith("/cmath"))
        .noneMatch(path -> path.contains("/hip/") || path.endsWith("scale.h"));
    assertThat(toolchain.hasUnchanged(output.dependencies())).isTrue();
    assertThat(output.elapsed()).isPositive();
  }

  @Test
  void compile_virtualProcessor_givesPtx() throws Exception {
    Toolchain.Output output = toolchain.compile(job(COMPUTE_90, "vadd.hip", VADD));

    assertThat(new String(bytes(output), UTF_8))
        .contains(".target sm_90\n", ".visible .entry vadd(")
        .doesNotContain(stagings.toString());
    assertThat(output.codeObject().target()).isEqualTo(COMPUTE_90);
    assertThat(output.command()).contains("-ptx", "-arch=compute_90");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm_90", "compute_90"})
  void compile_twoStagings_giveTheSameBytes(String target) throws Exception {
    for (String[] options : new String[][] {{"-O3"}, {"-O0", "-std=c++20"}}) {
      Toolchain.Job job = job(TargetId.parse(target), "places.hip", PLACES, options);
      Path elsewhere = Files.createDirectories(directory.resolve("a/much longer/place"));
      try (DriverToolchain other = find(System.getenv(), elsewhere)) {
        byte[] first = bytes(toolchain.compile(job));
        byte[] second = bytes(other.compile(job));

        assertThat(second).isEqualTo(first);
      }
    }
  }

  @Test
  void compile_headersOfTheSourceWithHipsNames_comeBeforeOurs() throws Exception {
    Toolchain.Job job =
        TestJob.of(
                "x.hip",
                "#include <hip/hip_runtime.h>\n#include <hip/hip_fp8.h>\nextern \"C\" __global__ void"
                    + " DECLARED() {}\n")
            .header("hdr/hip/hip_fp8.h", "#define DECLARED mine\n")
            .header("inc0/hip/hip_runtime.h", "#pragma once\n")
            .target(SM_90)
            .job();

    assertThat(toolchain.compile(job).codeObject().kernels())
        .singleElement()
        .hasFieldOrPropertyWithValue("name", "mine");
  }

  @Test
  void compile_valuesOfMacros_arriveAsTheyAre() throws Exception {
    String odd = " !#%&'()*+,-./:;<=>?@[]^_{|}~";
    Toolchain.Job job =
        job(
            COMPUTE_90,
            "x.hip",
            """
            __device__ const char text[] = TEXT;
            __device__ const int pair[] = {PAIR(3, 4)};
            extern "C" __global__ void f(int* p) { *p = text[threadIdx.x] + pair[threadIdx.y]; }
            """,
            "-DTEXT=\"" + odd + "\"",
            "-DPAIR(a,b)=b, a",
            "-UNOTHING");

    assertThat(new String(bytes(toolchain.compile(job)), UTF_8))
        .contains(odd.chars().mapToObj(Integer::toString).reduce((a, b) -> a + ", " + b).get())
        .contains("pair[8] = {4, 0, 0, 0, 3}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"$(touch pwned)", "`touch pwned`", "\\n", "$HOME"})
  void compile_valueThatAShellWouldChange_isRefusedAndNothingRuns(String value) {
    Toolchain.Job job = job("x.hip", "__global__ void f() {}\n", "-DX=\"" + value + "\"");

    assertThatThrownBy(() -> toolchain.compile(job))
        .isInstanceOf(CompilationException.class)
        .hasMessage(
            "x.hip: nvcc would give -DX=\""
                + value
                + "\" to a shell, which changes $, ` and \\; define it in the source instead");
  }

  @Test
  void compile_options_haveTheirEffect() throws Exception {
    String source =
        "__global__ void f(float* p, float a, float b) { *p = sinf(a) * b / 3.0f + a; }\n";
    String plain = ptx(source, "-O3");

    assertThat(plain).contains("fma.rn.f32").doesNotContain("sin.approx");
    assertThat(ptx(source, "-O3", "-ffast-math")).contains("sin.approx.ftz");
    assertThat(ptx(source, "-O3", "-fno-fast-math", "-ffp-contract=fast", "-Wall", "-Wno-unused"))
        .isEqualTo(plain);
    assertThat(ptx("__global__ void f(float* p, float a) { *p = a * *p + a; }\n"))
        .contains("fma.rn");
    assertThat(
            ptx("__global__ void f(float* p, float a) { *p = a * *p + a; }\n", "-ffp-contract=off"))
        .doesNotContain("fma.rn");
    for (String options : List.of("-O", "-O0", "-O1 -std=gnu++17", "-O2 -std=c++2a")) {
      assertThat(ptx(source, options.split(" "))).as(options).contains(".entry");
    }
    assertThat(sass(source, "-O0")).isNotEqualTo(sass(source, "-O3"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-g", "-Os", "-mwavefrontsize64", "-fno-such-option"})
  void compile_optionOfClang_isRefusedInOneLine(String option) {
    String expected =
        "x.hip: nvcc is given no "
            + option
            + ", whose meaning is clang's; leave it away for NVIDIA's targets";

    assertThatThrownBy(() -> toolchain.compile(job("x.hip", "", option)))
        .isInstanceOf(CompilationException.class)
        .hasMessage(expected);
  }

  @Test
  void compile_werror_failsOnAWarning() throws Exception {
    String source = "__global__ void f() { int unused; }\n";

    assertThat(toolchain.compile(job("w.hip", source)).log())
        .startsWith("w.hip(1): warning #177-D: variable \"unused\" was declared but");
    assertThatThrownBy(() -> toolchain.compile(job("w.hip", source, "-Werror")))
        .isInstanceOf(CompilationException.class)
        .hasMessageStartingWith("w.hip:1: error: variable \"unused\" was declared but never");
  }

  @Test
  void identity_processorItDoesNotHave_isOneClearLine() {
    assertThatThrownBy(() -> toolchain.identity(TargetId.parse("sm_50"), Options.DEFAULT))
        .isInstanceOf(CompilationException.class)
        .hasMessage(
            "nvcc: fatal error: Unsupported gpu architecture 'sm_50' (one of another version"
                + " may know it)");
  }

  @Test
  void identity_macrosAndWarnings_doNotMatter() {
    Digest plain = toolchain.identity(SM_90, Options.of("-O3"));

    assertThat(toolchain.identity(SM_90, Options.of("-O3", "-DN=1", "-Wall", "-UM")))
        .isEqualTo(plain);
    assertThat(toolchain.identity(SM_90, Options.of("-O2"))).isNotEqualTo(plain);
    assertThat(toolchain.identity(COMPUTE_90, Options.of("-O3"))).isNotEqualTo(plain);
    try (DriverToolchain other = find(System.getenv(), directory)) {
      assertThat(other.identity(SM_90, Options.of("-O3"))).isEqualTo(plain);
    }
  }

  @Test
  void identity_hostCompilersScriptThatAddsAnOption_changes() throws IOException {
    Path inner = Script.write(directory.resolve("g2"), "exec g++ \"$@\"");
    Path outer = Script.write(directory.resolve("my-g++"), "exec " + inner + " \"$@\"");
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("NVCC_CCBIN", outer.toString());
    Digest before;
    try (DriverToolchain plain = find(environment, stagings)) {
      before = plain.identity(SM_90, Options.DEFAULT);
    }
    Script.write(inner, "exec g++ -DADDED \"$@\"");

    try (DriverToolchain adding = find(environment, stagings)) {
      assertThat(adding.identity(SM_90, Options.DEFAULT)).isNotEqualTo(before);
    }
  }

  /** nvcc runs its programs in a shell, and names its temporary files there. */
  @Test
  void compile_inADirectoryThatAShellWouldRun_isRefusedAndNothingRuns() throws IOException {
    Path named = Files.createDirectories(directory.resolve("$(touch pwned)"));
    try (DriverToolchain there =
        TestToolchains.find(Platform.NVIDIA, System.getenv(), () -> named, Optional.empty())) {
      assertThatThrownBy(() -> there.identity(SM_90, Options.DEFAULT))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("to a shell; set TMPDIR to a path without");
    }
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("NVCC_CCBIN", "/usr/bin/$(touch pwned)/g++");
    assertThatThrownBy(() -> find(environment, stagings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NVCC_CCBIN=");
  }

  @Test
  void hostCompiler_ofTheVariable_isUsedAndIsPartOfTheIdentity() throws Exception {
    Path clang = Path.of("/usr/bin/clang++-15");
    assumeTrue(Files.exists(clang), "no clang for nvcc");
    try (DriverToolchain other = find(with("NVCC_CCBIN", "clang++-15"), stagings);
        DriverToolchain absolute = find(with("NVCC_CCBIN", clang.toString()), stagings)) {
      for (DriverToolchain each : List.of(other, absolute)) {
        assertThat(bytes(each.compile(job("vadd.hip", VADD)))).startsWith(0x7f, 'E', 'L', 'F');
        assertThat(each.identity(SM_90, Options.DEFAULT))
            .isNotEqualTo(toolchain.identity(SM_90, Options.DEFAULT));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-such-compiler", "/no/such/compiler"})
  void hostCompiler_missing_isOneClearLine(String compiler) {
    try (DriverToolchain other = find(with("NVCC_CCBIN", compiler), stagings)) {
      assertThatThrownBy(() -> other.identity(SM_90, Options.DEFAULT))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              toolchain.program()
                  + ": it found no C++ compiler that it can use ("
                  + compiler
                  + ": No such file or directory); install g++, or set NVCC_CCBIN to one");
    }
  }

  @Test
  void describe_andLabel_areOfItsVersion() {
    assertThat(toolchain.label()).isGreaterThanOrEqualTo(new ToolchainLabel("cuda10.0"));
    assertThat(toolchain.describe()).matches("/\\S*nvcc, CUDA \\d+\\.\\d+\\.\\d+");
  }

  @Test
  void label_contradictedByVariable_namesBoth() {
    try (DriverToolchain contradicted = find(with("CUDA_VERSION", "9.1.85"), stagings)) {
      assertThatThrownBy(contradicted::label)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching(
              "CUDA_VERSION=9\\.1\\.85 contradicts /\\S*nvcc, which is CUDA \\d+\\S*; unset the"
                  + " variable or set KCACHE_NVCC to the nvcc of that version");
    }
  }

  private String ptx(String source, String... options) throws Exception {
    return new String(bytes(toolchain.compile(job(COMPUTE_90, "x.hip", source, options))), UTF_8);
  }

  private byte[] sass(String source, String... options) throws Exception {
    return bytes(toolchain.compile(job("x.hip", source, options)));
  }

  private static Map<String, String> with(String variable, String value) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put(variable, value);
    return environment;
  }

  private static DriverToolchain find(Map<String, String> environment, Path stagings) {
    return TestToolchains.find(Platform.NVIDIA, environment, () -> stagings, Optional.of(memo));
  }
}
