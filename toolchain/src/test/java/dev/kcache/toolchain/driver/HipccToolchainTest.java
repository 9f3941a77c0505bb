// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static dev.kcache.toolchain.standin.TestJob.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.compile.TestQuery;
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

/** The toolchain with the machine's real hipcc. */
class HipccToolchainTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
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

  /** One for all tests: the compiler's libraries are hundreds of megabytes to read. */
  @TempDir static Path memo;

  @TempDir Path directory;
  private Path stagings;
  private DriverToolchain toolchain;

  @BeforeEach
  void find() throws IOException {
    stagings = Files.createDirectory(directory.resolve("staging parent"));
    toolchain = find(System.getenv());
  }

  @AfterEach
  void close() throws IOException {
    toolchain.close();
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).as("nothing is left behind").isEmpty();
    }
  }

  @Test
  void compile_source_givesElfAndDependencies() throws Exception {
    Toolchain.Output output = toolchain.compile(job("vadd.hip", VADD, "-O3", "-std=c++17"));

    assertThat(output.log()).isEmpty();
    assertThat(bytes(output)).startsWith(0x7f, 'E', 'L', 'F');
    assertThat(output.command())
        .startsWith(toolchain.program().toString(), "--genco", "--offload-arch=gfx90a")
        .containsSubsequence("-O3", "-std=c++17", "-Werror=date-time", "-Iinc0");
    assertThat(output.dependencies())
        .extracting(Toolchain.File::path)
        .allMatch(path -> path.startsWith("/") && !path.contains(".."))
        .anyMatch(path -> path.endsWith("/hip/hip_runtime.h"))
        .anyMatch(path -> path.endsWith("/cmath"))
        .noneMatch(path -> path.endsWith("scale.h"));
  }

  @Test
  void compile_nameThatAShellWouldRun_isOnlyAName() throws Exception {
    String name = "a b$(touch pwned)'\".hip";
    Toolchain.Job job =
        TestJob.of(name, name, "__global__ void f() {}\n")
            .options("-DX=\"$(touch pwned) b\"")
            .job();

    assertThat(bytes(toolchain.compile(job))).startsWith(0x7f, 'E', 'L', 'F');
  }

  @Test
  void compile_stagingThatTakesNoMoreFiles_failsAndLeavesNothing() throws Exception {
    // A path of which just the beginning of a staging directory fits into the system's limit.
    Path full = directory.toRealPath();
    while (full.toString().length() < 3800) {
      full = full.resolve("d".repeat(200));
    }
    full = Files.createDirectories(full.resolve("d".repeat(4059 - full.toString().length())));
    Path staging = full;
    String header = "inc0/" + "h".repeat(80);
    Toolchain.Job job =
        TestJob.of("src/f.hip", "f.hip", "__global__ void f() {}\n").file(header, "").job();
    // What is asked of the compiler is known then.
    toolchain.identity(GFX90A, Options.DEFAULT);
    try (DriverToolchain crowded =
        TestToolchains.find(Platform.AMD, System.getenv(), () -> staging, Optional.of(memo))) {
      assertThatThrownBy(() -> crowded.compile(job))
          .isInstanceOf(CompilationException.class)
          .hasMessageStartingWith("f.hip: its files could not be written")
          .hasMessageEndingWith("make room in the temporary directory");
    }
    assertThat(staging).isEmptyDirectory();
  }

  @Test
  void compile_pathThatLeavesTheStaging_isRefused() {
    Toolchain.Job job = TestJob.of("x.hip", "").file("src/../../tmp/y.h", "").job();

    assertThatThrownBy(() -> toolchain.compile(job))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a path inside a directory: 'src/../../tmp/y.h'");
  }

  @Test
  void compile_hipccThatBundles_isUnpacked() throws Exception {
    try (DriverToolchain bundling = find(wrapped("--no-gpu-bundle-output", ""))) {
      Toolchain.Output output = bundling.compile(job("vadd.hip", VADD));

      assertThat(output.codeObject().target()).isEqualTo(GFX90A);
      assertThat(bytes(output)).startsWith(0x7f, 'E', 'L', 'F');
    }
  }

  @Test
  void compile_hipccThatMakesAnotherTarget_isRefused() throws Exception {
    String asked = "--offload-arch=gfx90a";
    try (DriverToolchain wrong = find(wrapped(asked, "set -- \"$@\" " + asked + ":xnack+"))) {
      assertThatThrownBy(() -> wrong.compile(job("vadd.hip", VADD)))
          .isInstanceOf(CompilationException.class)
          .hasMessageStartingWith(
              "vadd.hip: the compiler made a code object for gfx90a:xnack+, not for gfx90a;");
    }
  }

  @Test
  void libraries_programOfTheSystem_haveItsCLibrary() {
    Environment variables = new Environment(System.getenv());
    DialectFacts facts = DriverFacts.ofHipcc(toolchain.program(), variables);
    try (TestQuery query = new TestQuery(facts, stagings)) {
      assertThat(query.query().libraries(Path.of("/bin/sh"), variables.searchPath()))
          .anyMatch(file -> file.getFileName().toString().startsWith("libc.so"));
    }
  }

  @Test
  void identity_optionThatTheCompilerRejects_isItsErrorLine() {
    assertThatThrownBy(() -> toolchain.identity(GFX90A, Options.of("-fno-such-option")))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("error: unknown argument: '-fno-such-option'");
  }

  @Test
  void identity_macrosAndWarnings_doNotMatter() {
    Digest plain = toolchain.identity(GFX90A, Options.of("-O3"));

    assertThat(toolchain.identity(GFX90A, Options.of("-O3", "-DN=1", "-Wall", "-UM")))
        .isEqualTo(plain);
    assertThat(toolchain.identity(GFX90A, Options.of("-O2"))).isNotEqualTo(plain);
    assertThat(toolchain.identity(TargetId.parse("gfx908"), Options.of("-O3"))).isNotEqualTo(plain);
  }

  @Test
  void identityFiles_areThoseOfTheIdentityWithTheirDigests() throws IOException {
    List<Toolchain.File> files = toolchain.identityFiles(GFX90A, Options.DEFAULT);

    assertThat(files)
        .extracting(Toolchain.File::path)
        .anyMatch(path -> path.contains("clang"))
        .anyMatch(path -> path.endsWith(".bc"))
        .hasSizeLessThan(500);
    for (Toolchain.File file : files) {
      assertThat(file.digest()).isEqualTo(Digest.of(Files.readAllBytes(Path.of(file.path()))));
    }
  }

  @Test
  void label_contradictedByVariable_namesBoth() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("ROCM_VERSION", "1.9.3");
    try (DriverToolchain contradicted = find(environment)) {
      assertThatThrownBy(contradicted::label)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching("ROCM_VERSION=1\\.9\\.3 contradicts /\\S*hipcc, which is HIP \\d.*");
    }
  }

  private DriverToolchain find(Map<String, String> environment) {
    return TestToolchains.find(Platform.AMD, environment, () -> stagings, Optional.of(memo));
  }

  /** Returns an environment with a hipcc before the real one that replaces one argument. */
  private Map<String, String> wrapped(String argument, String replacement) throws IOException {
    Path wrapper =
        Script.write(
            directory.resolve("wrapper/hipcc"),
            "for a; do shift; case $a in "
                + argument
                + ") "
                + replacement
                + ";; *) set -- \"$@\" \"$a\";; esac; done\nexec "
                + toolchain.program()
                + " \"$@\"");
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_HIPCC", wrapper.toString());
    return environment;
  }

  private static Toolchain.Job job(String name, String text, String... options) {
    return TestJob.of(name, text)
        .header("inc0/scale.h", "#define SCALE 2.0f\n")
        .options(options)
        .job();
  }
}
