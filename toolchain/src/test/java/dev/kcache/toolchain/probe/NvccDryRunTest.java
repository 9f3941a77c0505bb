// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dry runs of several releases; README.md beside them says where they are from. */
class NvccDryRunTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "13.0,        /usr/local/cuda-13.0/bin, /usr/local/cuda-13.0/bin/../nvvm/libdevice",
    "13.0-clang,  /usr/local/cuda-13.0/bin, /usr/local/cuda-13.0/bin/../nvvm/libdevice",
    "12.0-debian, /usr/lib/nvidia-cuda-toolkit/bin, /usr/lib/nvidia-cuda-toolkit/libdevice",
    "11.8,        /opt/cuda 11.8/bin, /opt/cuda 11.8/bin/../nvvm/libdevice",
  })
  void everyRelease_tellsItsPlaceAndItsLibrary(String release, String home, String library)
      throws IOException {
    NvccDryRun dryRun = read(release);

    assertThat(dryRun.home()).contains(Path.of(home));
    assertThat(dryRun.bitcode()).containsExactly("libdevice", library + "/libdevice.10.bc");
    assertThat(dryRun.commands()).hasSize(3);
    assertThat(dryRun.commands().get(1).get(0)).endsWith("cicc");
    assertThat(dryRun.commands().get(2).get(0)).endsWith("ptxas");
  }

  /** An option may be as long as the system takes. */
  @ParameterizedTest
  @ValueSource(strings = {"-DX=%s", "\"-DX=%s\""})
  void word_mayBeLong(String form) {
    String word = form.formatted("x".repeat(100_000));

    NvccDryRun dryRun = NvccDryRun.parse("#$ /usr/bin/gcc " + word + " -E\n");

    assertThat(dryRun.commands().get(0)).hasSize(3).endsWith("-E");
  }

  @Test
  void commands_haveTheirWordsWithoutQuotesAndVariables() throws IOException {
    NvccDryRun dryRun = read("13.0");

    assertThat(dryRun.hostCompiler()).endsWith("gcc");
    assertThat(dryRun.commands().get(0))
        .contains(
            "-D__CUDA_ARCH__=900",
            "-I../include",
            "-I/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include",
            "-isystem",
            "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/cccl",
            "cuda_runtime.h",
            "query.hip");
    assertThat(dryRun.commands().get(1))
        .startsWith("/usr/local/cuda-13.0/bin/../nvvm/bin/cicc", "--c++17")
        .containsSubsequence("--orig_src_path_name", "(work)/query.hip")
        .containsSubsequence("-o", "(temporary)/query.ptx");
    assertThat(dryRun.commands().get(2)).endsWith("(temporary)/query.ptx", "-o", "../out.co");
  }

  @Test
  void hostCompiler_withAQuotedDirectory_isOneWord() throws IOException {
    assertThat(read("13.0-clang").hostCompiler()).isEqualTo("/usr/bin/clang++-15");
  }

  @Test
  void directoryWithABlank_staysOneWord() throws IOException {
    assertThat(read("11.8").commands().get(0))
        .contains("-I/opt/cuda 11.8/bin/../targets/x86_64-linux/include");
  }

  @Test
  void program_onTheSearchPathItSets_isTakenFromThere() throws IOException {
    Path cicc = Script.write(directory.resolve("bin/cicc"), "exit 0");
    String printed = "#$ PATH=relative:" + directory + "/none:" + directory + "/bin\n#$ cicc x\n";

    assertThat(NvccDryRun.parse(printed).commands()).containsExactly(List.of(cicc.toString(), "x"));
  }

  @Test
  void twoRuns_areEqual() throws IOException {
    assertThat(NvccDryRun.parse(text("13.0", "0000abcd")))
        .isEqualTo(NvccDryRun.parse(text("13.0", "00123456")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nvcc fatal   : Unsupported gpu architecture 'sm_20'\n",
        "#$ -- Filter Dependencies -- > x.d\n",
        "#$ _HERE_=\u0000\n",
        "#$ \n#$\n#$ ",
      })
  void textWithoutCommands_hasNone(String printed) {
    NvccDryRun dryRun = NvccDryRun.parse(printed);

    assertThat(dryRun.commands()).isEmpty();
    assertThat(dryRun.home()).isEqualTo(Optional.empty());
  }

  private NvccDryRun read(String release) throws IOException {
    return NvccDryRun.parse(text(release, "0000300d"));
  }

  private static String text(String release, String process) throws IOException {
    try (InputStream in =
        NvccDryRunTest.class.getResourceAsStream("/nvcc-dryrun/" + release + ".txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replace("@work@", "(work)")
          .replace("@tmp@", "(temporary)")
          .replace("0000300d", process);
    }
  }
}
