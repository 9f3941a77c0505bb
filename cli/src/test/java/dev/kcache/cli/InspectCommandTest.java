// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class InspectCommandTest extends CommandTestBase {
  @Test
  void inspect_showsTheTargetAndEachKernel() throws IOException {
    Run run = succeeds("inspect", resource("/kernels/clang-21-opencl-gfx90a.co"));

    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines().limit(17))
        .containsExactly(
            "code object  d030072c7a6e9055558056aa56ba1ef744ec1f2eeab81d32840d6e86b76d8416",
            "target       gfx90a",
            "version      6, for HIP 6.3 or newer",
            "size         6.2 kB",
            "",
            "kernel       blend",
            "block        exactly 8 x 4 x 2 threads, wavefronts of 64",
            "registers    10 VGPRs (0 spilled), 0 AGPRs, 28 SGPRs (0 spilled)",
            "shared       0 bytes per block",
            "scratch      0 bytes per thread",
            "occupancy    8 of 8 waves per SIMD",
            "arguments    296 bytes, aligned to 8",
            "  offset  size  kind                     address space  name     type",
            "  0       8     global_buffer            global         out      float4*",
            "  8       8     image                    -              image    image2d_t",
            "  16      8     sampler                  -              sampler  sampler_t",
            "  24      4     dynamic_shared_pointer   local          tile     float*");
  }

  @Test
  void strippedCodeObject_isShownWithWhyItCannotBeLoaded() throws IOException {
    Path stripped = resource("/killers/stripped.gfx90a.co");
    String reason =
        "stripped: it lacks .symtab and .strtab, which AMD's runtime needs; keep symbols (no"
            + " llvm-strip, no -s)";

    assertThat(succeeds("inspect", stripped).out())
        .contains("loadable     no; " + reason + "\n")
        .contains("kernel  ");
    assertThat(command.run("inspect", "--json", stripped).out())
        .contains("\"whyNotLoadable\":\"" + reason + "\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// a comment, as PTX may begin\nextern \"C\" __global__ void f() {}\n",
        "#include <hip/hip_runtime.h>\n",
        "int größe;\n"
      })
  void source_isCalledOne(String text) {
    Path source = command.write("vadd.hip", text);

    Run run = command.run("inspect", source);

    assertThat(run)
        .isEqualTo(
            new Run(
                ExitCode.USAGE,
                "",
                "kcache: '"
                    + source
                    + "' is text, such as a source, and no code object or PTX; 'kcache prewarm' a"
                    + " source and name its code object by the digits that it prints\n"));
    assertThat(command.run("diff", source, source).exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void brokenPtx_isStillCalledPtx() {
    Path ptx = command.write("a.ptx", "//\n.version 8.0\n.target sm_90\n");

    assertThat(command.run("inspect", ptx).err()).contains(".address_size 64");
  }

  @Test
  void inspect_asJson() throws IOException {
    Run run = command.run("inspect", "--json", resource("/kernels/hipcc-6.4-gfx9-4-generic.co"));

    assertThat(run.out())
        .startsWith("{\"schema\":\"kcache.inspect/1\",\"name\":\"")
        .contains(
            "\"target\":\"gfx9-4-generic\",\"format\":\"amdgpu_elf\",\"codeObjectVersion\":6,\"genericVersion\":1,")
        .contains("{\"name\":\"reverse\",\"symbol\":\"reverse.kd\",\"kernargSize\":28,")
        .contains(
            "\"maxThreadsPerBlock\":256,\"requiredBlockDims\":null,\"occupancy\":8,\"occupancyLimit\":\"processor\",\"maxOccupancy\":8,\"demangledName\":null,\"arguments\":[{\"offset\":0,")
        .contains("\"valueKind\":\"by_value\",\"addressSpace\":null,\"name\":null,");
  }

  @Test
  void inspect_ofACubin_showsWhatItTells() throws IOException {
    assertThat(
            succeeds("inspect", resource("/nvidia/kernels-sm_90a.cubin"))
                .out()
                .lines()
                .skip(1)
                .limit(17))
        .containsExactly(
            "target       sm_90a",
            "version      none, a cubin",
            "size         7.4 kB",
            "",
            "kernel       nothing",
            "block        at most 1024 threads, wavefronts of 32",
            "registers    4 per thread",
            "shared       0 bytes per block",
            "scratch      0 bytes per thread",
            "arguments    0 bytes",
            "",
            "kernel       scale",
            "block        at most 256 threads, wavefronts of 32",
            "registers    10 per thread",
            "shared       1024 bytes per block",
            "scratch      0 bytes per thread",
            "arguments    32 bytes");
  }

  @Test
  void inspect_ofPtx_showsWhatItTells() throws IOException {
    Path ptx = resource("/nvidia/variants-compute_90a.ptx");

    assertThat(command.run("inspect", ptx).out())
        .contains("target       compute_90a\nversion      none, PTX\n")
        .contains(
            """
            kernel       fixed
            block        exactly 64 x 2 x 1 threads, wavefronts of 32
            shared       0 bytes per block
            arguments    8 bytes, aligned to 8
            """);
    assertThat(command.run("inspect", "--json", ptx).out())
        .contains(
            "\"target\":\"compute_90a\",\"format\":\"ptx\",\"codeObjectVersion\":null,",
            "\"vgprs\":null,\"agprs\":null,",
            "\"occupancy\":null,\"occupancyLimit\":null,\"maxOccupancy\":null,",
            "\"scratchBytes\":null,");
    assertThat(command.run("inspect", "--arch", "sm_100", ptx).err())
        .isEqualTo("kcache: no code object runs on sm_100; there is compute_90a\n");
  }

  @Test
  void inspect_ofSomethingElse_saysWhatIsWrongAndWhere() {
    Run run = ends(ExitCode.DAMAGED, "inspect", command.write("x.co", "\u007fELF"));

    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .matches(
            "kcache: '.*/x.co' is not a sound code object \\(at byte 0: the ELF header \\(64 bytes at"
                + " offset 0\\) must lie inside the image of 4 bytes\\); compile or copy it"
                + " again\n");
  }

  @Test
  void inspect_ofNoFile_isAWrongRequest() {
    assertThat(command.run("inspect", directory.resolve("absent")).err())
        .matches("kcache: '.*/absent' does not exist; name a file, or the first digits .*\n");
    assertThat(command.run("inspect", directory).err())
        .matches("kcache: '.*' is not a file; name a file, .* 'kcache list' shows it\n");
    assertThat(command.run("inspect", directory).exitCode()).isEqualTo(2);
    assertThat(command.run("inspect").exitCode()).isEqualTo(2);
  }

  @Test
  void inspect_ofABundle_showsEachCodeObject() throws IOException {
    Run run = succeeds("inspect", resource("/bundle/hip-6.4-compressed-two.hsaco"));

    assertThat(run.out())
        .startsWith("bundle entry ")
        .contains("hipv4-amdgcn-amd-amdhsa--gfx90a ", "\nkernel       scale\n");
    assertThat(run.out().lines().filter(line -> line.startsWith("target  "))).hasSize(2);
  }

  @Test
  void inspect_forADevice_showsWhatItWouldLoad() throws IOException {
    Path bundle = resource("/bundle/hip-6.4.hsaco");

    Run run = command.run("inspect", "--arch", "gfx942:sramecc+:xnack-", bundle);
    Run none = command.run("inspect", "--arch", "gfx1100", bundle);

    assertThat(run.out().lines().filter(line -> line.startsWith("target  ")))
        .containsExactly("target       gfx942:xnack-");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err())
        .isEqualTo(
            "kcache: no code object runs on gfx1100; there is gfx1201, gfx9-generic, gfx942:xnack+,"
                + " gfx942:xnack-\n");
  }

  @Test
  void inspect_ofAnEntry_showsItsRecord() {
    command.run("prewarm", command.kernel("k.hip"), "--arch", "gfx90a,gfx1030");
    String digest = Fixtures.codeObject(Fixtures.GFX90A).digest().toString();

    Run run = command.run("inspect", digest.substring(0, 12));
    Run json = command.run("inspect", "--json", digest);

    assertThat(run.out()).contains("source       k.hip\noptions      -O3 -std=c++17\n");
    assertThat(run.out()).contains("\ncode object  " + digest + "\n", "\nkernel       vadd\n");
    assertThat(json.out())
        .contains("\"entry\":{\"directory\":", "\"target\":\"gfx90a\"", "\"name\":\"vadd\"");
  }

  @Test
  void inspect_ofAnEntryThatIsNotThereOrDamaged_saysSo() throws IOException {
    command.run("prewarm", command.kernel("k.hip"), "--arch", "gfx90a");
    String digest = Fixtures.codeObject(Fixtures.GFX90A).digest().toString();
    Files.writeString(command.cache.resolve("gfx90a-5.2").resolve(digest + ".co"), "damaged");

    assertThat(command.run("inspect", digest).exitCode()).isEqualTo(4);
    assertThat(command.run("inspect", digest).err())
        .isEqualTo(
            "kcache: the code object "
                + digest
                + " is gone or damaged; prewarm its source again\n");
    assertThat(command.run("inspect", "0123456789").err())
        .isEqualTo(
            "kcache: '0123456789' is neither a file nor the beginning of a code object's digest in"
                + " the cache; see 'kcache list'\n");
    assertThat(command.run("inspect", "0123456789").exitCode()).isEqualTo(2);
  }

  @Test
  void inspect_ofAnEntryForAnotherDevice_saysWhatItIsFor() {
    command.run("prewarm", command.kernel("k.hip"), "--arch", "gfx90a");
    String digest = Fixtures.codeObject(Fixtures.GFX90A).digest().toString();

    assertThat(ends(ExitCode.USAGE, "inspect", digest.substring(0, 1), "--arch", "gfx1030").err())
        .isEqualTo("kcache: no code object runs on gfx1030; there is gfx90a\n");
  }

  @Test
  void inspect_ofMoreThanMemoryHolds_saysSo() throws IOException {
    Path file = directory.resolve("huge");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(Runtime.getRuntime().maxMemory() / 2);
    }

    assertThat(ends(ExitCode.USAGE, "inspect", file).err())
        .contains("more than the", "KCACHE_JAVA_OPTS=-Xmx")
        .hasLineCount(1);
  }

  @Test
  void file_isShownWhateverTheSettingsOfTheCache() throws IOException {
    Path code = resource("/kernels/hipcc-5.2-gfx90a.co");
    put("PATH", Objects.requireNonNull(System.getenv("PATH")));
    put("KCACHE_MAX_SIZE", "banana");

    assertThat(succeeds("inspect", code).out()).contains("\nname         void scratch<float>(");
    assertThat(command.cache).doesNotExist();
    assertThat(ends(ExitCode.USAGE, "inspect", "0123456789").err()).contains("banana");
  }

  @Test
  void nameOfACppKernel_isShownAsInTheSource() throws IOException {
    Path code = resource("/kernels/hipcc-5.2-gfx90a.co");
    put("PATH", Objects.requireNonNull(System.getenv("PATH")));

    assertThat(succeeds("inspect", code).out())
        .contains("\nkernel       vadd\nblock ")
        .contains(
            "\nkernel       _Z7scratchIfEvPT_i\nname         void scratch<float>(float*, int)\n");
    assertThat(succeeds("inspect", "--json", code).out())
        .contains("\"demangledName\":\"void scratch<float>(float*, int)\"");
  }

  @Test
  void nameOfACppKernel_isLeftOutWhereNoToolTellsIt() throws IOException {
    put("PATH", directory.toString());

    assertThat(succeeds("inspect", resource("/kernels/hipcc-5.2-gfx90a.co")).out())
        .contains("\nkernel       _Z7scratchIfEvPT_i\nblock ");
  }

  @Test
  void onlyKernel_isNamedAsInTheCodeObjectOrInCpp() throws IOException {
    Path code = resource("/kernels/hipcc-5.2-gfx90a.co");
    put("PATH", Objects.requireNonNull(System.getenv("PATH")));

    for (String name : List.of("_Z7scratchIfEvPT_i", "void scratch<float>(float*, int)")) {
      assertThat(succeeds("inspect", code, "--kernel", name).out().lines())
          .filteredOn(line -> line.startsWith("kernel "))
          .containsExactly("kernel       _Z7scratchIfEvPT_i");
    }
    assertThat(ends(ExitCode.USAGE, "inspect", code, "--kernel", "vsub").err())
        .isEqualTo(
            "kcache: there is no kernel 'vsub'; there is vadd, reverse, _Z7scratchIfEvPT_i\n");
  }

  @Test
  void code_followsItsKernel() throws IOException {
    Path code = resource("/kernels/hipcc-5.2-gfx90a.co");
    put("PATH", Objects.requireNonNull(System.getenv("PATH")));

    Run run = succeeds("inspect", code, "--disassemble");
    List<String> headings =
        run.out()
            .lines()
            .filter(line -> line.matches("kernel .*|code|  s_endpgm .*"))
            .map(line -> line.strip().replaceAll(" .*", ""))
            .distinct()
            .toList();

    assertThat(headings).containsExactly("kernel", "code", "s_endpgm");
    assertThat(run.out().lines().filter("code"::equals)).hasSize(3);
    assertThat(run.out()).doesNotContain("<vadd>", "file format");
    assertThat(succeeds("inspect", code, "--disassemble", "--kernel", "vadd", "--json").out())
        .containsPattern("\"disassembly\":\"\\\\ts_load_dword");
  }

  @Test
  void code_withoutAToolToReadIt_saysWhatToInstall() throws IOException {
    put("PATH", directory.toString());

    Run run = ends(ExitCode.UNAVAILABLE, "inspect", resource("/elf/gfx90a.elf"), "--disassemble");

    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "kcache: there is no llvm-objdump beside the compiler, in a ROCm or on PATH; install"
                + " LLVM's tools (package 'llvm' of most distributions, 'rocm-llvm' of AMD's)\n");
  }

  @Test
  void code_ofNvidias_isRefused() throws IOException {
    Path cubin = resource("/nvidia/kernels-sm_90a.cubin");

    assertThat(ends(ExitCode.USAGE, "inspect", cubin, "--disassemble").err())
        .isEqualTo(
            "kcache: --disassemble reads AMD's code objects; this is a cubin, which CUDA's"
                + " nvdisasm reads\n");
  }

  private Path resource(String name) throws IOException {
    try (InputStream in = InspectCommandTest.class.getResourceAsStream(name)) {
      return Files.write(directory.resolve("x.co"), Objects.requireNonNull(in).readAllBytes());
    }
  }
}
