// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Images whose tables lie where they should and lead the HSA runtime's loader astray. */
class LoaderTablesTest {
  private static final byte[] IMAGE = Fixtures.resource("/kernels/relocated-gfx90a.co");

  private static final int TYPE = 4;
  private static final int LINK = 40;

  private static int section(int index) {
    ByteBuffer image = ByteBuffer.wrap(IMAGE).order(ByteOrder.LITTLE_ENDIAN);
    return (int) image.getLong(40) + 64 * index;
  }

  private static void assertRefused(int field, int width, long value, String expectation) {
    byte[] image = Fixtures.patched(IMAGE, field, width, value);

    assertThat(Damage.refusal(image).expectation()).isEqualTo(expectation);
  }

  @Test
  void parse_ofAnImageWithRelocations_isFine() {
    assertThat(CodeObject.parse(IMAGE).kernels()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0  | 4  | 4 | 1   | sh_type of the first section must be 0, is 1",
        "0  | 24 | 8 | 64  | sh_offset of the first section must be 0, is 64",
        "0  | 32 | 8 | -1  | sh_size of the first section must be 0, is 18446744073709551615",
        "12 | 0  | 4 | 118 | sh_name must be below 118, is 118",
        "12 | 4  | 4 | 0   | sh_type must not be SHT_NULL but in the first section",
        "12 | 0  | 4 | 1   | sh_type of a section with that name must be 7, is 1",
        "13 | 40 | 4 | 7   | sh_link of a symbol table must be a SHT_STRTAB section that ends in"
            + " NUL",
        "13 | 40 | 4 | 16  | sh_link of a symbol table must be below 16, is 16",
        "6  | 40 | 4 | 7   | sh_link of a SHT_RELA section must be a symbol table",
        "6  | 40 | 4 | 99  | sh_link of a SHT_RELA section must be below 16, is 99",
        "6  | 44 | 4 | 16  | sh_info of a SHT_RELA section must be below 16, is 16",
        "6  | 44 | 4 | 8   | sh_info of a SHT_RELA section must not be of a loaded section of a"
            + " linked image, is 8",
        "11 | 48 | 8 | 0x100000000 | sh_addralign must be 0 or a power of two up to 2^31, is"
            + " 4294967296",
        "11 | 48 | 8 | 3   | sh_addralign must be 0 or a power of two up to 2^31, is 3",
        "11 | 16 | 8 | 0   | an object must lie in its section 11",
        "11 | 16 | 8 | -1  | the section of an object (0 bytes at 0xffffffffffffffff) must lie in"
            + " loaded memory, 0x0 to 0x3c98",
        "7  | 24 | 8 | 1472| a descriptor must be at one place, by its section and by its segment",
        "7  | 4  | 4 | 8   | a descriptor must be at one place, by its section and by its segment",
      })
  void parse_ofAWrongSection_saysWhatItMustBe(
      int index, int field, int width, String value, String expectation) {
    assertRefused(section(index) + field, width, Long.decode(value), expectation);
  }

  @Test
  void parse_ofNamesThatAreNoStringTable_isRefused() {
    String expectation = "e_shstrndx must be a SHT_STRTAB section that ends in NUL";
    assertRefused(62, 2, 7, expectation);
    int lastOfNames = 0xdb0 + 0x76 - 1;
    assertRefused(lastOfNames, 1, 'x', expectation);
  }

  @Test
  void parse_ofASectionWithoutContentsFarAway_isRefused() {
    byte[] image = Fixtures.patched(IMAGE, section(12) + TYPE, 4, 8);
    byte[] far = Fixtures.patched(image, section(12) + 24, 8, 1L << 40);

    assertThat(Damage.refusal(far).expectation())
        .isEqualTo(
            "a section without contents (0 bytes at offset 1099511627776) must lie inside the image"
                + " of 4720 bytes");
  }

