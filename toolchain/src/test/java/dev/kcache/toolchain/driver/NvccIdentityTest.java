// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.CompilerDescription;
import dev.kcache.toolchain.standin.FakeNvcc;
import dev.kcache.toolchain.standin.Options;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TickingClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the identity of an nvcc sees, and what is remembered of it. */
class NvccIdentityTest {
  private static final Duration INTERVAL = Duration.ofSeconds(3);

  @TempDir Path directory;
  private final TickingClock clock = new TickingClock();
  private FakeNvcc fake;
  private Path memo;

  @BeforeEach
  void make() throws IOException {
    fake = new FakeNvcc(directory.resolve("toolkit"));
    memo = directory.resolve("memo");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bin/nvcc",
        "bin/gcc",
        "lib/gcc/cc1plus",
        "lib/libmpfr.so",
        "cuda/bin/nvcc",
        "cuda/bin/nvcc.profile",
        "cuda/bin/ptxas",
        "cuda/nvvm/bin/cicc",
        "cuda/nvvm/libdevice/libdevice.10.bc",
      })
  void identity_fileReplacedUnderTheSameVersion_changes(String name) throws IOException {
    try (DriverToolchain running = find()) {
      Digest before = identity(running);

      Script.replaceKeepingSizeAndTime(fake.root.resolve(name));

      assertThat(identity(running)).as("within the interval").isEqualTo(before);
      clock.pass(INTERVAL);
      assertThat(identity(running)).isNotEqualTo(before);
      try (DriverToolchain later = find()) {
        assertThat(identity(later)).isEqualTo(identity(running)).isNotEqualTo(before);
      }
    }
  }

  @Test
  void identity_ourHeaders_arePartOfIt() {
    CompilerDescription description =
        new CompilerDescription(new PlannedCommands(List.of(), List.of()), List.of());
    List<Toolchain.SourceFile> headers = NvccHeaders.ALL;
    Toolchain.SourceFile first = headers.get(0);

    Digest all = description.identity(file -> Optional.empty(), headers);

    assertThat(description.identity(file -> Optional.empty(), headers.subList(1, headers.size())))
        .isNotEqualTo(all);
    assertThat(
            description.identity(
                file -> Optional.empty(),
                Stream.concat(
                        Stream.of(new Toolchain.SourceFile(first.path(), UTF_8.encode("other"))),
                        headers.stream().skip(1))
                    .toList()))
        .isNotEqualTo(all);
  }

  @Test
  void identity_whatDiffersFromRunToRun_isNotPartOfIt() {
    try (DriverToolchain one = find();
        DriverToolchain other =
            TestToolchains.find(
                Platform.NVIDIA,
                fake.environment(Map.of()),
                () -> fake.root,
                Optional.empty(),
                clock)) {
      assertThat(identity(other)).isEqualTo(identity(one));
    }
  }

  @Test
  void identity_environmentOfTheCaller_neverReachesNvcc() throws IOException {
    Digest plain;
    try (DriverToolchain toolchain = find()) {
      plain = identity(toolchain);
    }
    Map<String, String> noisy =
        Map.of(
            "NVCC_APPEND_FLAGS", "-G",
            "NVCC_PREPEND_FLAGS", "-lineinfo",
            "CPATH", "/tmp",
            "CPLUS_INCLUDE_PATH", "/tmp",
            "TMPDIR", "/nonexistent");
    try (DriverToolchain toolchain =
        TestToolchains.find(
            Platform.NVIDIA, fake.environment(noisy), () -> directory, Optional.empty(), clock)) {
      assertThat(identity(toolchain)).isEqualTo(plain);
      assertThat(fake.variables())
          .noneMatch(line -> line.matches("(NVCC_|CPATH|CPLUS_).*|TMPDIR=/nonexistent"));
    }
  }

  @Test
  void memo_secondProcess_startsNothing() throws IOException {
    Digest first;
    try (DriverToolchain toolchain = find()) {
      first = identity(toolchain);
      assertThat(toolchain.processors())
          .containsExactlyInAnyOrder(Processor.SM_90, Processor.SM_90A, Processor.COMPUTE_90);
    }
    List<String> runs = fake.runs();
    assertThat(runs).contains("--version", "--dryrun", "--help");

    try (DriverToolchain second = find()) {
      assertThat(second.label()).isEqualTo(new ToolchainLabel("cuda13.0"));
      assertThat(second.describe()).isEqualTo(fake.root + "/bin/nvcc, CUDA 13.0.88");
      assertThat(second.processors()).hasSize(3);
      assertThat(identity(second)).isEqualTo(first);
    }
    assertThat(fake.runs()).isEqualTo(runs);
  }

  @Test
  void memo_realNvccBehindTheScriptIsAnotherRelease_asksAgain() throws IOException {
    try (DriverToolchain toolchain = find()) {
      assertThat(toolchain.label()).isEqualTo(new ToolchainLabel("cuda13.0"));
    }
    fake.says("13.1, V13.1.12");

    try (DriverToolchain toolchain = find()) {
      assertThat(toolchain.label()).isEqualTo(new ToolchainLabel("cuda13.1"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lib/c++/13", "cuda/targets/include/nv"})
  void memo_newerLibraryBesideTheOldOne_asksAgain(String name) throws IOException {
    try (DriverToolchain toolchain = find()) {
      identity(toolchain);
    }
    int runs = fake.runs().size();
    Files.createDirectory(fake.root.resolve(name));

    try (DriverToolchain toolchain = find()) {
      identity(toolchain);
    }
    assertThat(fake.runs()).hasSizeGreaterThan(runs);
  }

  @Test
  void compile_headerThatGccNamesByItsRealPath_isTheToolchains() throws Exception {
    Path library = fake.root.resolve("lib/c++/12");
    Path moved = Files.move(library, fake.root.resolve("moved"));
    Files.createSymbolicLink(library, moved);
    try (InputStream cubin = getClass().getResourceAsStream("/nvidia/kernels-sm_90.cubin")) {
      fake.makes(cubin.readAllBytes());
    }
    try (DriverToolchain toolchain = find()) {
      assertThat(toolchain.compile(RealNvcc.job("k.hip", "")).dependencies())
          .extracting(Toolchain.File::path)
          .containsExactly(moved.resolve("cmath").toRealPath().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gcc (Debian 12.2.0-14) 12.2.0", "release 13.0, V13.0.88"})
  void label_notWhatNvccSays_isAClearError(String text) throws IOException {
    Script.write(fake.root.resolve("bin/nvcc"), "echo '" + text + "'");
    try (DriverToolchain toolchain = find()) {
      assertThatThrownBy(toolchain::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith(toolchain.program() + ": '--version' printed no CUDA version")
          .hasMessageContaining(text)
          .hasMessageEndingWith("; repair it, check CUDA_HOME, or set KCACHE_NVCC to another");
    }
  }

  @Test
  void label_nvccFails_saysHow() throws IOException {
    Script.write(fake.root.resolve("bin/nvcc"), "echo 'libstdc++.so.6: not found' >&2; exit 127");
    try (DriverToolchain toolchain = find()) {
      assertThatThrownBy(toolchain::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining("'--version' failed: libstdc++.so.6: not found; repair it");
    }
  }

  private DriverToolchain find() {
    return TestToolchains.find(
        Platform.NVIDIA, fake.environment(Map.of()), () -> directory, Optional.of(memo), clock);
  }

  private static Digest identity(DriverToolchain toolchain) {
    return toolchain.identity(FakeNvcc.TARGET, Options.DEFAULT);
  }
}
