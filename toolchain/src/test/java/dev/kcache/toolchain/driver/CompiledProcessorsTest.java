// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.CompiledProcessors;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.standin.FakeHipcc;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TestJob;
import dev.kcache.toolchain.standin.TickingClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a toolchain says that it compiles for, and how long it remembers that. */
class CompiledProcessorsTest {
  private static final String KERNEL =
      """
      #include <hip/hip_runtime.h>
      extern "C" __global__ void f(float* x) {
        x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
      }
      """;

  /** One for all tests with the real hipcc, so that it is asked once. */
  @TempDir static Path memo;

  @TempDir Path directory;
  private final TickingClock clock = new TickingClock();
  private FakeHipcc fake;
  private DriverToolchain real;

  @BeforeEach
  void make() throws IOException {
    fake = new FakeHipcc(directory.resolve("rocm"));
    fake.compilesWith(
        "for a; do case $a in *=gfx90a) ;; --offload-arch=*) rc=1; echo \"clang: error: invalid"
            + " target ID '${a#*=}'\" >&2;; esac; done; exit ${rc:-0}");
    Path header = fake.root.resolve("include/c++/12/hip/hip_runtime.h");
    Files.createDirectories(header.getParent());
    Files.writeString(header, "");
    real = TestToolchains.find(Platform.AMD, System.getenv(), () -> directory, Optional.of(memo));
  }

  @AfterEach
  void close() {
    real.close();
  }

  /** Among them old, new, generic ones, and those that a header or a missing library rules out. */
  @ParameterizedTest
  @EnumSource(names = {"GFX602", "GFX803", "GFX90A", "GFX1100", "GFX1250", "GFX11_GENERIC"})
  void processors_agreeWithACompile(Processor processor) throws Exception {
    boolean compiles = compiles(processor);
    Path own = Files.createDirectory(directory.resolve("own memo"));
    try (DriverToolchain asked =
        TestToolchains.find(Platform.AMD, System.getenv(), () -> directory, Optional.of(own))) {
      assertThat(asked.compilesFor(processor)).isEqualTo(compiles);
      assertThat(asked.isKnownToLack(processor)).isNotEqualTo(compiles);
    }
    assertThat(real.processors().contains(processor)).isEqualTo(compiles);
  }

  @Test
  void processors_knownToALaterToolchain_startNoProcess() throws IOException {
    try (DriverToolchain first = find()) {
      assertThat(first.processors()).containsExactly(Processor.GFX90A);
    }
    List<String> runs = fake.runs();

    try (DriverToolchain later = find()) {
      assertThat(later.processors()).containsExactly(Processor.GFX90A);
    }
    assertThat(fake.runs()).isEqualTo(runs);
  }

  @ParameterizedTest
  @EnumSource(names = {"GFX90A", "GFX1100"})
  void compilesFor_knownToALaterToolchain_startsNoProcess(Processor processor) throws IOException {
    boolean compiles = processor == Processor.GFX90A;
    try (DriverToolchain first = find()) {
      assertThat(first.isKnownToLack(processor)).isFalse();
      assertThat(first.compilesFor(processor)).isEqualTo(compiles);
    }
    List<String> runs = fake.runs();

    try (DriverToolchain later = find()) {
      assertThat(later.isKnownToLack(processor)).isNotEqualTo(compiles);
      assertThat(later.compilesFor(processor)).isEqualTo(compiles);
    }
    assertThat(fake.runs()).isEqualTo(runs);
  }

  @Test
  void compilesFor_compilerThatTakesNoProcessor_isNoAnswer() throws IOException {
    Script.write(
        fake.root.resolve("bin/hipcc"),
        """
        case "$*" in *--version*) echo 'HIP version: 6.1.40091-0'; exit;; esac
        for a; do
          case $a in --offload-arch=*) echo "clang: error: invalid target ID '${a#*=}'" >&2;; esac
        done
        exit 1
        """);
    try (DriverToolchain toolchain = find()) {
      assertThatThrownBy(() -> toolchain.compilesFor(Processor.GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("it compiles for none of the processors that are known here");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "llvm/clang",
        "bin/hipcc",
        "bin/hipvars.pm",
        "bin/.hipVersion",
        "bitcode/oclc_isa_version_942.bc",
        "include/c++/12/hip/hip_runtime.h"
      })
  void processors_fileChangesOrComes_areAskedAgain(String name) throws IOException {
    checkAskedAgain(name, DriverToolchain::processors);
  }

  @ParameterizedTest
  @ValueSource(strings = {"llvm/clang", "bin/hipvars.pm", "bitcode/oclc_isa_version_942.bc"})
  void compilesFor_fileChangesOrComes_isAskedAgain(String name) throws IOException {
    checkAskedAgain(name, toolchain -> toolchain.compilesFor(Processor.GFX942));
  }

  private void checkAskedAgain(String name, Function<DriverToolchain, ?> question)
      throws IOException {
    Path file = fake.root.resolve(name);
    try (DriverToolchain toolchain = find()) {
      Object answer = question.apply(toolchain);
      long questions = questions();

      Files.writeString(file, Files.exists(file) ? Files.readString(file) + "\n" : "");
      clock.pass(Duration.ofSeconds(3));

      assertThat(question.apply(toolchain)).isEqualTo(answer);
      assertThat(questions()).isGreaterThan(questions);
    }
  }

  @Test
  void isAnswer_somethingElse_isNone() {
    assertThat(
            Stream.<List<List<String>>>of(
                List.of(),
                List.of(List.of()),
                List.of(List.of("gfx90a"), List.of()),
                List.of(List.of("gfx90a", "gfx90b"))))
        .noneMatch(
            lines ->
                CompiledProcessors.isAnswer(Platform.AMD, new ProbeResult(lines, Map.of(), true)));
  }

  @Test
  void lines_comeBack() {
    CompiledProcessors some =
        new CompiledProcessors(Set.of(Processor.GFX942, Processor.GFX9_GENERIC, Processor.GFX803));

    assertThat(CompiledProcessors.ofLines(Platform.AMD, some.toLines())).isEqualTo(some);
    assertThat(
            CompiledProcessors.isAnswer(
                Platform.AMD, new ProbeResult(some.toLines(), Map.of(), true)))
        .isTrue();
    assertThat(some.toLines()).containsExactly(List.of("gfx9-generic", "gfx803", "gfx942"));
  }

  /** Returns how often the fake was asked for processors, not for its version or its commands. */
  private long questions() throws IOException {
    return fake.runs().stream().filter("--genco -O3"::equals).count();
  }

  private DriverToolchain find() {
    return TestToolchains.find(
        Platform.AMD,
        fake.environment(Map.of()),
        () -> directory,
        Optional.of(directory.resolve("memo of the fake")),
        clock);
  }

  private boolean compiles(Processor processor) throws InterruptedException {
    Toolchain.Job job = TestJob.of("f.hip", KERNEL).target(TargetId.of(processor)).job();
    try {
      return real.compile(job).codeObject().target().processor() == processor;
    } catch (CompilationException e) {
      return false;
    }
  }
}
