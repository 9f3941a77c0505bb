// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import static dev.kcache.toolchain.standin.TestJob.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.DriverToolchain;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TestJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real hipcc of this machine, on an executor that runs commands here. */
class RemoteToolchainTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final List<String> OPTIONS = List.of("-O3", "-std=c++17");
  private static final String SCALED =
      """
      #include <hip/hip_runtime.h>
      #include <cmath>
      #include "scale.h"
      extern "C" __global__ void scale(const float* a, float* c, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) c[i] = std::fabs(a[i]) * SCALE;
      }
      """;

  /** One for all tests: the compiler's libraries are hundreds of megabytes to read. */
  @TempDir static Path answers;

  @TempDir static Path localAnswers;

  @TempDir Path directory;
  private DirectoryExecutor executor;
  private RemoteToolchain toolchain;
  private DriverToolchain local;

  @BeforeEach
  void open() throws IOException {
    executor = executor(DirectoryExecutor.IMAGE);
    toolchain = RemoteToolchain.of(executor, context(Optional.of(answers)));
    local = DriverToolchain.find(Platform.AMD, context(Optional.of(localAnswers)));
  }

  @AfterEach
  void close() {
    toolchain.close();
    local.close();
  }

  private DirectoryExecutor executor(CommandExecutor.Platform platform) throws IOException {
    return new DirectoryExecutor(Files.createTempDirectory(directory, "worker"), platform);
  }

  private ToolchainContext context(Optional<Path> remembered) {
    return context(remembered, System.getenv());
  }

  private ToolchainContext context(Optional<Path> remembered, Map<String, String> environment) {
    return new ToolchainContext(
        environment, () -> directory, Optional::empty, remembered, false, Duration.ofMinutes(10));
  }

  private static Toolchain.Job job(String... options) {
    return TestJob.of("scale.hip", SCALED)
        .header("inc0/scale.h", "#define SCALE 2\n")
        .options(options)
        .job();
  }

  @Test
  void identity_isThatOfTheSameCompilerHere() {
    Map<TargetId, List<String>> asked =
        Map.of(GFX90A, OPTIONS, TargetId.parse("gfx1030"), List.of("-O2", "-ffast-math", "-DX=1"));
    asked.forEach(
        (target, options) -> {
          assertThat(toolchain.identity(target, options))
              .isEqualTo(local.identity(target, options));
          assertThat(toolchain.identityFiles(target, options))
              .isEqualTo(local.identityFiles(target, options));
        });
    assertThat(toolchain.label()).isEqualTo(local.label());
  }

  @Test
  void processors_areThoseOfTheSameCompilerHere() {
    Processor lacking =
        Stream.of(Processor.GFX1201, Processor.GFX1251)
            .filter(each -> !local.compilesFor(each))
            .findFirst()
            .orElseThrow();

    assertThat(toolchain.compilesFor(Processor.GFX90A)).isTrue();
    assertThat(toolchain.compilesFor(lacking)).isFalse();
    assertThat(toolchain.isKnownToLack(lacking)).isTrue();
    assertThat(toolchain.isKnownToLack(Processor.GFX90A)).isFalse();
  }

  @Test
  void compile_givesWhatTheSameCompilerHereGives() throws Exception {
    Toolchain.Output output = toolchain.compile(job("-O3", "-std=c++17"));
    Toolchain.Output expected = local.compile(job("-O3", "-std=c++17"));

    assertThat(bytes(output)).isEqualTo(bytes(expected));
    assertThat(output.command()).isEqualTo(expected.command());
    assertThat(output.dependencies()).isEqualTo(expected.dependencies());
    assertThat(toolchain.hasUnchanged(output.dependencies())).isTrue();
    Toolchain.File changed =
        new Toolchain.File(output.dependencies().get(0).path(), Digest.of(new byte[0]));
    assertThat(toolchain.hasUnchanged(List.of(changed))).isFalse();
  }

  @Test
  void commands_nameNothingOfThisMachine() throws Exception {
    Toolchain.Output unused = toolchain.compile(job("-O3"));

    CommandExecutor.Command last =
        executor.commands.stream()
            .filter(command -> command.outputs().contains("out.co"))
            .findFirst()
            .orElseThrow();
    assertThat(last.arguments()).noneMatch(word -> word.contains(directory.toString()));
    assertThat(last.environment()).containsOnlyKeys("HIP_PLATFORM", "PATH");
    assertThat(last.files())
        .extracting(Toolchain.SourceFile::path)
        .containsExactly("work/src/main.hip", "work/inc0/scale.h");
    assertThat(last.limit()).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void laterProcess_asksNothing() throws Exception {
    Toolchain.Output output = toolchain.compile(job("-O3"));
    Digest list = Digest.of(new byte[] {1});
    toolchain.rememberUnchanged(list, output.dependencies());
    Digest identity = toolchain.identity(GFX90A, OPTIONS);
    executor.failure = "there is nobody";

    try (RemoteToolchain later = RemoteToolchain.of(executor, context(Optional.of(answers)))) {
      assertThat(later.identity(GFX90A, OPTIONS)).isEqualTo(identity);
      assertThat(later.label()).isEqualTo(local.label());
      assertThat(later.isStillUnchanged(list)).isTrue();
      assertThat(later.isStillUnchanged(identity)).isFalse();
      String version = local.describe().substring(local.describe().indexOf(", "));
      assertThat(later.describe()).endsWith(" of directories" + version);
    }
  }

  @Test
  void platformWithoutADigest_isAskedByEachProcess() throws Exception {
    Path memo = Files.createDirectory(directory.resolve("memo"));
    DirectoryExecutor tagged = executor(new CommandExecutor.Platform(Map.of("pool", "rocm")));
    for (int process = 1; process <= 2; process++) {
      try (RemoteToolchain each = RemoteToolchain.of(tagged, context(Optional.of(memo)))) {
        assertThat(each.label()).isEqualTo(local.label());
        assertThat(each.label()).isEqualTo(local.label());
      }
      assertThat(tagged.commands).hasSize(process).noneMatch(CommandExecutor.Command::remembered);
    }
  }

  @Test
  void error_namesTheUsersFiles() {
    Toolchain.Job job =
        TestJob.of("my.hip", "#include \"wrong.h\"\n")
            .header("inc0/wrong.h", "users/wrong.h", "int f() { return undeclared; }\n")
            .job();

    assertThatThrownBy(() -> toolchain.compile(job))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("users/wrong.h:1:18")
        .hasMessageContaining("undeclared");
  }

  @Test
  void headerThatIsNotDeclared_isRefused() throws IOException {
    Path header = Files.writeString(directory.resolve("outside.h"), "#define X 1\n");
    Toolchain.Job job = TestJob.of("my.hip", "#include \"" + header + "\"\n").job();

    assertThatThrownBy(() -> toolchain.compile(job))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining(
            "my.hip:1: the compile read " + header + ", which is neither declared");
  }

  @Test
  void imageWithoutACompiler_isOneLine() throws IOException {
    DirectoryExecutor bare = executor(DirectoryExecutor.IMAGE);
    Path programs = Files.createDirectory(directory.resolve("bin"));
    for (String name : List.of("mkdir", "readlink", "head", "tr", "grep", "cp")) {
      Files.createSymbolicLink(programs.resolve(name), Path.of("/usr/bin", name));
    }
    bare.environment.put("PATH", programs.toString());
    try (RemoteToolchain none = RemoteToolchain.of(bare, context(Optional.empty()))) {
      assertThatThrownBy(none::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage("directories has no hipcc in its PATH or in /opt/rocm*/bin; repair them");
    }
  }

  @Test
  void scriptInThePlaceOfHipcc_sharesItsResultsOnlyWithinThePlatform() throws Exception {
    Path script =
        Script.write(directory.resolve("bin/hipcc"), "exec " + local.program() + " \"$@\"");
    DirectoryExecutor wrapped = executor(DirectoryExecutor.IMAGE);
    wrapped.environment.put("PATH", script.getParent() + ":/usr/bin:/bin");
    DirectoryExecutor other =
        executor(new CommandExecutor.Platform(Map.of("container-image", "x@sha256:4567")));
    other.environment.putAll(wrapped.environment);
    try (RemoteToolchain one = RemoteToolchain.of(wrapped, context(Optional.empty()));
        RemoteToolchain two = RemoteToolchain.of(other, context(Optional.empty()))) {
      assertThat(one.identity(GFX90A, OPTIONS))
          .isNotEqualTo(local.identity(GFX90A, OPTIONS))
          .isNotEqualTo(two.identity(GFX90A, OPTIONS));
    }
  }

  @Test
  void executorThatIsGone_isReplacedByTheSameCompilerHere() throws Exception {
    Digest unused = toolchain.identity(GFX90A, job("-O3").options());
    executor.failure = "connection refused";

    assertThat(bytes(toolchain.compile(job("-O3")))).isEqualTo(bytes(local.compile(job("-O3"))));
  }

  @Test
  void executorThatIsGone_isNotReplacedByAnotherCompiler() throws Exception {
    Digest unused = toolchain.identity(GFX90A, job("-O3").options());
    executor.failure = "connection refused";
    Path script =
        Script.write(directory.resolve("bin/hipcc"), "exec " + local.program() + " \"$@\"");
    try (RemoteToolchain elsewhere =
        RemoteToolchain.of(
            executor,
            context(Optional.of(answers), Map.of("KCACHE_COMPILER", script.toString())))) {
      assertThatThrownBy(() -> elsewhere.compile(job("-O3")))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage("directories compiles nothing: connection refused");
    }
  }
}
