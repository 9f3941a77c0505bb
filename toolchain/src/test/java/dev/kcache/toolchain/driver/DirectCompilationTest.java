// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TestJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles without the driver, by the machine's real compiler: the same as with it, and sooner. A
 * wrapper in Perl counts the runs of hipcc; one in the language of the shell keeps shortcuts from
 * being taken, and so tells what hipcc gives.
 */
class DirectCompilationTest {
  private static final String INCLUDE = "#include <hip/hip_runtime.h>\n";
  private static final String KERNEL =
      """
      template <typename T> __device__ T twice(T x) { return x + x; }
      extern "C" __global__ void f(float* a, const float4* b, int n) {
        __shared__ float tile[256];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        tile[threadIdx.x] = __shfl_down(b[i].x, 1) + sqrtf(b[i].w);
        __syncthreads();
        if (i < n) atomicAdd(a + i, twice(tile[threadIdx.x ^ 1]) + __expf(b[i].y));
      }
      """;

  /** Makes the header's own functions part of the result. */
  private static final String ASSERTION =
      """
      #include <cassert>
      __global__ void positive(int* p) { assert(*p > 0); }
      """;

  private static final String VIRTUAL =
      """
      struct Shape { virtual __device__ float area() const = 0; };
      struct Square : Shape { __device__ float area() const override { return 4; } };
      struct Circle : Shape { __device__ float area() const override { return 3; } };
      __global__ void areas(float* a, int n) {
        Square square; Circle circle;
        Shape* shapes[] = {&square, &circle};
        a[0] = shapes[n & 1]->area();
      }
      """;

  private static final Toolchain.Job STANDARD = job(INCLUDE + KERNEL);

