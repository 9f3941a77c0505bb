// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.Damage.refusal;
import static dev.kcache.codeobject.NvidiaImages.codeObject;
import static dev.kcache.codeobject.NvidiaImages.image;
import static dev.kcache.codeobject.NvidiaImages.kernel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.KernelMetadata.BlockDims;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cubins made by nvcc, against what it prints with {@code -Xptxas -v}, and damaged ones. */
final class CubinTest {
  private static final String SMALLEST = "nothing-sm_90.cubin";

  @ParameterizedTest
  @ValueSource(strings = {"sm_75", "sm_80", "sm_90", "sm_90a", "sm_100f", "sm_120"})
  void parse_knowsTheTarget(String target) {
    CodeObject code = codeObject("kernels-" + target + ".cubin");

    assertThat(code.format()).isEqualTo(CodeObject.Format.CUBIN);
    assertThat(code.target()).hasToString(target);
    assertThat(code.abiVersion()).isZero();
    assertThat(code.genericVersion()).isZero();
    assertThat(code.kernels())
        .extracting(KernelMetadata::name)
        .containsExactlyInAnyOrder("vadd", "scale", "nothing");
  }

  /**
   * CUDA 12 and its elders have the number in the low byte. None of them is here, so that only the
   * header is as theirs.
   */
  @ParameterizedTest
  @CsvSource({
    "0x00500550, sm_80",
    "0x005a055a, sm_90",
    "0x005a0d5a, sm_90a",
    "0x00340534, sm_52",
    "0x00780578, sm_120",
  })
  void parse_ofAnOlderCubin_knowsTheTarget(String flags, String target) {
    assertThat(CodeObject.parse(cuda12(SMALLEST, Long.decode(flags))).target()).hasToString(target);
  }

  @Test
  void parse_ofTheFlagForOneCapability_knowsTheTarget() {
    byte[] image = Fixtures.patched(image(SMALLEST), 48, 4, 0x06005a0c);

    assertThat(CodeObject.parse(image).target()).hasToString("sm_90a");
  }

  /** What a toolkit without that note says, or one that words it in another way. */
  @ParameterizedTest
  @CsvSource({"kernels-sm_90a, sm_90a", "kernels-sm_100f, sm_100", "kernels-sm_90, sm_90"})
  void parse_withoutTheToolsNote_knowsTheTarget(String name, String target) {
    byte[] image = image(name + ".cubin");
    image[find(image, "-arch sm_".getBytes(StandardCharsets.UTF_8))] = '+';

    assertThat(CodeObject.parse(image).target()).hasToString(target);
  }

  /** What {@code ptxas -v} prints: registers, shared memory and stack. */
  @ParameterizedTest
  @CsvSource({
    "kernels-sm_75,   vadd,                        12, 0,    0",
    "kernels-sm_75,   scale,                       10, 1024, 0",
    "kernels-sm_75,   nothing,                     4,  0,    0",
    "kernels-sm_80,   scale,                       10, 1024, 0",
    "kernels-sm_90,   scale,                       10, 1024, 0",
    "kernels-sm_120,  scale,                       10, 1024, 0",
    "kernels-sm_120,  vadd,                        12, 0,    0",
    "variants-sm_75,  odd,                         24, 32,   112",
    "variants-sm_75,  stack,                       10, 0,    128",
    "variants-sm_90a, odd,                         22, 32,   112",
    "variants-sm_90a, stack,                       12, 0,    128",
    "variants-sm_90a, large,                       9,  0,    0",
    "variants-sm_90a, _Z7productIdEvPT_4PairIS0_E, 10, 0,    0",
  })
  void kernels_areAsTheAssemblerSays(
      String image, String name, int registers, int shared, int stack) {
    KernelMetadata kernel = kernel(image + ".cubin", name);

    assertThat(kernel.symbol()).isEqualTo(name);
    assertThat(kernel.registers().vgprs()).isEqualTo(registers);
    assertThat(kernel.sharedMemoryBytes()).isEqualTo(shared);
    assertThat(kernel.scratchBytes()).isEqualTo(stack);
    assertThat(kernel.wavefrontSize()).isEqualTo(32);
  }

