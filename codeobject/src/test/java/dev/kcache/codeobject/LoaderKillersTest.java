// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Images that AMD's runtime does not survive; see the README beside them. */
class LoaderKillersTest {
  private static final byte[] SOUND = image("sound.gfx1030");

  /** The variable {@code counter} is symbol 11 of .symtab, and the variable {@code gd} 13. */
  private static final int SYMTAB = 0x31a8;

  private static byte[] image(String name) {
    return Fixtures.resource("/killers/" + name + ".co");
  }

  private static void assertRefused(byte[] image, String expectation) {
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
    assertRefused(image(name), "an object");
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
    assertRefused(Fixtures.patched(SOUND, counter + field, width, Long.decode(value)), expectation);
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
    assertRefused(
        image("managed." + name),
        "the managed variable 'x.managed' must have a pointer of 8 bytes, named without .managed");
  }

  @Test
  void firstSegmentThatIsNotAtAddress0_isRefused() {
    int load = 64 + 56;
    byte[] moved = Fixtures.patched(SOUND, load + 16, 8, 1);
    assertRefused(moved, "p_vaddr of the first loaded segment must be 0, is 1");
  }

  /** The loader takes the image for as long as the section that begins last says. */
  @Test
  void sectionsThatHideTheEndOfTheImage_areRefused() {
    int headers = 0x3818;
    byte[] hidden = Fixtures.patched(SOUND, headers + 64 * 10 + 24, 8, headers + 64);
    assertRefused(hidden, "the section header table must end before");
  }
}
