// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The embedded LLVM as users have it: through a manager, on a machine without hipcc. */
class LlvmToolchainTest {
  private static final TargetId GFX942 = TargetId.parse("gfx942");
  private static final ToolchainLabel LABEL = new ToolchainLabel("llvm20.1");
  private static final KernelSource VADD =
      source(
          """
          #include <hip/hip_runtime.h>
          extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) c[i] = a[i] + b[i];
          }
          """);

  private static final CompileOptions WARNED = CompileOptions.of(List.of("-Wall", "-Wextra"));

  /** What is unpacked serves all of these tests. */
  @TempDir static Path home;

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUpAMachineWithoutHipcc() {
    environment.put("PATH", temp.toString());
    environment.put("KCACHE_DIR", home.toString());
    environment.put("HIP_DEVICE_LIB_PATH", temp.toString());
  }

  @Test
  @Tag("torture")
  void everyProcessor_givesACodeObjectOfIt() {
    try (CacheManager cache = manager("cache")) {
      Set<Processor> processors = cache.toolchain(Platform.AMD).processors();

      assertThat(processors).hasSizeGreaterThan(40).contains(Processor.GFX942, Processor.GFX1100);
      for (Processor processor : processors) {
        CodeObject code = cache.getOrCompile(VADD, TargetId.of(processor));
        assertThat(code.target().processor()).isEqualTo(processor);
        assertThat(code.kernels()).extracting("name").containsExactly("vadd");
      }
      assertThat(cache.maintenance().entries())
          .hasSize(processors.size())
          .extracting("label")
          .containsOnly(LABEL);
    }
  }

  @Test
  void compilerThatIsRemovedMeanwhile_isPutBack() throws IOException {
    try (CacheManager cache = manager("cache")) {
      CodeObject code = cache.getOrCompile(VADD, GFX942);
      Files.move(home.resolve("toolchains"), temp.resolve("removed"));

      CacheResult again = cache.resolveAsync(VADD.withOptions(WARNED), GFX942).join();

      assertThat(again.codeObject().kernels()).isEqualTo(code.kernels());
    }
  }

  @Test
  void firstCompile_saysOnceInAProcessWhoCompilesAndWhatItLacks() throws IOException {
    Path library = Files.createDirectory(temp.resolve("library"));
    Files.createFile(library.resolve("ocml.bc"));
    environment.put("HIP_DEVICE_LIB_PATH", library.toString());
    List<String> told = new ArrayList<>();
    Logger logger = Logger.getLogger("dev.kcache");
    Handler listener = listener(told);
    logger.addHandler(listener);
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(VADD, GFX942);
      cache.getOrCompile(VADD.withOptions(CompileOptions.of(List.of("-DX"))), GFX942);
      cache.getOrCompile(VADD, GFX942);
      try (CacheManager another = manager("another")) {
        another.getOrCompile(VADD, GFX942);
      }
    } finally {
      logger.removeHandler(listener);
    }

