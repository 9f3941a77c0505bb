// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever may hold code objects, down to the one for a device. */
class UnpackTest {
  private static final TargetId DEVICE = TargetId.parse("gfx90a:sramecc+:xnack-");

  @Test
  void unpack_ofACodeObject_isItself() {
    byte[] elf = Fixtures.elf("gfx90a");

    assertThat(OffloadBundle.unpack(elf, DEVICE)).isEqualTo(CodeObject.parse(elf));
  }

  @Test
  void unpack_ofACodeObjectForAnother_namesBoth() {
    assertThatThrownBy(() -> OffloadBundle.unpack(Fixtures.elf("gfx1030"), DEVICE))
        .isInstanceOf(IncompatibleTargetException.class)
        .hasMessage("no code object runs on gfx90a:sramecc+:xnack-; there is gfx1030");
  }

  @Test
  void unpack_ofABundle_isTheOneForTheDevice() {
    byte[] bundle = Fixtures.resource("/bundle/hip-5.2.hsaco");

    assertThat(OffloadBundle.unpack(bundle, DEVICE).target()).hasToString("gfx90a");
    for (Compression form : Compression.ALL) {
      assertThat(OffloadBundle.unpack(form.compress(bundle), DEVICE))
          .isEqualTo(OffloadBundle.unpack(bundle, DEVICE));
    }
  }

  @Test
  void unpack_ofABundleWithoutOneForTheDevice_listsWhatItHas() {
    byte[] bundle =
        new BundleBuilder()
            .add("host-x86_64-unknown-linux-gnu-", new byte[0])
            .add("hip-spirv64-amd-amdhsa--amdgcnspirv", new byte[] {3, 2, 35, 7})
            .add("hipv4-amdgcn-amd-amdhsa--gfx1030", Fixtures.elf("gfx1030"))
            .addV4("gfx90a:xnack+", 0x73f)
            .build();

    IncompatibleTargetException e =
        catchThrowableOfType(
            IncompatibleTargetException.class, () -> OffloadBundle.unpack(bundle, DEVICE));

    assertThat(e.device()).isEqualTo(DEVICE);
    assertThat(e.contents())
        .containsExactly("hip-spirv64-amd-amdhsa--amdgcnspirv", "gfx1030", "gfx90a:xnack+");
    assertThat(e)
        .hasMessage(
            "no code object runs on gfx90a:sramecc+:xnack-; there is"
                + " hip-spirv64-amd-amdhsa--amdgcnspirv, gfx1030, gfx90a:xnack+");
  }

  @Test
  void unpack_ofAnArchive_saysWhatToDo() {
    byte[] archive = "!<arch>\n__CLANG_OFFLOAD_BUNDLE__".getBytes(StandardCharsets.US_ASCII);

    assertThatThrownBy(() -> OffloadBundle.unpack(archive, DEVICE))
        .isInstanceOf(MalformedCodeObjectException.class)
        .hasMessageEndingWith("found an archive, as -fgpu-rdc makes; link it first");
  }

  @ParameterizedTest
  @CsvSource({"__CLANG_OFFLOAD_BUNDLE__, true", "CCOB, true", "CCO, false", "\u007fELF, false"})
  void isBundle_looksAtTheRemainingBytes(String start, boolean expected) {
    ByteBuffer image = ByteBuffer.wrap(("xx" + start + "yy").getBytes(StandardCharsets.US_ASCII));

    assertThat(OffloadBundle.isBundle(image)).isFalse();
    assertThat(OffloadBundle.isBundle(image.position(2))).isEqualTo(expected);
    assertThat(image.position()).isEqualTo(2);
  }
}
