// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class CodeObjectTest {
  @ParameterizedTest
  @FieldSource("dev.kcache.codeobject.Fixtures#TARGETS")
  void target_isWhatTheImageWasBuiltFor(String name) {
    CodeObject code = CodeObject.parse(Fixtures.elf(name));

    assertThat(code.target()).isEqualTo(TargetId.parse(name)).hasToString(name);
    assertThat(code.abiVersion()).isEqualTo(6);
    assertThat(code.genericVersion()).isEqualTo(name.endsWith("-generic") ? 1 : 0);
  }

  @Test
  void bytes_areACopyThatNobodyCanChange() {
    byte[] image = Fixtures.elf("gfx90a");
    byte[] original = image.clone();
    CodeObject code = CodeObject.parse(image);

    image[0] = 0;

    assertThat(code.bytes()).isEqualTo(ByteBuffer.wrap(original));
    assertThat(code.size()).isEqualTo(original.length);
    assertThat(code.digest()).isEqualTo(Digest.of(original));
    assertThatThrownBy(() -> code.bytes().put(0, (byte) 0))
        .isInstanceOf(ReadOnlyBufferException.class);
  }

  @Test
  void parse_ofABuffer_takesWhatRemainsAndLeavesItsPosition() {
    byte[] image = Fixtures.elf("gfx1030");
    ByteBuffer within = ByteBuffer.allocateDirect(image.length + 7).position(3);
    within.put(image).flip().position(3);

    CodeObject code = CodeObject.parse(within);

    assertThat(code).isEqualTo(CodeObject.parse(image)).hasSameHashCodeAs(CodeObject.parse(image));
    assertThat(within.position()).isEqualTo(3);
  }

  @Test
  void equality_isThatOfTheBytes() {
    CodeObject code = CodeObject.parse(Fixtures.elf("gfx1030"));

    assertThat(code).isNotEqualTo(CodeObject.parse(Fixtures.elf("gfx1031")));
    assertThat(code).hasToString("gfx1030 " + code.digest());
  }

  private static final int E_FLAGS = 48;

  @ParameterizedTest
  @CsvSource({
    "0x03f, 3, gfx90a:sramecc-:xnack-, 0",
    "0x13f, 3, gfx90a:sramecc-:xnack+, 0",
    "0x23f, 3, gfx90a:sramecc+:xnack-, 0",
    "0x33f, 3, gfx90a:sramecc+:xnack+, 0",
    "0x02c, 3, gfx900:xnack-,          0",
    "0x036, 3, gfx1030,                0",
    "0x53f, 4, gfx90a,                 0",
    "0x73f, 4, gfx90a:xnack+,          0",
    "0x63f, 4, gfx90a:xnack-,          0",
    "0x93f, 5, gfx90a:sramecc-,        0",
    "0xd3f, 6, gfx90a:sramecc+,        0",
    "0xf3f, 6, gfx90a:sramecc+:xnack+, 0",
    "0xa3f, 4, gfx90a:sramecc-:xnack-, 0",
    "0x036, 4, gfx1030,                0",
    // what compilers do not agree on, and what asks nothing of the device
    "0x449, 6, gfx1250,                0",
    "0x549, 6, gfx1250,                0",
    "0x03f, 4, gfx90a,                 0",
    "0x01000054, 6, gfx11-generic,     1",
    "0xff000054, 6, gfx11-generic,     255",
    "0x0200075f, 6, gfx9-4-generic:xnack+, 2",
  })
  void target_isWhatTheFlagsSay(String flags, int version, String target, int genericVersion) {
    byte[] elf = Fixtures.elf("gfx90a");
    CodeObject code =
        CodeObject.parse(Metadata.retargeted(elf, Long.decode(flags), version, target));

    assertThat(code.target()).hasToString(target);
    assertThat(code.abiVersion()).isEqualTo(version);
    assertThat(code.genericVersion()).isEqualTo(genericVersion);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0x000 | 4 | e_flags must name a processor that HIP code is made for, names none",
        "0x00f | 4 | e_flags must name a processor that HIP code is made for, names the R600"
            + " family's 0x0f",
        "0x027 | 4 | e_flags must name a processor that HIP code is made for, names the reserved or"
            + " unknown 0x27",
        "0x040 | 4 | e_flags must name a processor that HIP code is made for, names gfx940, which"
            + " was withdrawn",
        "0x04b | 4 | e_flags must name a processor that HIP code is made for, names gfx941, which"
            + " was withdrawn",
        "0x04d | 6 | e_flags must name a processor that HIP code is made for, names the reserved or"
            + " unknown 0x4d",
        "0x0ff | 6 | e_flags must name a processor that HIP code is made for, names the reserved or"
            + " unknown 0xff",
        "0x136 | 3 | e_flags say that xnack is on, but gfx1030 has no such feature to choose",
        "0x236 | 4 | e_flags say that xnack is off, but gfx1030 has no such feature to choose",
        "0xc2c | 6 | e_flags say that sramecc is on, but gfx900 has no such feature to choose",
        "0x054 | 6 | e_flags must give a version of at least 1 for the generic processor"
            + " gfx11-generic",
        "0x054 | 5 | e_flags must give a version of at least 1 for the generic processor"
            + " gfx11-generic, which needs code object version 6, is 5",
        "0x01000036 | 6 | e_flags give the generic version 1 to gfx1030, which is not generic",
        "0x01000036 | 5 | e_flags 0x01000036 set bits that code object version 5 does not define",
        "0x1036 | 6 | e_flags 0x00001036 set bits that code object version 6 does not define",
        "0x43f  | 3 | e_flags 0x0000043f set bits that code object version 3 does not define",
      })
  void flags_thatNoDeviceCouldServe_areRefused(String flags, int version, String expectation) {
    byte[] image = imageWith(flags, version);

    MalformedCodeObjectException e = Damage.refusal(image);

    assertThat(e.expectation()).isEqualTo(expectation);
    assertThat(e.offset()).isEqualTo(E_FLAGS);
  }

  private static byte[] imageWith(String flags, int version) {
    byte[] image = Fixtures.patched(Fixtures.elf("gfx90a"), E_FLAGS, 4, Long.decode(flags));
    return Fixtures.patched(image, 8, 1, version - 2);
  }
}
