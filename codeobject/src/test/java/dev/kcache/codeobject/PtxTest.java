// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.Damage.refusal;
import static dev.kcache.codeobject.NvidiaImages.codeObject;
import static dev.kcache.codeobject.NvidiaImages.image;
import static dev.kcache.codeobject.NvidiaImages.kernel;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.KernelMetadata.BlockDims;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PTX made by nvcc, against the cubins it makes of the same sources, and damaged PTX. */
final class PtxTest {
  private static final String HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n";

  @ParameterizedTest
  @CsvSource({
    "kernels-compute_90,   compute_90",
    "kernels-compute_100f, compute_100f",
    "variants-compute_75,  compute_75",
    "variants-compute_90a, compute_90a",
  })
  void parse_knowsTheTarget(String image, String target) {
    CodeObject code = codeObject(image + ".ptx");

    assertThat(code.format()).isEqualTo(CodeObject.Format.PTX);
    assertThat(code.target()).hasToString(target);
    assertThat(code.abiVersion()).isZero();
    assertThat(code.genericVersion()).isZero();
  }

  /** All that both formats tell is the same in both. */
  @ParameterizedTest
  @CsvSource({
    "kernels-compute_90,   kernels-sm_90",
    "kernels-compute_100f, kernels-sm_100f",
    "variants-compute_75,  variants-sm_75",
    "variants-compute_90a, variants-sm_90a",
  })
  void kernels_areThoseOfTheCubin(String ptx, String cubin) {
    List<KernelMetadata> kernels = codeObject(ptx + ".ptx").kernels();

    assertThat(kernels).hasSameSizeAs(codeObject(cubin + ".cubin").kernels());
    for (KernelMetadata kernel : kernels) {
      KernelMetadata compiled = kernel(cubin + ".cubin", kernel.name());
      assertThat(kernel.sharedMemoryBytes()).isEqualTo(compiled.sharedMemoryBytes());
      assertThat(kernel.maxThreadsPerBlock()).isEqualTo(compiled.maxThreadsPerBlock());
      assertThat(kernel.requiredBlockDims()).isEqualTo(compiled.requiredBlockDims());
      assertThat(kernel.arguments())
          .extracting(KernelMetadata.Argument::size)
          .isEqualTo(compiled.arguments().stream().map(KernelMetadata.Argument::size).toList());
      if (kernel.kernargAlignment() <= 16) {
        assertThat(kernel.kernargSize()).isEqualTo(compiled.kernargSize());
        assertThat(kernel.arguments()).isEqualTo(compiled.arguments());
      }
    }
  }

