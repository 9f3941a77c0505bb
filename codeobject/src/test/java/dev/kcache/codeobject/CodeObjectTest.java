// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
}