  /** The argument that is aligned to 64 bytes has another place in each architecture. */
  @ParameterizedTest
  @CsvSource({
    "kernels-sm_75,   vadd,                        28,    0+8 8+8 16+8 24+4",
    "kernels-sm_90a,  scale,                       32,    0+16 16+2 24+8",
    "kernels-sm_120,  nothing,                     0,     ''",
    "variants-sm_75,  odd,                         105,   0+3 3+1 32+64 96+8 104+1",
    "variants-sm_90a, odd,                         121,   0+3 3+1 48+64 112+8 120+1",
    "variants-sm_75,  large,                       20008, 0+20000 20000+8",
    "variants-sm_90a, large,                       20008, 0+20000 20000+8",
    "variants-sm_90a, _Z7productIsEvPT_4PairIS0_E, 12,    0+8 8+4",
  })
  void arguments_areWhereTheCompilerPutThem(
      String image, String name, int kernargSize, String arguments) {
    KernelMetadata kernel = kernel(image + ".cubin", name);

    assertThat(kernel.kernargSize()).isEqualTo(kernargSize);
    assertThat(NvidiaImages.arguments(kernel)).isEqualTo(arguments);
    assertThat(kernel.arguments())
        .allSatisfy(
            argument -> {
              assertThat(argument.valueKind()).isEqualTo("by_value");
              assertThat(argument.isHidden()).isFalse();
            });
  }

  @Test
  void blockDims_areThoseOfTheSource() {
    assertThat(kernel("kernels-sm_90.cubin", "vadd").maxThreadsPerBlock()).isEqualTo(1024);
    assertThat(kernel("kernels-sm_90.cubin", "scale").maxThreadsPerBlock()).isEqualTo(256);
    assertThat(kernel("kernels-sm_90.cubin", "scale").requiredBlockDims()).isEmpty();
    assertThat(kernel("variants-sm_90a.cubin", "fixed").requiredBlockDims())
        .contains(new BlockDims(64, 2, 1));
    assertThat(kernel("variants-sm_90a.cubin", "fixed").maxThreadsPerBlock()).isEqualTo(128);
  }

  /** Code, constants and variables; not the shared memory. */
  @Test
  void loadedSize_isThatOfTheSectionsInMemory() {
    assertThat(codeObject(SMALLEST).loadedSize()).isEqualTo(0x100 + 0x210);
    assertThat(codeObject("kernels-sm_90.cubin").loadedSize())
        .isEqualTo(0x100 + 0x280 + 0x200 + 0x210 + 0x230 + 0x22c);
    assertThat(codeObject("kernels-compute_90.ptx").loadedSize()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4  | 1 | 1          | EI_CLASS (64-bit) must be 2, is 1",
        "5  | 1 | 2          | EI_DATA (little-endian) must be 1, is 2",
        "6  | 1 | 0          | EI_VERSION must be 1, is 0",
        "7  | 1 | 0x33       | EI_OSABI (CUDA) must be 65, is 51",
        "8  | 1 | 6          | EI_ABIVERSION of a cubin must be 7 or 8, is 6",
        "16 | 2 | 3          | e_type must be 2 (a linked cubin), is 3",
        "20 | 4 | 2          | e_version must be 1, is 2",
        "48 | 4 | 0x06005b04 | e_flags must name a processor known here, name sm_91",
        "48 | 4 | 0x06000004 | e_flags must name a processor known here, name sm_0",
        "52 | 2 | 52         | e_ehsize must be 64, is 52",
        "54 | 2 | 32         | e_phentsize must be 56, is 32",
        "58 | 2 | 40         | e_shentsize must be 64, is 40",
      })
  void parse_ofAWrongHeaderField_blamesItsOffset(
      int offset, int width, String value, String expectation) {
    byte[] image = Fixtures.patched(image(SMALLEST), offset, width, Long.decode(value));

    assertThat(refusal(image).offset()).isEqualTo(offset);
    assertThat(refusal(image).expectation()).isEqualTo(expectation);
  }