  /** By this clock, what the tests write has been there for a while. */
  private static final InstantSource LATER = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(1));

  /**
   * One for all tests: the compiler's libraries are hundreds of megabytes to read, and most tests
   * need headers that are there already.
   */
  @TempDir static Path shared;

  private static Path stagings;
  private static Path sharedMemo;
  private static Path counting;
  private static DriverToolchain plain;

  /** Of {@link #STANDARD}, by hipcc. */
  private static Toolchain.Output standard;

  @TempDir Path directory;

  @BeforeAll
  static void compileTheStandardJob() throws Exception {
    stagings = Files.createDirectory(shared.resolve("stagings"));
    sharedMemo = shared.resolve("shared-memo");
    Path hipcc;
    try (DriverToolchain real = find(System.getenv(), sharedMemo)) {
      hipcc = real.program();
    }
    Path wrapper = Script.write(shared.resolve("plain/hipcc"), "exec " + hipcc + " \"$@\"");
    plain = find(with(wrapper), sharedMemo);
    standard = plain.compile(STANDARD);
    counting = counting(hipcc);
    try (DriverToolchain quick = find(with(counting), shared.resolve("memo"))) {
      quick.compile(STANDARD);
      quick.compile(STANDARD);
    }
    Files.move(shared.resolve("memo"), shared.resolve("prepared"));
  }

  @AfterAll
  static void close() {
    plain.close();
  }

  @BeforeEach
  void forgetRuns() throws IOException {
    Files.write(shared.resolve("runs"), new byte[0]);
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).isEmpty();
    }
  }

  /**
   * Returns a memo with the headers of {@link #STANDARD}. It always has the same path, which is
   * part of the headers.
   */
  private static Path preparedMemo() throws Exception {
    String again = "rm -rf memo && cp -a prepared memo";
    assertThat(new ProcessBuilder("sh", "-c", again).directory(shared.toFile()).start().waitFor())
        .isZero();
    return shared.resolve("memo");
  }

  @Test
  void compile_secondTime_startsNoDriver() throws Exception {
    try (DriverToolchain counted = find(with(counting), directory.resolve("memo"))) {
      counted.compile(job(INCLUDE + KERNEL, "-O3", "-DN=1"));
      assertThat(compiles()).as("with hipcc").isEqualTo(1);

      counted.compile(job(INCLUDE + "// 2\n" + KERNEL, "-O3", "-DN=1"));
      counted.compile(job(INCLUDE + "// 3\n" + KERNEL, "-O3", "-DN=1"));

      assertThat(compiles()).as("without").isEqualTo(1);
      assertThat(headers(directory.resolve("memo"))).as("and what it begins with").hasSize(2);
    }
    try (DriverToolchain later = find(with(counting), directory.resolve("memo"))) {
      later.compile(job(INCLUDE + "// 4\n" + KERNEL, "-O3", "-DN=1"));

      assertThat(compiles()).as("in a later process").isEqualTo(1);
      assertThat(headers(directory.resolve("memo"))).hasSize(2);
    }
  }

  @Test
  void compile_commandOfTheRecord_isTheDrivers() throws Exception {
    try (DriverToolchain quick = find(System.getenv(), sharedMemo)) {
      Toolchain.Output first = quick.compile(STANDARD);

      assertThat(quick.compile(STANDARD).command()).isEqualTo(first.command()).contains("--genco");
    }
  }

  /** Each of these is something of which the compiler would not notice a wrong header. */
  @Test
  void compile_anything_givesWhatHipccGives() {
    String usual = "-O3 -std=c++17";
    Map<String, String> sources =
        Map.of(
            INCLUDE
                + "#include <hip/hip_fp16.h>\n__device__ __half h(__half x) { return x * x; }\n"
                + "__device__ float4 operator*(float4 a, float4 b) { return float4{a.x * b.x}; }\n"
                + "__device__ float4 g(float4 a) { a += a * a; return a; }\n"
                + "__device__ int counter() { return __COUNTER__ + __LINE__; }\n"
                + KERNEL,
            usual,
            "#define NDEBUG\n" + INCLUDE + ASSERTION,
            usual,
            INCLUDE + ASSERTION + VIRTUAL,
            usual,
            "// old line ends \r#define __AMDGCN_UNSAFE_FP_ATOMICS__ 1\n" + INCLUDE + KERNEL,
            usual,
            "extern \"C\" __attribute__((global)) void f(int* p) { *p = 1; }\n",
            usual,
            INCLUDE + "// unoptimised\n" + KERNEL,
            "-O0",
            INCLUDE + "// macros and warnings\n" + KERNEL,
            "-O2 -fno-inline -ffast-math -std=c++20 -UNDEBUG -DNDEBUG -UNDEBUG -DX=\"a b'c\" -Wall"
                + " -Wextra -Wno-deprecated -fsanitize=bounds");

    sources.entrySet().parallelStream()
        .forEach(entry -> assertSame(List.of(entry.getValue().split(" (?=-)")), entry.getKey()));
  }

  @Test
  void compile_macroThatDiffers_isNotServedTheOthersHeader() throws Exception {
    try (DriverToolchain quick = find(System.getenv(), sharedMemo)) {
      assertSame(quick, job(INCLUDE + KERNEL, "-O3", "-std=c++17"));
      assertSame(quick, job(INCLUDE + KERNEL, "-O3", "-std=c++17", "-DNDEBUG"));
      assertSame(quick, job(INCLUDE + KERNEL, "-O3", "-std=c++17"));
    }
  }

  @Test
  void compile_ownHeaderThatTheHeaderWouldInclude_givesWhatHipccGives() throws Exception {
    TestJob job =
        TestJob.of("f.hip", INCLUDE + "#include <math.h>\n" + KERNEL)
            .header("inc0/math.h", "#pragma once\n#include_next <math.h>\n#define sqrtf(x) 1.0f\n");
    try (DriverToolchain quick = find(System.getenv(), sharedMemo)) {
      assertSame(quick, job.job());
    }
  }

  @Test
  void compile_warning_readsAsHipccsDoes() throws Exception {
    String source = INCLUDE + "__global__ void f() { int unused; }\n";
    try (DriverToolchain quick = find(System.getenv(), sharedMemo)) {
      quick.compile(job(source, "-Wall"));

      assertThat(quick.compile(job(source, "-Wall")).log())
          .isEqualTo(plain.compile(job(source, "-Wall")).log())
          .contains("warning: unused variable 'unused'");
    }
  }

  @Test
  void compile_error_readsAsHipccsDoes() throws Exception {
    try (DriverToolchain quick = find(System.getenv(), sharedMemo)) {
      quick.compile(STANDARD);
      quick.compile(STANDARD);
      Toolchain.Job wrong = job(INCLUDE + "__global__ void f() {\n  undeclared();\n}\n");

      CompilationException expected = failure(plain, wrong);
      CompilationException failure = failure(quick, wrong);
      assertThat(failure).hasMessage(expected.getMessage()).hasMessageContaining("undeclared");
      assertThat(failure.log()).isEqualTo(expected.log());
      assertThat(headers(sharedMemo)).as("the header is not at fault").isNotEmpty();
    }
  }

  @Test
  void compile_headerThatTheCompilerRefuses_isDoneWithoutAndMadeAnew() throws Exception {
    Path memo = preparedMemo();
    try (DriverToolchain quick = find(with(counting), memo)) {
      quick.compile(STANDARD);
      assertThat(compiles()).isZero();
      // Of which the compiler knows the size: the source of the header is another one now.
      Path source = memo(memo).resolve("hip_runtime.hip");
      Files.writeString(source, "// Not the size that it had.\n" + Files.readString(source));

      assertThat(digest(quick.compile(STANDARD))).isEqualTo(digest(standard));
      assertThat(compiles()).as("hipcc stepped in").isEqualTo(1);
      assertThat(digest(quick.compile(STANDARD))).isEqualTo(digest(standard));
    }
    try (DriverToolchain later = find(with(counting), memo)) {
      int before = compiles();
      assertThat(digest(later.compile(STANDARD))).isEqualTo(digest(standard));
      assertThat(compiles()).as("a new header serves").isEqualTo(before);
    }
  }

  @Test
  void compile_sourceOfTheHeaderWrittenTwice_isStillTheSame() throws Exception {
    Path memo = preparedMemo();
    try (DriverToolchain quick = find(with(counting), memo)) {
      // As by two processes that both find it missing.
      Files.delete(memo(memo).resolve("hip_runtime.hip"));
      quick.compile(job(INCLUDE + KERNEL, "-O2"));
      quick.compile(job(INCLUDE + KERNEL, "-O2"));
      int before = compiles();

      quick.compile(STANDARD);
      assertThat(compiles()).isEqualTo(before);
    }
  }

  @Test
  void compile_manyTargetsAtOnce_makesAllHeaders() throws Exception {
    Path memo = directory.resolve("memo");
    List<TargetId> targets =
        Stream.of("gfx90a", "gfx1030", "gfx90a", "gfx1030").map(TargetId::parse).toList();
    try (DriverToolchain quick =
        DriverToolchain.find(Platform.AMD, batch(System.getenv(), stagings, memo))) {
      ExecutorService threads = Executors.newFixedThreadPool(targets.size());
      List<Future<?>> compiles = new ArrayList<>();
      for (TargetId target : targets) {
        compiles.add(
            threads.submit(
                () -> {
                  quick.compile(job(INCLUDE + KERNEL, target));
                  return quick.compile(job(INCLUDE + KERNEL, target));
                }));
      }
      for (Future<?> compile : compiles) {
        compile.get();
      }
      threads.shutdown();

      List<Long> sizes = headers(memo).stream().map(file -> file.toFile().length()).toList();
      assertThat(sizes).hasSize(4);
      long whole = Collections.max(sizes);
      assertThat(sizes).as("that continue another").filteredOn(size -> size < whole / 2).hasSize(2);
    }
  }

  @Test
  void compile_batch_findsNothingOfTheCompilesBefore() throws Exception {
    Path parent = Files.createDirectory(directory.resolve("stagings"));
    try (DriverToolchain quick = batch(parent)) {
      assertStandard(quick.compile(STANDARD));
      String text = INCLUDE + "#include \"left.h\"\n" + KERNEL;
      quick.compile(TestJob.of("f.hip", text).file("src/left.h", "#define LEFT 1\n").job());

      assertThat(parent).isEmptyDirectory();
      assertThatThrownBy(() -> quick.compile(job(text)))
          .hasMessageContaining("'left.h' file not found");
      assertStandard(quick.compile(STANDARD));
    }

    assertThat(parent).isEmptyDirectory();
  }

  private static ToolchainContext batch(Map<String, String> environment, Path parent, Path memo) {
    return new ToolchainContext(
        environment,
        () -> parent,
        Optional::empty,
        Optional.of(memo),
        true,
        Duration.ofMinutes(10));
  }

  private static DriverToolchain batch(Path parent) throws Exception {
    Path memo = preparedMemo();
    return DriverToolchain.find(Platform.AMD, batch(with(counting), parent, memo));
  }

  private static void assertStandard(Toolchain.Output output) {
    assertThat(digest(output)).isEqualTo(digest(standard));
  }

  @Test
  void compile_memoThatCannotBeWritten_goesOnWithoutHeader() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    try (DriverToolchain quick = find(System.getenv(), file.resolve("memo"))) {
      assertSame(quick, STANDARD);
    }
  }

  private void assertSame(List<String> options, String source) {
    try (DriverToolchain quick = find(System.getenv(), sharedMemo)) {
      assertSame(quick, job(source, options.toArray(String[]::new)));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The first compile may take no shortcut, the second one may. */
  private void assertSame(DriverToolchain quick, Toolchain.Job job) throws InterruptedException {
    Toolchain.Output expected = job.equals(STANDARD) ? standard : plain.compile(job);
    for (int i = 0; i < 2; i++) {
      Toolchain.Output output = quick.compile(job);
      assertThat(digest(output)).isEqualTo(digest(expected));
      assertThat(output.dependencies()).isEqualTo(expected.dependencies());
      assertThat(output.log()).isEqualTo(expected.log());
    }
  }

  private static CompilationException failure(DriverToolchain toolchain, Toolchain.Job job) {
    return catchThrowableOfType(CompilationException.class, () -> toolchain.compile(job));
  }

  @Test
  void compile_memoByAnIndirectPath_usesTheHeader() throws Exception {
    Path memo = directory.resolve("memo");
    Path other = Files.createDirectories(directory.resolve("other"));
    try (DriverToolchain quick = find(System.getenv(), other.resolve("../memo"))) {
      assertSame(quick, STANDARD);
      assertThat(headers(memo)).hasSize(2);
    }
  }

  @Test
  void compile_headerThatIsDamagedAndMadeAnewByAnother_isUsed() throws Exception {
    Path memo = preparedMemo();
    try (DriverToolchain first = find(with(counting), memo)) {
      first.compile(STANDARD);
      assertThat(compiles()).isZero();
      damageHeaders(memo);
      try (DriverToolchain second = find(with(counting), memo)) {
        second.compile(STANDARD);
      }
      Map<Path, Digest> seconds = contents(memo);

      assertThat(digest(first.compile(STANDARD))).isEqualTo(digest(standard));
      assertThat(contents(memo)).as("no third ones").isEqualTo(seconds);
    }
  }

  @Test
  void compile_headerWhoseBeginningIsDamaged_isMadeAnew() throws Exception {
    Path memo = preparedMemo();
    Path beginning =
        Collections.max(headers(memo), Comparator.comparing(file -> file.toFile().length()));
    Files.write(beginning, new byte[1]);
    try (DriverToolchain later = find(with(counting), memo)) {
      assertThat(digest(later.compile(STANDARD))).isEqualTo(digest(standard));
      assertThat(compiles()).as("a new header serves").isZero();
    }
  }

  @Test
  void compile_sourceThatBeginsOtherwise_usesWhatTheHeaderContinues() throws Exception {
    Path memo = preparedMemo();
    Toolchain.Job other = job("#define NDEBUG\n" + INCLUDE + KERNEL);
    try (DriverToolchain quick = find(with(counting), memo)) {
      Map<Path, Digest> before = contents(memo);

      assertSame(quick, other);
      assertThat(contents(memo)).hasSize(2).isEqualTo(before);
    }
  }

  private static DriverToolchain find(Map<String, String> environment, Path memo) {
    return TestToolchains.find(Platform.AMD, environment, () -> stagings, Optional.of(memo), LATER);
  }

  private static Map<String, String> with(Path driver) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_HIPCC", driver.toString());
    return environment;
  }

  /** Writes a hipcc that notes each of its runs. */
  private static Path counting(Path hipcc) throws IOException {
    Path wrapper = shared.resolve("counting/hipcc");
    Script.write(wrapper, "");
    Files.createFile(wrapper.resolveSibling("hipvars.pm"));
    Files.writeString(
        wrapper,
        """
        #!/usr/bin/env perl
        open(my $runs, '>>', '%s'); print $runs "@ARGV\\n"; close($runs);
        exec('%s', @ARGV);
        """
            .formatted(shared.resolve("runs"), hipcc));
    return wrapper;
  }

  private static int compiles() throws IOException {
    return (int)
        Files.readAllLines(shared.resolve("runs")).stream()
            .filter(run -> run.startsWith("--genco") && !run.contains(" -### "))
            .count();
  }

  private static Path memo(Path parent) throws IOException {
    try (Stream<Path> hosts = Files.list(parent)) {
      return hosts.findFirst().orElseThrow();
    }
  }

  private static List<Path> headers(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(memo(parent))) {
      return files.filter(file -> file.toString().endsWith(".pch")).toList();
    }
  }

  private static void damageHeaders(Path parent) throws IOException {
    for (Path header : headers(parent)) {
      Files.write(header, new byte[1]);
    }
  }

  private static Map<Path, Digest> contents(Path parent) throws IOException {
    Map<Path, Digest> contents = new HashMap<>();
    for (Path header : headers(parent)) {
      contents.put(header, Digest.of(Files.readAllBytes(header)));
    }
    return contents;
  }

  private static Digest digest(Toolchain.Output output) {
    CodeObject code = output.codeObject();
    return code.digest();
  }

  private static Toolchain.Job job(String text, String... options) {
    return TestJob.of("f.hip", text).options(options).job();
  }

  private static Toolchain.Job job(String text, TargetId target) {
    return TestJob.of("f.hip", text).target(target).job();
  }
}