  /** The variable {@code second} is the dynamic symbol 2; {@code relocated.kd} is 4. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | 0  | 4 | 58     | st_name must be below 58, is 58",
        "2 | 4  | 1 | 0x1a   | st_info must not be of a kernel of code object version 2",
        "2 | 6  | 2 | 16     | st_shndx of an object must be 1 to 15, is 16",
        "2 | 6  | 2 | 0      | st_shndx of an object must be 1 to 15, is 0",
        "2 | 6  | 2 | 0xfff1 | st_shndx of an object must be 1 to 15, is 65521",
        "2 | 8  | 8 | 0x3c91 | an object (8 bytes at 0x3c91) must lie in loaded memory, 0x0 to"
            + " 0x3c98",
        "2 | 8  | 8 | -8     | a symbol (1 bytes at 0xfffffffffffffff8) must lie in loaded memory,"
            + " 0x0 to 0x3c98",
        "2 | 16 | 8 | -1     | an object (18446744073709551615 bytes at 0x3c80) must lie in loaded"
            + " memory, 0x0 to 0x3c98",
        "2 | 8  | 8 | 0x3c60 | an object must lie in its section 11",
        "4 | 6  | 2 | 8      | an object must lie in its section 8",
      })
  void parse_ofAWrongSymbol_saysWhatItMustBe(
      int index, int field, int width, String value, String expectation) {
    assertRefused(0x428 + 24 * index + field, width, Long.decode(value), expectation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0  | 8 | 0x3c91 | what is relocated (8 bytes at 0x3c91) must lie in loaded memory, 0x0 to"
            + " 0x3c98",
        "0  | 8 | -1     | what is relocated (8 bytes at 0xffffffffffffffff) must lie in loaded"
            + " memory, 0x0 to 0x3c98",
        "12 | 4 | 7      | the symbol in r_info must be below 7, is 7",
        "12 | 4 | -1     | the symbol in r_info must be below 7, is 4294967295",
      })
  void parse_ofAWrongRelocation_saysWhatItMustBe(
      int field, int width, String value, String expectation) {
    assertRefused(0x588 + field, width, Long.decode(value), expectation);
  }

  @Test
  void parse_ofARelocationOf4BytesAtTheEnd_isFine() {
    byte[] last = Fixtures.patched(IMAGE, 0x588, 8, 0x3c94);
    assertThat(CodeObject.parse(Fixtures.patched(last, 0x588 + 8, 4, 6)).kernels()).hasSize(1);
  }

  @Test
  void parse_ofARelocationByASymbolOutside_isRefused() {
    int function = 0x428 + 24;
    byte[] other = Fixtures.patched(IMAGE, function + 4, 1, 0x12);
    assertThat(CodeObject.parse(other).kernels()).hasSize(1);
    // "second", made a function that nobody checks otherwise, and the first relocation is by it.
    byte[] image = Fixtures.patched(IMAGE, 0x428 + 2 * 24 + 4, 1, 0x12);
    byte[] outside = Fixtures.patched(image, 0x428 + 2 * 24 + 8, 8, 0x3c98);

    assertThat(Damage.refusal(outside).expectation())
        .isEqualTo("a symbol (1 bytes at 0x3c98) must lie in loaded memory, 0x0 to 0x3c98");
  }

  /** The loader's step from note to note is of 32 bits: one that wraps never ends. */
  @Test
  void parse_ofNotesThatLeaveTheirSection_isRefused() {
    byte[] note = Fixtures.patched(IMAGE, section(12) + TYPE, 4, 7);
    byte[] wraps = Fixtures.patched(note, 0xc98, 4, 0xffff_fff4L);

    assertThat(Damage.refusal(wraps).expectation())
        .isEqualTo("a note must lie inside its section, which ends at %d", 0xc98 + 0x53);
  }

  @Test
  void parse_ofManyHeadersForOneRegion_isRefused() {
    // .comment and .data, made sections of the same relocations, which add up to too much.
    byte[] image = IMAGE;
    for (int index : new int[] {12, 10, 9}) {
      image = Fixtures.patched(image, section(index) + TYPE, 4, 4);
      image = Fixtures.patched(image, section(index) + 24, 8, 0);
      image = Fixtures.patched(image, section(index) + 32, 8, 4704);
      image = Fixtures.patched(image, section(index) + LINK, 4, 2);
      image = Fixtures.patched(image, section(index) + 44, 4, 8);
      image = Fixtures.patched(image, section(index) + 56, 8, 24);
    }
    byte[] many = image;

    assertThat(Damage.refusal(many).expectation()).startsWith("all sections together (6926 bytes");
  }

  private static final byte[] SOUND = image("sound.gfx1030");

  /** The variable {@code counter} is symbol 11 of .symtab, and the variable {@code gd} 13. */
  private static final int SYMTAB = 0x31a8;

  private static byte[] image(String name) {
    return Fixtures.resource("/killers/" + name + ".co");
  }

  private static void assertKillerRefused(byte[] image, String expectation) {
    assertThatThrownBy(() -> CodeObject.parse(image))
        .isInstanceOf(MalformedCodeObjectException.class)
        .hasMessageContaining(expectation);
  }