  @Test
  void parse_ofARelocatableCubin_saysWhatToDo() {
    assertThat(refusal(image("relocatable-sm_75.cubin")).expectation())
        .isEqualTo(
            "e_type must be 2 (a linked cubin), is 1 (a relocatable one, as -rdc=true makes; link it"
                + " first)");
  }

  /** What the kernel takes is told by attributes whose bytes no other place has. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // form, attribute, size; then the ordinal, offset and size of the last parameter
        "04170c00 00000000 03001800 00f01100 | 8  | 04001800 | parameter 4 of 4 must be there once",
        "04170c00 00000000 03001800 00f01100 | 8  | 02001800 | parameter 2 of 4 must be there once",
        "04170c00 00000000 03001800 00f01100 | 8  | 03000800 | parameter 3 must begin at 24 or"
            + " later, begins at 8",
        "04170c00 00000000 03001800 00f01100 | 12 | 00f01500 | the arguments of kernel 'vadd' must"
            + " have 28 bytes, have 29",
        "04170c00 00000000 03001800 00f01100 | 0  | 05170c00 | an attribute's form must be 1 to 4,"
            + " is 5",
        "04170c00 00000000 03001800 00f01100 | 0  | 03170c00 | an attribute's value must have 12"
            + " bytes, has 2",
        "03191c00                            | 0  | 03191b00 | the arguments of kernel 'vadd' must"
            + " have 27 bytes, have 28",
        "04050c00 00010000 01000000 01000000 | 4  | 01040000 | block dims must have 1 to 1024"
            + " threads, are 1025 x 1 x 1",
        "04050c00 00010000 01000000 01000000 | 8  | 00000000 | block dims must have 1 to 1024"
            + " threads, are 256 x 0 x 1",
        "04050c00 00010000 01000000 01000000 | 8  | 05000000 | block dims must have 1 to 1024"
            + " threads, are 256 x 5 x 1",
      })
  void parse_ofAWrongAttribute_saysWhatIsWrong(
      String attribute, int at, String changed, String expectation) {
    byte[] image = image("kernels-sm_90.cubin");
    int found = find(image, bytes(attribute));
    System.arraycopy(bytes(changed), 0, image, found + at, 4);

    assertThat(refusal(image).expectation()).isEqualTo(expectation);
    assertThat(refusal(image).offset()).isBetween(found - 200L, found + 60L);
  }

  @Test
  void parse_ofAKernelWithoutItsDescription_isRefused() {
    byte[] image = image(SMALLEST);
    int name = find(image, ".nv.info.nothing\0".getBytes(StandardCharsets.UTF_8));
    image[name + 9] = 'x';

    assertThat(refusal(image).expectation())
        .isEqualTo("kernel 'nothing' must have the section .nv.info. of its own");
  }

  @Test
  void parse_ofEveryTruncation_isRefused() {
    Damage.checkEveryTruncation(image(SMALLEST), CodeObject::parse);
  }

  @Test
  void parse_ofEveryBitFlip_givesACodeObjectOrRefuses() {
    Damage.checkEveryBitFlip(image(SMALLEST), image(SMALLEST).length, CodeObject::parse);
  }

  /** Every 8-byte field, aligned or not, set to the values where sums overflow. */
  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 0xffff_ffffL, 0x8000_0000L, 0})
  void parse_ofExtremeNumbersAnywhere_givesACodeObjectOrRefuses(long value) {
    Damage.checkNumberAnywhere(image(SMALLEST), value, CodeObject::parse);
  }

  /** Returns a cubin with the header that CUDA 12 gives it, and without what it lacks. */
  private static byte[] cuda12(String name, long flags) {
    byte[] image = Fixtures.patched(image(name), 48, 4, flags);
    image[7] = 0x33;
    image[8] = 7;
    return image;
  }

  private static byte[] bytes(String hex) {
    String digits = hex.replace(" ", "");
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  private static int find(byte[] image, byte[] content) {
    ByteBuffer all = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at + content.length <= image.length; at++) {
      if (all.slice(at, content.length).equals(ByteBuffer.wrap(content))) {
        return at;
      }
    }
    throw new IllegalArgumentException("not in the image");
  }
}