    assertThat(told)
        .singleElement(STRING)
        .matches(
            "the embedded LLVM 20.1.\\d+ compiles, with ROCm's device library in \\S+/library where"
                + " it is needed; HIP's headers are kcache's own and have less than ROCm's");
  }

  /** Which is a third of what it takes, and pays when more is to come. */
  @Test
  void firstCompileWithSomeOptions_asksNothingBefore() throws IOException {
    CompileOptions options = CompileOptions.of("-fno-unroll-loops");
    KernelSource other = source("__global__ void other() {}\n").withOptions(options);
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(VADD, GFX942);
      long answers = answers();

      cache.getOrCompile(VADD.withOptions(options), GFX942);
      assertThat(answers()).isEqualTo(answers);

      cache.getOrCompile(other.withHeader("x.h", ""), GFX942);
      cache.getOrCompile(other, GFX942);
      assertThat(answers()).isGreaterThan(answers);
    }
  }

  @Test
  void batch_precompilesForSourcesThatBeginOtherwiseTheSecondTime() throws Exception {
    CompileOptions options = CompileOptions.of("-fno-slp-vectorize");
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(VADD, GFX942);
    }
    awaitSettled(unpacked("bin/clang"));
    try (CacheManager cache =
        CacheManager.builder()
            .environment(environment)
            .directory(temp.resolve("cache"))
            .batching()
            .build()) {
      long before = remembered(".*\\.pch");

      cache.getOrCompile(VADD.withOptions(options), GFX942);
      assertThat(remembered(".*\\.pch")).as("HIP's alone").isEqualTo(before + 1);
      cache.getOrCompile(source("__global__ void a() {}\n").withOptions(options), GFX942);
      assertThat(remembered(".*\\.pch")).isEqualTo(before + 1);
      cache.getOrCompile(source("__global__ void b() {}\n").withOptions(options), GFX942);
      assertThat(remembered(".*\\.pch")).isEqualTo(before + 2);
    }
  }

  /** Waits until a file is so old that its time stamp is believed. */
  private static void awaitSettled(Path file) throws IOException {
    FileTime changed = (FileTime) Files.getAttribute(file, "unix:ctime");
    Instant settled = changed.toInstant().plusMillis(2_500);
    while (Instant.now().isBefore(settled)) {
      LockSupport.parkNanos(50_000_000);
    }
  }

  /** Returns how many answers of compilers are remembered. */
  private static long answers() throws IOException {
    return remembered("[0-9a-f]{64}");
  }

  private static long remembered(String pattern) throws IOException {
    try (Stream<Path> files = Files.walk(home.resolve("memo"))) {
      return files.filter(file -> file.getFileName().toString().matches(pattern)).count();
    }
  }

  private static Handler listener(List<String> told) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        told.add(record.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  @Tag("torture")
  void everyVirtualArchitecture_givesPtxOfIt() {
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    try (CacheManager cache = manager("cache")) {
      Set<Processor> processors = cache.toolchain(Platform.NVIDIA).processors();

      assertThat(processors)
          .hasSizeGreaterThan(15)
          .contains(Processor.COMPUTE_90)
          .allMatch(Processor::isVirtual);
      for (Processor processor : processors) {
        CacheResult result =
            cache.resolveAsync(VADD.withOptions(WARNED), TargetId.of(processor)).join();
        assertThat(result.codeObject().target().processor()).isEqualTo(processor);
        assertThat(result.codeObject().kernels()).extracting("name").containsExactly("vadd");
        assertThat(result.log()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"sm_90, compute_90", "sm_103, compute_101", "sm_70, compute_70"})
  void deviceOfNvidias_getsTheNewestPtxThatRunsOnIt(String device, String target) {
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    try (CacheManager cache = manager("cache")) {
      CacheResult first = cache.deviceRequests().resolve(VADD, TargetId.parse(device));
      CacheResult second = cache.deviceRequests().resolve(VADD, TargetId.parse(device));

      assertThat(first.codeObject().target()).isEqualTo(TargetId.parse(target));
      assertThat(second.codeObject().digest()).isEqualTo(first.codeObject().digest());
      assertThat(cache.maintenance().entries()).hasSize(1);
    }
  }

  @Test
  void realArchitecture_isOneClearLine() {
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(VADD, TargetId.parse("sm_90")))
          .isInstanceOf(CompilationException.class)
          .hasMessage(
              "kernel.hip: the embedded LLVM 20.1.7 makes PTX for NVIDIA, nothing for sm_90; ask"
                  + " for compute_90, or compile with nvcc");
    }
  }

  /** The machine's CUDA, if it has one, decides nothing and is not warned of. */
  @Test
  void functionOfCudasLibrary_isAnErrorThatNamesItAndWhoHasIt() {
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    KernelSource source =
        source(
            "#include <hip/hip_runtime.h>\n__global__ void f(float* p) { *p = sinf(*p);"
                + " atomicAdd_system(p, 1.0f); printf(\"%f\", *p); }\n");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(source, TargetId.parse("compute_90")))
          .isInstanceOf(CompilationException.class)
          .hasMessageContaining("the embedded LLVM has no sinf for NVIDIA; compile with nvcc");
    }
  }

  /** What is pinned, so that nobody unpacks a compiler to ask it. */
  @ParameterizedTest
  @CsvSource({"AMD, amdgcn-amd-amdhsa", "NVIDIA, nvptx64-nvidia-cuda"})
  void processors_areThoseThatTheCompilerLists(Platform platform, String triple) throws Exception {
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    try (CacheManager cache = manager("cache")) {
      assertThat(cache.toolchain(platform).processors()).isNotEmpty();
      cache.getOrCompile(VADD, GFX942);
    }
    Path clang = unpacked("bin/clang");
    Process process =
        new ProcessBuilder(clang.toString(), "-cc1", "-triple", triple, "-print-supported-cpus")
            .redirectErrorStream(true)
            .start();
    List<String> listed =
        new String(process.getInputStream().readAllBytes(), UTF_8)
            .lines()
            .filter(line -> line.startsWith("\t"))
            .map(String::strip)
            .toList();

    assertThat(listed).containsExactlyInAnyOrderElementsOf(PinnedFiles.processors(platform));
  }

  @ParameterizedTest
  @CsvSource({"gfx942, '', 4", "gfx942, 5, 5", "gfx1100, 6, 6", "gfx9-generic, '', 6"})
  void codeObjectVersion_isWhatIsAskedForOrWhatEveryRuntimeLoads(
      String target, String asked, int version) {
    environment.put("KCACHE_CODE_OBJECT_VERSION", asked);
    try (CacheManager cache = manager("cache")) {
      assertThat(cache.getOrCompile(VADD, TargetId.parse(target)).abiVersion()).isEqualTo(version);
    }
  }

  /** hipcc of HIP 5.2, which comes first, knows no gfx1151; that of 6.4 does. */
  @Test
  void compilerOfADevice_isOneThatKnowsIt() {
    environment.put("PATH", System.getenv("PATH"));
    environment.remove("HIP_DEVICE_LIB_PATH");
    try (CacheManager cache = manager("cache")) {
      TargetId device = TargetId.parse("gfx1151");
      assertThat(cache.toolchain(device).processors()).contains(device.processor());
      assertThat(cache.toolchain(GFX942).processors()).contains(GFX942.processor());
    }
  }

  @Test
  void codeObjectVersion_unknown_isOneClearLine() {
    environment.put("KCACHE_CODE_OBJECT_VERSION", "7");
    assertThatThrownBy(() -> manager("cache"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("KCACHE_CODE_OBJECT_VERSION='7' is unknown; use 4, 5 or 6, or unset it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"powf(x, x)", "sinf(x)", "exp(double(x))", "std::tanh(x)"})
  void functionOfTheDeviceLibrary_isAnErrorThatNamesItAndWhoHasIt(String call) {
    KernelSource source =
        source(
            "#include <cmath>\n__global__ void f(float* p) { float x = *p; *p = " + call + "; }\n");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(source, GFX942))
          .isInstanceOf(CompilationException.class)
          .hasMessageContaining(call.replaceAll("std::|\\(.*", ""))
          .hasMessageContaining("needs ROCm's device library, which the embedded LLVM lacks")
          .hasMessageContaining("hipcc");
    }
  }

  @Test
  void headerWithoutCounterpart_saysSo() {
    KernelSource source = source("#include <hip/hip_cooperative_groups.h>\n");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(source, GFX942))
          .hasMessageContaining(
              "hip/hip_cooperative_groups.h: kcache has no counterpart of it without ROCm; compile"
                  + " with hipcc");
    }
  }

  @Test
  void headerOfTheMachine_isNotReadAndTheUserToldWhoDoes() {
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(source("#include <unistd.h>\n"), GFX942))
          .isInstanceOf(CompilationException.class)
          .hasMessage(
              "kernel.hip:1:10: fatal error: 'unistd.h' file not found; the embedded LLVM reads no"
                  + " header of the machine: declare it with --header or withHeader, or compile"
                  + " with hipcc");
    }
  }

  /** No path, date or file of this machine is part of it. */
  @Test
  void entryOfAnotherMachine_isServedAndNothingIsUnpacked() {
    try (CacheManager builder = manager("layer")) {
      builder.getOrCompile(VADD, GFX942);
    }
    Path elsewhere = temp.resolve("elsewhere");
    environment.put("KCACHE_DIR", elsewhere.toString());
    environment.put("KCACHE_PATH", temp.resolve("layer").toString());
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      assertThat(cache.resolveAsync(VADD, GFX942).join().origin())
          .isEqualTo(CacheResult.Origin.LAYER);
    }
    assertThat(elsewhere.resolve("toolchains")).doesNotExist();
  }

  @Test
  void damagedCompiler_isUnpackedAgain() throws Exception {
    try (CacheManager cache = manager("one")) {
      cache.getOrCompile(VADD, GFX942);
    }
    Path linker = unpacked("bin/lld");
    byte[] sound = Files.readAllBytes(linker);
    byte[] damaged = sound.clone();
    damaged[damaged.length / 2] ^= 1;
    Files.write(linker, damaged);
    try (CacheManager cache = manager("two")) {
      cache.getOrCompile(VADD, GFX942);
    }

    assertThat(linker).hasBinaryContent(sound);
  }

  @Test
  void noDirectoryThatLasts_isNoReasonToFail() throws Exception {
    environment.put("KCACHE_DISABLE", "1");
    environment.put("TMPDIR", temp.toString());
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      assertThat(cache.getOrCompile(VADD, GFX942).target()).isEqualTo(GFX942);
    }
    try (Stream<Path> left = Files.list(temp)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void versionOfRocm_isNotCompiledForWithAnotherCompiler() {
    environment.put("ROCM_VERSION", "6.4");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(VADD, GFX942))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("no hipcc in")
          .hasMessageEndingWith(
              "; ROCM_VERSION=6.4 is set: to compile by another version, set KCACHE_TOOLCHAIN to"
                  + " llvm");
    }
  }

  @Test
  void askedForByName_compilesWhateverRocmIsSet() {
    environment.put("ROCM_VERSION", "6.4");
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    try (CacheManager cache = manager("cache")) {
      cache.getOrCompile(VADD, GFX942);

      assertThat(cache.maintenance().entries()).extracting("label").containsExactly(LABEL);
    }
  }

  @Test
  void hipccAskedForByName_isNotReplaced() {
    environment.put("KCACHE_TOOLCHAIN", "hipcc");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(VADD, GFX942))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith("no hipcc in");
    }
  }

  @Test
  void unknownName_isOneClearLine() {
    environment.put("KCACHE_TOOLCHAIN", "gcc");
    try (CacheManager cache = manager("cache")) {
      assertThatThrownBy(() -> cache.getOrCompile(VADD, GFX942))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "there is no toolchain 'gcc' for amd here; KCACHE_TOOLCHAIN and --toolchain take"
                  + " hipcc, amdclang, llvm; others come with an artifact kcache-NAME on the class path");
    }
  }

  private static Path unpacked(String name) throws IOException {
    try (Stream<Path> files = Files.walk(home.resolve("toolchains"))) {
      return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
    }
  }

  private CacheManager manager(String directory) {
    return CacheManager.builder()
        .environment(environment)
        .directory(temp.resolve(directory))
        .build();
  }

  private static KernelSource source(String text) {
    return KernelSource.of("kernel.hip", text);
  }
}