  @Test
  void soundImage_isLoadable() {
    assertThat(CodeObject.parse(SOUND).whyNotLoadable()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"kill.1049", "kill.1145", "kill.153"})
  void bitOfTheSymbolTable_isRefused(String name) {
    assertKillerRefused(image(name), "an object");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "stripped | stripped: it lacks .symtab and .strtab, which AMD's runtime needs; keep symbols"
            + " (no llvm-strip, no -s)",
        "nostrtab | stripped: it lacks .strtab, which AMD's runtime needs; keep symbols (no"
            + " llvm-strip, no -s)",
      })
  void missingTable_isTheReasonWhyItIsNotLoadable(String name, String reason) {
    CodeObject code = CodeObject.parse(image(name));

    assertThat(code.whyNotLoadable()).contains(reason);
    assertThat(code.isStripped()).isTrue();
    assertThat(code.kernels()).hasSize(10);
  }

  @Test
  void imageWithoutSections_isNotLoadable() {
    byte[] none = Fixtures.resource("CodeObjectFuzzTestInputs/parse/least-v4");

    assertThat(CodeObject.parse(none).whyNotLoadable().orElseThrow()).contains("all sections");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "6  | 2 | 0xfff1 | st_shndx of an object must be 1 to 14, is 65521",
        "6  | 2 | 0xfff2 | st_shndx of an object must be 1 to 14, is 65522",
        "6  | 2 | 0xffff | st_shndx of an object must be 1 to 14, is 65535",
        "6  | 2 | 0      | st_shndx of an object must be 1 to 14, is 0",
        "8  | 8 | 0x61a0 | an object (4 bytes at 0x61a0) must lie in loaded memory, 0x0 to 0x61a0",
        "16 | 8 | 8      | .symtab must say of 'counter' what .dynsym says: 4 bytes at 0x6150",
        "8  | 8 | 0x6154 | .symtab must say of 'counter' what .dynsym says: 4 bytes at 0x6150",
      })
  void wrongVariableOfTheSymbolTable_isRefused(
      int field, int width, String value, String expectation) {
    int counter = SYMTAB + 24 * 11;
    assertKillerRefused(
        Fixtures.patched(SOUND, counter + field, width, Long.decode(value)), expectation);
  }

  @Test
  void variableThatTheSymbolTableLacks_isNotLoadable() {
    byte[] local = Fixtures.patched(SOUND, SYMTAB + 24 * 11 + 4, 1, 1);

    assertThat(CodeObject.parse(local).whyNotLoadable().orElseThrow())
        .startsWith("stripped: it lacks 'counter' in .symtab");
  }

  /** Compilers make it of an array without elements, if it happens to come last. */
  @Test
  void variableWithoutBytesAtTheEnd_isNotLoadable() {
    byte[] empty = SOUND;
    for (int symbol : new int[] {SYMTAB + 24 * 11, 0x15d8 + 24 * 26}) {
      empty = Fixtures.patched(empty, symbol + 8, 8, 0x61a0);
      empty = Fixtures.patched(empty, symbol + 16, 8, 0);
    }
    CodeObject code = CodeObject.parse(empty);
    assertThat(code.whyNotLoadable())
        .contains(
            "the variable 'counter' has no bytes and lies where the memory ends, which AMD's"
                + " runtime may not survive; give it a size");
    assertThat(code.isStripped()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"empty", "managed", "assembly", "alias", "notes"})
  void soundImageOfAnUnusualKind_isLoadable(String name) {
    CodeObject code = CodeObject.parse(image(name + ".gfx1030"));

    assertThat(code.whyNotLoadable()).isEmpty();
  }

  /** A linker keeps the metadata of each object. */
  @Test
  void imageOfTwoObjects_hasTheKernelsOfBoth() {
    assertThat(CodeObject.parse(image("notes.gfx1030")).kernels())
        .extracting(KernelMetadata::name)
        .containsExactly("foo", "bar");
  }

  @ParameterizedTest
  @CsvSource({"nopointer", "largepointer"})
  void managedVariableWithoutAPointer_isRefused(String name) {
    assertKillerRefused(
        image("managed." + name),
        "the managed variable 'x.managed' must have a pointer of 8 bytes, named without .managed");
  }

  @Test
  void firstSegmentThatIsNotAtAddress0_isRefused() {
    int load = 64 + 56;
    byte[] moved = Fixtures.patched(SOUND, load + 16, 8, 1);
    assertKillerRefused(moved, "p_vaddr of the first loaded segment must be 0, is 1");
  }

  /** The loader takes the image for as long as the section that begins last says. */
  @Test
  void sectionsThatHideTheEndOfTheImage_areRefused() {
    int headers = 0x3818;
    byte[] hidden = Fixtures.patched(SOUND, headers + 64 * 10 + 24, 8, headers + 64);
    assertKillerRefused(hidden, "the section header table must end before");
  }
}
