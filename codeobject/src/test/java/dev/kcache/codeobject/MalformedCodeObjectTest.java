// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link CodeObject#parse} refuses, and that it only ever refuses. */
class MalformedCodeObjectTest {
  private static final int SEGMENTS = 64;
  private static final int SECTIONS = 0x9c8;

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1030", "gfx11-generic"})
  void parse_ofEveryTruncation_isRefused(String target) {
    Damage.checkEveryTruncation(Fixtures.elf(target), CodeObject::parse);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1030", "gfx9-4-generic"})
  void parse_ofEveryBitFlip_givesACodeObjectOrRefuses(String target) {
    byte[] image = Fixtures.elf(target);

    assertThat(Damage.checkEveryBitFlip(image, image.length, CodeObject::parse))
        .isGreaterThan(1000);
  }

  /** Every 8-byte field, aligned or not, set to the values where sums overflow. */
  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 0xffff_ffffL, 0x8000_0000L, 0})
  void parse_ofExtremeNumbersAnywhere_givesACodeObjectOrRefuses(long value) {
    Damage.checkNumberAnywhere(Fixtures.elf("gfx90a"), value, CodeObject::parse);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4  | 1 | 1      | EI_CLASS (64-bit) must be 2, is 1",
        "5  | 1 | 2      | EI_DATA (little-endian) must be 1, is 2",
        "6  | 1 | 0      | EI_VERSION must be 1, is 0",
        "7  | 1 | 65     | EI_OSABI (AMDGPU HSA) must be 64, is 65",
        "8  | 1 | 0      | EI_ABIVERSION must be 1 to 4 (code object version 3 to 6), is 0",
        "8  | 1 | 5      | EI_ABIVERSION must be 1 to 4 (code object version 3 to 6), is 5",
        "16 | 2 | 1      | e_type (ET_DYN, a linked image) must be 3, is 1",
        "18 | 2 | 62     | e_machine must be 224 (AMDGPU), is 62 (x86-64, code for the host)",
        "20 | 4 | 2      | e_version must be 1, is 2",
        "52 | 2 | 52     | e_ehsize must be 64, is 52",
        "54 | 2 | 32     | e_phentsize must be 56, is 32",
        "56 | 2 | 0      | e_phnum must be 1 to 1024, is 0",
        "56 | 2 | 1025   | e_phnum must be 1 to 1024, is 1025",
        "58 | 2 | 40     | e_shentsize must be 64, is 40",
        "62 | 2 | 15     | e_shstrndx must be below e_shnum 15, is 15",
        "32 | 8 | -1     | the program header table (448 bytes at offset 18446744073709551615)"
            + " must lie inside the image of 3464 bytes",
        "32 | 8 | 3      | the program header table must follow the ELF header, is at offset 3",
        "40 | 8 | 3000   | the section header table (960 bytes at offset 3000) must lie inside the"
            + " image of 3464 bytes",
      })
  void parse_ofAWrongHeaderField_blamesItsOffset(
      int offset, int width, long value, String expectation) {
    assertRefused(offset, width, value, offset, expectation);
  }

  /** Fields of the segment 1, whose header is at 120, and of the section 2, whose is at 2632. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "128  | 9223372036854775807 | 128 | segment 1 (1408 bytes at offset 9223372036854775807)"
            + " must lie inside the image of 3464 bytes",
        "160  | 1407 | 160 | p_memsz of segment 1 must be at least its p_filesz 1408, is 1407",
        "136  | 9223372036854775807 | 136 | p_vaddr + p_memsz of segment 1 must stay below 2^63,"
            + " are 0x7fffffffffffffff + 0x580",
        "2664 | -1 | 2656 | section 2 (18446744073709551615 bytes at offset 1128) must lie inside"
            + " the image of 3464 bytes",
        "2688 | 0  | 2688 | sh_entsize of section 2 must be 24, is 0",
        "2664 | 71 | 2664 | sh_size of section 2 must be a multiple of 24, is 71",
      })
  void parse_ofAWrongTable_blamesItsField(int field, long value, long offset, String expectation) {
    assertRefused(field, Long.BYTES, value, offset, expectation);
  }

  @Test
  void parse_withoutALoadedSegment_isRefused() {
    byte[] image = Fixtures.elf("gfx90a");
    for (int segment = 1; segment <= 3; segment++) {
      image = Fixtures.patched(image, SEGMENTS + 56 * segment, 4, 0);
    }
    byte[] loadless = image;

    assertThatThrownBy(() -> CodeObject.parse(loadless))
        .hasMessage(
            "malformed code object at byte 64: the program header table must have a PT_LOAD"
                + " segment, has none");
  }

  /** In a cubin that type has no bytes; AMD's runtime would copy them. */
  @Test
  void parse_ofAnNvidiaSectionOutside_isRefused() {
    int section = SECTIONS + 9 * 64;
    byte[] elf =
        Fixtures.patched(Fixtures.elf("gfx90a"), section + 4, 4, ElfSection.SHT_CUDA_RESERVED);

    assertThatThrownBy(() -> CodeObject.parse(Fixtures.patched(elf, section + 32, 8, 1L << 40)))
        .isInstanceOf(MalformedCodeObjectException.class)
        .hasMessageContaining("section 9 (1099511627776 bytes at offset");
  }

  @Test
  void parse_ofASectionWithoutBytesInTheFile_ignoresItsSize() {
    int padding = SECTIONS + 9 * 64;

    CodeObject code =
        CodeObject.parse(Fixtures.patched(Fixtures.elf("gfx90a"), padding + 32, 8, 1L << 40));

    assertThat(code.target()).hasToString("gfx90a");
  }

  @ParameterizedTest
  @CsvSource({
    "__CLANG_OFFLOAD_BUNDLE__, an offload bundle; take one target's code object out of it",
    "CCOB, a compressed offload bundle",
    "BC\u00c0\u00de, LLVM bitcode",
    "'\u00de\u00c0\u0017\u000b', LLVM bitcode",
    "'!<arch>\n', an archive",
    "P\u00edU\u00ba, a CUDA fat binary",
    "'\u0003\u0002#\u0007', SPIR-V",
    "FPIH, the wrapper of a HIP fat binary",
    "PK, bytes of no format known here",
    "'', no bytes",
  })
  void parse_ofAnotherFormat_namesIt(String start, String name) {
    byte[] image = start.getBytes(ISO_8859_1);

    assertThatThrownBy(() -> CodeObject.parse(image))
        .isInstanceOf(MalformedCodeObjectException.class)
        .hasMessageStartingWith(
            "malformed code object at byte 0: expected a code object (AMDGPU ELF, cubin or PTX),"
                + " found "
                + name);
  }

  /** 115 kB that would have 65 MB of names, in a bundle many times over. */
  @Test
  void parse_ofSymbolsThatShareALongName_isRefused() {
    int sections = 120;
    int symbols = sections + 3 * 64;
    int count = 4100;
    int names = symbols + count * 24;
    int namesSize = 16_001;
    byte[] least = Fixtures.resource("CodeObjectFuzzTestInputs/parse/least-v4");
    ByteBuffer image =
        ByteBuffer.wrap(Arrays.copyOf(least, names + namesSize)).order(ByteOrder.LITTLE_ENDIAN);
    image.putLong(40, sections).putShort(58, (short) 64).putShort(60, (short) 3);
    image.position(sections + 64);
    section(image, 11, symbols, count * 24, 24);
    section(image, 3, names, namesSize, 0);
    for (int i = 0; i < count; i++) {
      image.put(symbols + i * 24 + 4, (byte) 1).putShort(symbols + i * 24 + 6, (short) 1);
    }
    Arrays.fill(image.array(), names, names + namesSize - 1, (byte) 'a');

    MalformedCodeObjectException e = Damage.refusal(image.array());

    assertThat(e.expectation())
        .isEqualTo("the names of symbols must have at most the image's 114713 bytes");
    assertThat(e.offset()).isEqualTo(symbols + 7 * 24);
  }

  private static void section(ByteBuffer image, int type, int offset, int size, int entrySize) {
    image.putInt(0).putInt(type).putLong(0).putLong(0).putLong(offset).putLong(size);
    image.putInt(2).putInt(0).putLong(0).putLong(entrySize);
  }

  private static void assertRefused(
      int field, int width, long value, long offset, String expectation) {
    byte[] image = Fixtures.patched(Fixtures.elf("gfx90a"), field, width, value);

    MalformedCodeObjectException e = Damage.refusal(image);

    assertThat(e.expectation()).isEqualTo(expectation);
    assertThat(e.offset()).isEqualTo(offset);
    assertThat(e).hasMessage("malformed code object at byte %d: %s", offset, expectation);
  }
}