  @Test
  void arguments_areWhereCPutsThem() {
    KernelMetadata odd = kernel("variants-compute_90a.ptx", "odd");

    assertThat(NvidiaImages.arguments(odd)).isEqualTo("0+3 3+1 64+64 128+8 136+1");
    assertThat(odd.kernargSize()).isEqualTo(137);
    assertThat(odd.kernargAlignment()).isEqualTo(64);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ".param .u8 c, .param .u64 .ptr .global .align 64 p, .param .b128 w | 0+1 8+8 16+16",
        ".param .v4 .f32 v, .param .u8 c, .param .v2 .u16 s               | 0+16 16+1 20+4",
        ".param .texref t, .param .align 4 .b8 a[3][5], .param .b32 b[2]  | 0+8 8+15 24+8",
        "''                                                               | ''",
      })
  void arguments_ofEachKind(String parameters, String arguments) {
    CodeObject code = CodeObject.parse(module("k(" + parameters + ") { ret; }"));

    assertThat(NvidiaImages.arguments(code.kernels().get(0))).isEqualTo(arguments);
  }

  @Test
  void directives_sayWhatMayBeLaunched() {
    assertThat(only("k() .minnctapersm 2 .maxntid 16, 8 { }").maxThreadsPerBlock()).isEqualTo(128);
    assertThat(only("k() .maxntid 64 .pragma \"a { b\"; { }").maxThreadsPerBlock()).isEqualTo(64);
    assertThat(only("k .reqntid 8, 4, 2 .maxnreg 32 { }").requiredBlockDims())
        .contains(new BlockDims(8, 4, 2));
  }

  @Test
  void sharedMemory_isWhatTheKernelDeclares() {
    KernelMetadata kernel =
        only(
            """
            k() {
              .shared .b8 a[5];
              { .shared .align 16 .f32 b[4]; .shared .u64 c; }
              st.shared.u32 [a], 1; // .shared .b8 d[100];
            }
            """);

    assertThat(kernel.sharedMemoryBytes()).isEqualTo(16 + 16 + 8);
  }

  @Test
  void parse_passesOverCommentsStringsAndFunctions() {
    CodeObject code =
        CodeObject.parse(
            ("\n \t// é .entry no() {\n/* } .version\n*/"
                    + HEAD
                    + ".file 1 \"} \\\" .entry no {\"\n"
                    + ".func (.param .b32 r) f(.param .b32 p) { { ret; } }\n"
                    + ".global .b8 t[2] = {1, 2};\n"
                    + ".extern .entry declared(.param .u64 p);\n"
                    + ".visible .entry yes() { bra $L; /* } */ $L: ret; }\n"
                    + "// the end")
                .getBytes(UTF_8));

    assertThat(code.kernels()).extracting(KernelMetadata::name).containsExactly("yes");
  }

  @Test
  void parse_takesTextThatEndsInNul() {
    CodeObject code = CodeObject.parse((HEAD + ".entry k() { ret; }\n\0").getBytes(UTF_8));

    assertThat(code.kernels()).hasSize(1);
    assertThat(refusal((HEAD + "\0.entry k() { ret; }").getBytes(UTF_8)).expectation())
        .isEqualTo("PTX must have no NUL before its end");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "// nothing                                            | PTX must have .address_size 64,"
            + " ends before it",
        ".version 8.0 .address_size 64                         | PTX must have .target, ends before"
            + " it",
        ".version 8.0 .target sm_91 .address_size 64           | .target must be a processor known"
            + " here, is 'sm_91'",
        ".version 8.0 .target compute_90 .address_size 64      | .target must be a processor known"
            + " here, is 'compute_90'",
        ".version 8.0 .target sm_90 .address_size 32           | .address_size must be 64, is 32",
        ".version x.0 .target sm_90 .address_size 64           | a version must be two numbers, is"
            + " 'x.0'",
        ".version 8.0 .target sm_90 .target sm_80              | PTX must have this directive once",
        ".version 8.0 .target sm_90 .version 8.0               | PTX must have this directive once",
        "// .version 8.0 here \u2028                           | PTX must have .address_size 64,"
            + " ends before it",
        ".version 8.0 .target                                  | PTX must go on with a processor,"
            + " ends",
        ".version 8.0 /* .target sm_90 .address_size 64        | a comment must end in */",
        ".version 8.0 .target sm_90 \u00e9                     | PTX must be ASCII text but for"
            + " comments, has the byte 195",
        ".version 8.0 .target sm_90 .entry k() {}              | PTX must have .target and"
            + " .address_size before its first kernel",
      })
  void parse_ofAnIllModule_saysWhatIsWrong(String text, String expectation) {
    assertThat(refusal(text.getBytes(UTF_8)).expectation()).isEqualTo(expectation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k() { {                     | a { must be followed by its }",
        "k() { } }                   | a } must follow a {",
        "k() { } .entry k() { }      | kernel 'k' must be there once",
        "k(.reg .u64 p) { }          | a kernel's parameter must begin with .param",
        "k(.param .u64) { }          | a variable must have a type and a name",
        "k(.param .u63 p) { }        | a type must be one known here, is '.u63'",
        "k(.param .align 3 .u32 p)   | an alignment must be a power of two up to 2^20, is 3",
        "k(.param .b8 p[-1])         | a size must be a decimal number below 2^31",
        "k(.param .b8 p[2147483648]) | a size must be a decimal number below 2^31",
        "k(.param .b64 p[999999999]) | a variable must have at most 2^31-1 bytes, has 7999999992",
        "k(.param .b8 p[2147483647], .param .b8 q[9]) {} | all variables together must have at most"
            + " 2^31-1 bytes",
        "k(.param .u32 p .param)     | a kernel's parameter must be followed by , or )",
        "k(.param .u32 p             | PTX must go on with what follows a name, ends",
        "k() .maxntid 1025 {}        | block dims must have 1 to 1024 threads, are 1025 x 1 x 1",
        "k() .reqntid 0, 1, 1 {}     | block dims must have 1 to 1024 threads, are 0 x 1 x 1",
        "k() .pragma \"x             | a string must end in \"",
        "k() { .shared .u32 a        | PTX must go on with what follows a name, ends",
        "k() { .shared .u32 a, b; }  | a variable must be followed by ;",
      })
  void parse_ofAnIllKernel_saysWhatIsWrong(String kernel, String expectation) {
    assertThat(refusal(module(kernel)).expectation()).isEqualTo(expectation);
  }

  @Test
  void parse_ofAnIllKernel_blamesItsPlace() {
    byte[] image = module("k(.param .u63 p) { }");

    assertThat(refusal(image).offset()).isEqualTo(new String(image, UTF_8).indexOf(".u63"));
  }

  /** Up to the last brace; what is behind it says nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"kernels-compute_90.ptx", "variants-compute_90a.ptx"})
  void parse_ofEveryTruncation_losesKernelsOrIsRefused(String name) {
    byte[] image = image(name);
    int all = codeObject(name).kernels().size();
    int end = NvidiaImages.text(name).lastIndexOf('}');

    for (int size = 0; size <= end; size++) {
      byte[] truncated = Arrays.copyOf(image, size);
      Damage.checkAnything(truncated, size + " bytes", CodeObject::parse);
      if (size > end - 5) {
        refusal(truncated);
      }
    }
    assertThat(CodeObject.parse(Arrays.copyOf(image, end + 1)).kernels()).hasSize(all);
  }

  @Test
  void parse_ofEveryBitFlip_givesACodeObjectOrRefuses() {
    Damage.checkEveryBitFlip(
        image("kernels-compute_90.ptx"), image("kernels-compute_90.ptx").length, CodeObject::parse);
  }

  private static KernelMetadata only(String kernel) {
    List<KernelMetadata> kernels = CodeObject.parse(module(kernel)).kernels();
    assertThat(kernels).hasSize(1);
    return kernels.get(0);
  }

  private static byte[] module(String kernel) {
    return (HEAD + ".visible .entry " + kernel).getBytes(UTF_8);
  }
}
