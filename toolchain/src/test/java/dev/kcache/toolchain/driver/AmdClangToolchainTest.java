// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.Newest;
import dev.kcache.toolchain.DialectFacts;
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
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The clang++ of the machine's own ROCm in place of its hipcc. */
class AmdClangToolchainTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");

  private static final String KERNEL =
      """
      #include <hip/hip_runtime.h>
      #include <cmath>
      __device__ __noinline__ float half(float x) { return x / 2; }
      extern "C" __global__ void f(float* x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = half(expf(x[i])) + std::sqrt(x[i]);
      }
      """;

  /** One for all tests, so that the compiler's libraries are read once. */
  @TempDir static Path memo;

  @TempDir Path directory;
  private Path stagings;
  private Path clang;
  private Path bitcode;

  @BeforeEach
  void find() throws IOException {
    stagings = Files.createDirectory(directory.resolve("staging"));
    try (DriverToolchain hipcc = find(System.getenv())) {
      List<Toolchain.File> files = hipcc.identityFiles(GFX90A, Options.DEFAULT);
      clang = only(files, "bin/clang").resolveSibling("clang++");
      bitcode = only(files, "ocml.bc").getParent();
    }
  }

  private static Path only(List<Toolchain.File> files, String end) {
    return files.stream()
        .map(file -> Path.of(file.path()))
        .filter(file -> file.endsWith(end))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a, -O3 -std=c++17",
    "gfx90a:xnack+, -O3 -std=c++17 -ffast-math",
    "gfx1030, -O0 -std=c++17",
    "gfx1030, -Os -std=c++20"
  })
  void compile_anyOptions_isWhatHipccMakes(String target, String options) throws Exception {
    Toolchain.Job job = job(TargetId.parse(target), List.of(options.split(" ")));
    try (DriverToolchain hipcc = find(System.getenv());
        DriverToolchain amdclang = find(with("KCACHE_COMPILER", clang))) {
      assertThat(amdclang.identity(job.target(), job.options()))
          .isEqualTo(hipcc.identity(job.target(), job.options()));
      assertThat(amdclang.label()).isEqualTo(hipcc.label());

      Toolchain.Output output = amdclang.compile(job);

      assertThat(output.codeObject().digest()).isEqualTo(hipcc.compile(job).codeObject().digest());
      assertThat(output.command().get(0)).isEqualTo(clang.toString());
      assertThat(output.log()).isEmpty();
    }
  }

  /** It names headers as its compiler found them, which may be by another way than hipcc's. */
  @Test
  void compile_debugInformation_isTheSameWhereTheIdentityIs() throws Exception {
    Toolchain.Job job = job(GFX90A, Options.of("-g"));
    try (DriverToolchain hipcc = find(System.getenv());
        DriverToolchain amdclang = find(with("KCACHE_COMPILER", clang))) {
      boolean sameIdentity =
          amdclang
              .identity(job.target(), job.options())
              .equals(hipcc.identity(job.target(), job.options()));

      boolean sameBytes =
          amdclang
              .compile(job)
              .codeObject()
              .digest()
              .equals(hipcc.compile(job).codeObject().digest());

      assertThat(sameIdentity).isEqualTo(sameBytes);
    }
  }

  @Test
  void processors_areHipccs() {
    try (DriverToolchain hipcc = find(System.getenv());
        DriverToolchain amdclang = find(with("KCACHE_COMPILER", clang))) {
      for (Processor each :
          List.of(Processor.GFX600, Processor.GFX90A, Processor.GFX1250, Processor.GFX9_GENERIC)) {
        assertThat(amdclang.compilesFor(each)).as("%s", each).isEqualTo(hipcc.compilesFor(each));
      }
    }
  }

  @Test
  void find_hipccRemovedFromItsRocm_isTheSameToolchain() throws IOException {
    Path programs = programsButHipccs();
    Path hipcc = Files.createSymbolicLink(programs.resolve("hipcc"), hipcc());
    Files.createSymbolicLink(programs.resolve("amdclang++"), clang);
    Map<String, String> environment = with("PATH", programs);
    Digest before;
    ToolchainLabel label;
    try (DriverToolchain found = find(environment)) {
      assertThat(found.program()).isEqualTo(hipcc);
      before = found.identity(GFX90A, Options.DEFAULT);
      label = found.label();
    }

    Files.delete(hipcc);

    try (DriverToolchain found = find(environment)) {
      assertThat(found.program()).isEqualTo(programs.resolve("amdclang++"));
      assertThat(found.describe()).startsWith(programs + "/amdclang++, HIP ");
      assertThat(found.label()).isEqualTo(label);
      assertThat(found.identity(GFX90A, Options.DEFAULT)).isEqualTo(before);
    }
  }

  /** HIP's headers before 7 take the width of a wave from a macro that clang 22 does not define. */
  @ParameterizedTest
  @CsvSource({
    "22, 6, 4, gfx90a, -D__AMDGCN_WAVEFRONT_SIZE=64",
    "22, 6, 4, gfx9-4-generic, -D__AMDGCN_WAVEFRONT_SIZE=64",
    "23, 5, 7, gfx1030, -D__AMDGCN_WAVEFRONT_SIZE=32",
    "22, 6, 4, gfx12-generic, -D__AMDGCN_WAVEFRONT_SIZE=32",
    "21, 6, 4, gfx90a,",
    "22, 7, 0, gfx90a,"
  })
  void command_olderHipThanClang_hasTheWidthOfAWave(
      String clang, String major, String minor, String target, String macro) throws IOException {
    Path root = directory.resolve("rocm");
    Files.createDirectories(root.resolve("lib/llvm/lib/clang/" + clang + "/include"));
    Path program = Script.write(root.resolve("lib/llvm/bin/clang++"), "exit 1");
    write(
        root,
        "include/hip/hip_version.h",
        "#define HIP_VERSION_MAJOR %s\n#define HIP_VERSION_MINOR %s\n".formatted(major, minor));
    DialectFacts facts = DriverFacts.ofClang(program, new Environment(Map.of()));

    assertThat(new AmdClangDialect(facts).command(job(TargetId.parse(target), Options.DEFAULT)))
        .filteredOn(word -> word.startsWith("-D"))
        .isEqualTo(macro == null ? List.of() : List.of(macro));
  }

  /** In the newer ROCm that is a clang newer than HIP's own. */
  @ParameterizedTest
  @CsvSource({"gfx90a", "gfx1030"})
  void compile_byTheNewestClang_isACodeObject(String target) throws Exception {
    List<Path> newest = Newest.first(Path.of("/usr/lib"), "llvm-*");
    newest.removeIf(llvm -> !Files.exists(llvm.resolve("bin/clang++")));
    newest.removeIf(llvm -> !Files.exists(llvm.resolve("bin/ld.lld")));
    Path newer = newest.get(0).resolve("bin/clang++");

    try (DriverToolchain found = find(with("KCACHE_COMPILER", newer))) {
      Toolchain.Output output = found.compile(job(TargetId.parse(target), Options.DEFAULT));

      assertThat(output.command()).startsWith(newer.toString());
      assertThat(output.codeObject().target()).hasToString(target);
    }
  }

  @Test
  void label_releaseFile_winsOverHipsVersion() throws IOException {
    Path root = root();
    write(root, ".info/version", "10.0.0-31\n");

    try (DriverToolchain found = find(with("KCACHE_COMPILER", root.resolve("bin/amdclang++")))) {
      assertThat(found.label()).hasToString("10.0");
      assertThat(found.describe()).endsWith("/bin/amdclang++, ROCm 10.0.0");
    }
  }

  @Test
  void label_filesOfTwoReleases_saysSo() throws IOException {
    Path root = root();
    write(root, ".info/version", "7.2.0");
    write(
        root,
        "include/rocm-core/rocm_version.h",
        "#define ROCM_VERSION_MAJOR 7\n#define ROCM_VERSION_MINOR   1\n#define ROCM_VERSION_PATCH 1\n");

    try (DriverToolchain found = find(with("KCACHE_COMPILER", root.resolve("bin/amdclang++")))) {
      assertThatThrownBy(found::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "%1$s/.info/version is of ROCm 7.2.0, and %1$s/include/rocm-core/rocm_version.h of"
                  + " ROCm 7.1.1: two releases are mixed in one directory; reinstall one of them",
              root.toRealPath());
    }
  }

  @Test
  void label_clangWithoutHip_saysWhatIsMissing() throws IOException {
    Path lonely = Script.write(directory.resolve("x/clang++"), "echo 'clang version 22.1.0'");

    try (DriverToolchain found = find(with("KCACHE_COMPILER", lonely))) {
      assertThatThrownBy(found::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("it is clang 22.1.0, and no HIP was found for it: there is no")
          .hasMessageEndingWith("or set KCACHE_COMPILER to another");
    }
  }

  @ParameterizedTest
  @CsvSource({"exit 1, '--version' failed", "echo hello, '--version' printed no clang version"})
  void label_programThatIsNoClang_saysSo(String script, String problem) throws IOException {
    Path other = Script.write(directory.resolve("x/clang++"), script);

    try (DriverToolchain found = find(with("KCACHE_COMPILER", other))) {
      assertThatThrownBy(found::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(other + ": " + problem);
    }
  }

  @Test
  void identity_scriptInClangsPlace_isAnother() throws Exception {
    Path root = root();
    Path wrapper = Script.write(directory.resolve("w/clang++"), "exec " + clang + " \"$@\"");
    Map<String, String> environment = with("KCACHE_COMPILER", wrapper);
    environment.put("ROCM_PATH", root.toString());
    Map<String, String> plain = with("KCACHE_COMPILER", clang);
    plain.put("ROCM_PATH", root.toString());

    try (DriverToolchain wrapped = find(environment);
        DriverToolchain real = find(plain)) {
      assertThat(wrapped.identity(GFX90A, Options.DEFAULT))
          .isNotEqualTo(real.identity(GFX90A, Options.DEFAULT));
    }
  }

  /** Returns a ROCm of links to the machine's own. */
  private Path root() throws IOException {
    Path root = Files.createDirectory(directory.resolve("rocm"));
    for (String part : Set.of("bin", "include", "amdgcn")) {
      Files.createDirectory(root.resolve(part));
    }
    Files.createSymbolicLink(root.resolve("bin/amdclang++"), clang);
    Files.createSymbolicLink(root.resolve("include/hip"), hip());
    Files.createSymbolicLink(root.resolve("amdgcn/bitcode"), bitcode);
    return root;
  }

  /** Returns a directory of links to the programs that it takes to run hipcc, without it. */
  private Path programsButHipccs() throws IOException {
    Path programs = Files.createDirectory(directory.resolve("programs"));
    for (String name :
        List.of(
            "env",
            "perl",
            "sh",
            "bash",
            "ldd",
            "timeout",
            "uname",
            "cat",
            "hipcc.pl",
            "hipvars.pm")) {
      Path program = Path.of("/usr/bin", name);
      if (Files.exists(program)) {
        Files.createSymbolicLink(programs.resolve(name), program);
      }
    }
    return programs;
  }

  private Path hipcc() {
    try (DriverToolchain hipcc = find(System.getenv())) {
      return hipcc.program();
    }
  }

  private static Path hip() {
    return Path.of("/usr/include/hip");
  }

  private static void write(Path root, String name, String text) throws IOException {
    Files.createDirectories(root.resolve(name).getParent());
    Files.writeString(root.resolve(name), text);
  }

  private static Map<String, String> with(String variable, Path value) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put(variable, value.toString());
    return environment;
  }

  private DriverToolchain find(Map<String, String> environment) {
    return TestToolchains.find(Platform.AMD, environment, () -> stagings, Optional.of(memo));
  }

  private static Toolchain.Job job(TargetId target, List<String> options) {
    return TestJob.of("f.hip", KERNEL).target(target).options(options).job();
  }
}
