// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.TestQuery;
import dev.kcache.toolchain.probe.HipVersion;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What hipcc prints, from ROCm 4.0 to TheRock's nightlies. */
class HipVersionTest {
  private static final String NVCC =
      """
      HIP version: 5.2.21153-0
      nvcc: NVIDIA (R) Cuda compiler driver
      Copyright (c) 2005-2025 NVIDIA Corporation
      Built on Wed_Aug_20_01:58:59_PM_PDT_2025
      Cuda compilation tools, release 13.0, V13.0.88
      Build cuda_13.0.r13.0/compiler.36424714_0
      """;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4.0.20496-4f163c68   | 4.0  | clang version 12.0.0",
        "5.2.21151-afdc89f8   | 5.2  | AMD clang version 14.0.0"
            + " (https://github.com/RadeonOpenCompute/llvm-project roc-5.2.0 22204)",
        "5.2.21153-0          | 5.2  | Debian clang version 15.0.6",
        "6.2.41512-db3292736  | 6.2  | clang version 19.0.0git",
        "6.4.43484-9999       | 6.4  | Debian clang version 21.1.8",
        "7.2.53211-e1a6bc5663 | 7.2  | AMD clang version 22.0.0git",
        "7.2.26015-fc0010cf6a | 7.2  | AMD clang version 22.0.0git",
        "7.13.26176-79e85e1468 | 7.13 | AMD clang version 23.0.0git",
        "7.14.60850-0000000   | 7.14 | AMD clang version 23.0.0git",
        "7.15.26333-0000000   | 7.15 | AMD clang version 23.0.0git",
        "5.7.31921            | 5.7  | without the commit",
        "10.0.1-1             | 10.0 | of years to come",
      })
  void parse_everyRelease_isItsVersionAndLabel(String version, String label, String clang) {
    String text = "HIP version: " + version + "\n" + clang + "\nTarget: x86_64-unknown-linux-gnu\n";

    assertThat(HipVersion.parse(printed(text, "")))
        .contains(new CompilerVersion("HIP", version, text, new ToolchainLabel(label)));
  }

  @Test
  void parse_linesOfWindows_endBeforeTheCarriageReturn() {
    String text =
        "HIP version: 6.2.41512-db3292736\r\nclang version 19.0.0git\r\nTarget:"
            + " x86_64-pc-windows-msvc\r\nInstalledDir: C:\\Program Files\\AMD\\ROCm\\6.2\\bin\r\n";
    assertThat(version(text, "")).contains("6.2.41512-db3292736");
  }

  @Test
  void parse_hipconfigsSpaces_areTheSame() {
    assertThat(version("HIP version  : 5.2.21153-0\n\n== hipconfig\n", "")).contains("5.2.21153-0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "perl: warning: Setting locale failed.\nperl: warning: Falling back to the standard locale"
            + " (\"C\").\n",
        "Use of uninitialized value $HIP_RUNTIME in string eq at /opt/rocm/bin/hipcc line 112.\n",
        "CMake Warning at CMakeLists.txt:3 (message):\n  HIP version: unknown\n\n",
        "cat: /proc/driver/nvidia/version: No such file or directory\n",
      })
  void parse_warningsBefore_arePassedOver(String warning) {
    assertThat(version(warning + "HIP version: 5.2.21153-0\n", "")).contains("5.2.21153-0");
    assertThat(version("HIP version: 5.2.21153-0\n", warning)).contains("5.2.21153-0");
    assertThat(version("", warning + "HIP version: 5.2.21153-0\n")).contains("5.2.21153-0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "clang version 12.0.0 (https://github.com/RadeonOpenCompute/llvm-project roc-4.2.0 21161)",
        "clang version 13.0.0 (https://github.com/RadeonOpenCompute/llvm-project roc-4.3.0)",
        "AMD clang version 13.0.0 (https://github.com/RadeonOpenCompute/llvm-project roc-4.5.0)",
        "HIP version: 3.5.20214-a2917cd",
        "HIP version: 5.2",
        "HIP version: .21153-0",
        "HIP version: 5.02.21153-0",
      })
  void version_noneOfFourOrLater_isAClearError(String text) throws IOException {
    assertThatThrownBy(() -> ask(text))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining("'--version' printed no HIP version of 4.0 or later")
        .hasMessageContaining("or set KCACHE_COMPILER to another")
        .hasMessageContaining(text);
  }

  /**
   * hipcc prints HIP's version by itself before it runs clang, so that this is no hipcc's answer;
   * and the branch that a clang was built from is not the version of the HIP around it.
   */
  @Test
  void version_whatClangAloneSays_isAClearError() throws IOException {
    String clang =
        "AMD clang version 20.0.0git (https://github.com/RadeonOpenCompute/llvm-project roc-7.1.0"
            + " 25425)";
    String text =
        clang
            + "\nTarget: x86_64-unknown-linux-gnu\nThread model: posix\n"
            + "InstalledDir: /opt/rocm-7.1.0/lib/llvm/bin\n"
            + "Configuration file: /opt/rocm-7.1.0/lib/llvm/bin/clang++.cfg";

    assertThatThrownBy(() -> ask(text))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining("hipcc: '--version' printed no HIP version of 4.0 or later: " + clang)
        .hasMessageEndingWith(
            "; repair it, check ROCM_PATH and HIP_PATH, or set KCACHE_COMPILER to another");
  }

  @Test
  void version_wrapperThatPicksNvcc_isAClearError() throws IOException {
    assertThatThrownBy(() -> ask(NVCC))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining("it drives nvcc although HIP_PLATFORM=amd is set for it")
        .hasMessageContaining("set KCACHE_COMPILER");
  }

  @Test
  void ofLines_answerOfAnotherKind_isNoVersion() {
    CompilerVersion version = HipVersion.parse(printed("HIP version: 5.2.21153-0", "")).get();
    assertThat(CompilerVersion.ofLines(version.toLines())).contains(version);
    assertThat(CompilerVersion.ofLines(List.of())).isEmpty();
    assertThat(CompilerVersion.ofLines(List.of(List.of("6.4.43484-9999", "text")))).isEmpty();
    assertThat(CompilerVersion.ofLines(List.of(List.of("HIP", "6.4", "text", "no label"))))
        .isEmpty();
  }

  private CompilerVersion ask(String text) throws IOException {
    Path hipcc = Script.write(directory.resolve("hipcc"), "cat <<'E'\n" + text + "\nE");
    DialectFacts facts = DriverFacts.ofHipcc(hipcc, new Environment(Map.of()));
    try (TestQuery query = new TestQuery(facts, directory)) {
      return new HipccDialect(facts).version(query.query());
    }
  }

  private static Optional<String> version(String output, String errors) {
    return HipVersion.parse(printed(output, errors)).map(CompilerVersion::version);
  }

  private static ProgramResult printed(String output, String errors) {
    return new ProgramResult(
        ProgramResult.End.EXITED, 0, output, errors, Duration.ZERO, Optional.empty());
  }
}
