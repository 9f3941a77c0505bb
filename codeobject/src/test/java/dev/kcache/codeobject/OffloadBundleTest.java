// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OffloadBundleTest {
  private static final String HOST = "host-x86_64-unknown-linux-gnu-";
  private static final String AMDGPU = "hipv4-amdgcn-amd-amdhsa--";

  @Test
  void parse_ofHipcc52_findsTheHostAndBothCodeObjects() {
    OffloadBundle bundle = OffloadBundle.parse(Fixtures.resource("/bundle/hip-5.2.hsaco"));

    assertThat(bundle.entries())
        .extracting(OffloadBundle.Entry::id)
        .containsExactly("host-x86_64-unknown-linux", AMDGPU + "gfx1030", AMDGPU + "gfx90a");
    assertThat(targets(bundle)).containsExactly("-", "gfx1030", "gfx90a");
    CodeObject code = bundle.codeObjectFor(TargetId.parse("gfx90a:sramecc+:xnack-")).orElseThrow();
    assertThat(code.target()).hasToString("gfx90a");
    assertThat(code.abiVersion()).isEqualTo(4);
    assertThat(code.size()).isEqualTo(3944);
    assertThat(bundle.codeObjectFor(TargetId.parse("gfx908:sramecc+:xnack-"))).isEmpty();
  }

  @Test
  void parse_ofHipcc64_findsFeaturesAndTheGenericOne() {
    OffloadBundle bundle = OffloadBundle.parse(Fixtures.resource("/bundle/hip-6.4.hsaco"));

    assertThat(targets(bundle))
        .containsExactly("-", "gfx1201", "gfx9-generic", "gfx942:xnack+", "gfx942:xnack-");
    assertThat(chosen(bundle, "gfx942:sramecc+:xnack-")).contains("gfx942:xnack-");
    assertThat(chosen(bundle, "gfx942:sramecc+:xnack+")).contains("gfx942:xnack+");
    assertThat(chosen(bundle, "gfx942")).isEmpty();
    assertThat(chosen(bundle, "gfx906:sramecc-:xnack-")).contains("gfx9-generic");
    assertThat(chosen(bundle, "gfx90a:sramecc+:xnack-")).isEmpty();
  }

  /** Version 3 flags cannot say "any": what an ID leaves open, the compiler has set to on. */
  @Test
  void parse_ofVersion3_takesTheTargetFromTheFlags() {
    OffloadBundle bundle = OffloadBundle.parse(Fixtures.resource("/bundle/hip-5.2-v3.hsaco"));

    assertThat(targets(bundle))
        .containsExactly("-", "gfx1030", "gfx906:sramecc+:xnack+", "gfx908:sramecc+:xnack+");
    assertThat(chosen(bundle, "gfx908:sramecc+:xnack+")).contains("gfx908:sramecc+:xnack+");
    assertThat(chosen(bundle, "gfx908:sramecc+:xnack-")).isEmpty();
  }

  @Test
  void parse_ofVersion3FlagsThatContradictTheId_isRefused() {
    byte[] bundle =
        new BundleBuilder()
            .add(
                "hip-amdgcn-amd-amdhsa--gfx90a:xnack-",
                Fixtures.patched(v3(Fixtures.elf("gfx90a")), 48, 4, 0x33f))
            .build();

    assertThat(refused(bundle).expectation())
        .isEqualTo(
            "entry 'hip-amdgcn-amd-amdhsa--gfx90a:xnack-' must be for gfx90a:xnack-, is for"
                + " gfx90a:sramecc+:xnack+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hip-amdgcn-amd-amdhsa-gfx1030",
        "hip-amdgcn-amd-amdhsa--gfx1030",
        "hipv4-amdgcn-amd-amdhsa--gfx1030",
        "hipv4-amdgcn-amd-amdhsa-unknown-gfx1030",
      })
  void parse_understandsEverySpellingOfAnId(String id) {
    byte[] elf = Fixtures.elf("gfx1030");

    OffloadBundle bundle = OffloadBundle.parse(new BundleBuilder().add(id, elf).build());

    assertThat(bundle.codeObjectFor(TargetId.parse("gfx1030"))).contains(CodeObject.parse(elf));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host-x86_64-unknown-linux-gnu-",
        "hip-spirv64-amd-amdhsa--amdgcnspirv",
        "hipv4-amdgcn-amd-amdhsa--gfx940",
        "hipv4-amdgcn-amd-amdhsa--gfx9999",
      })
  void parse_keepsWhatItDoesNotKnow_withoutATarget(String id) {
    byte[] bytes = {3, 2, 35, 7, 1};
    byte[] image =
        new BundleBuilder().add(id, bytes).add(AMDGPU + "gfx1030", Fixtures.elf("gfx1030")).build();

    OffloadBundle bundle = OffloadBundle.parse(image);

    assertThat(targets(bundle)).containsExactly("-", "gfx1030");
    assertThat(bundle.entries().get(0).bytes().mismatch(ByteBuffer.wrap(bytes))).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({
    "gfx906:sramecc+:xnack-, gfx906:xnack-",
    "gfx906:sramecc+:xnack+, gfx906",
    "gfx906,                 gfx906",
    "gfx900:xnack-,          gfx9-generic:xnack-",
    "gfx900:xnack+,          gfx9-generic",
    "gfx90a:sramecc+:xnack-, -",
  })
  void codeObjectFor_prefersTheOwnProcessorThenFixedFeaturesThenGeneric(
      String device, String expected) {
    OffloadBundle bundle =
        OffloadBundle.parse(
            new BundleBuilder()
                .add(HOST, new byte[0])
                .add(AMDGPU + "gfx9-generic", Fixtures.elf("gfx9-generic"))
                .add(
                    AMDGPU + "gfx9-generic:xnack-",
                    Metadata.retargeted(
                        Fixtures.elf("gfx9-generic"), 0x0100_0251, 6, "gfx9-generic:xnack-"))
                .add(AMDGPU + "gfx906", Fixtures.elf("gfx906"))
                .addV4("gfx906:xnack-", 0x62f)
                .build());

    assertThat(chosen(bundle, device)).isEqualTo(Optional.of(expected).filter(t -> !t.equals("-")));
  }

  @Test
  void parse_ofAPayloadForAnotherTarget_namesBoth() {
    byte[] bundle = new BundleBuilder().add(AMDGPU + "gfx90a", Fixtures.elf("gfx908")).build();

    MalformedCodeObjectException e = refused(bundle);

    assertThat(e.expectation())
        .isEqualTo("entry 'hipv4-amdgcn-amd-amdhsa--gfx90a' must be for gfx90a, is for gfx908");
    assertThat(e.offset()).isEqualTo(96 + 48);
  }

  @Test
  void parse_ofAPayloadWithOtherFeatures_isRefused() {
    byte[] bundle = new BundleBuilder().addV4("gfx90a:xnack+", 0x63f).build();

    assertThat(refused(bundle).expectation())
        .endsWith("must be for gfx90a:xnack+, is for gfx90a:xnack-");
  }

  @Test
  void parse_ofADamagedPayload_countsFromTheBundlesStart() {
    byte[] elf = Fixtures.patched(Fixtures.elf("gfx90a"), 16, 2, 1);
    byte[] bundle = new BundleBuilder().add(AMDGPU + "gfx90a", elf).build();

    assertThat(refused(bundle))
        .hasMessage(
            "malformed code object at byte 112: entry 'hipv4-amdgcn-amd-amdhsa--gfx90a': e_type"
                + " (ET_DYN, a linked image) must be 3, is 1");
  }

  @ParameterizedTest
  @CsvSource({
    "hipv4-amdgcn-amd-amdhsa--gfx1030, hipv4-amdgcn-amd-amdhsa--gfx1030",
    "hip-amdgcn-amd-amdhsa--gfx1030,   hipv4-amdgcn-amd-amdhsa--gfx1030",
    "host-x86_64-unknown-linux,        host-x86_64-unknown-linux",
  })
  void parse_ofTwoEntriesForOneTarget_isRefused(String first, String second) {
    byte[] elf = Fixtures.elf("gfx1030");
    byte[] bundle = new BundleBuilder().add(first, elf).add(second, elf).build();

    assertThat(refused(bundle).expectation())
        .isEqualTo("entry '" + second + "' must be the only one for its target");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "24 | 0    | 24 | the number of entries must be 1 to 1024, is 0",
        "24 | 1025 | 24 | the number of entries must be 1 to 1024, is 1025",
        "24 | -1   | 24 | the number of entries must be 1 to 1024, is 18446744073709551615",
        "32 | -1   | 32 | entry 'hipv4-amdgcn-amd-amdhsa--gfx1030' (3352 bytes at offset"
            + " 18446744073709551615) must lie inside the image of 3456 bytes",
        "32 | 105  | 32 | entry 'hipv4-amdgcn-amd-amdhsa--gfx1030' (3352 bytes at offset 105) must"
            + " lie inside the image of 3456 bytes",
        "32 | 80   | 32 | entry 'hipv4-amdgcn-amd-amdhsa--gfx1030' must begin at 88 or later, behind the"
            + " table and the entry before, begins at 80",
        "40 | 9223372036854775807 | 32 | entry 'hipv4-amdgcn-amd-amdhsa--gfx1030'"
            + " (9223372036854775807 bytes at offset 96) must lie inside the image of 3456 bytes",
        "48 | 0    | 48 | the length of an entry's ID must be 1 to 4095, is 0",
        "48 | 4096 | 48 | the length of an entry's ID must be 1 to 4095, is 4096",
        "48 | -9   | 48 | the length of an entry's ID must be 1 to 4095, is 18446744073709551607",
        "56 | 10   | 56 | an entry's ID must be printable ASCII, is"
            + " '\\u000a\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000dgcn-amd-amdhsa--gfx1030'",
      })
  void parse_ofAWrongHeaderField_blamesItsOffset(
      int field, long value, long offset, String expectation) {
    byte[] good = new BundleBuilder().add(AMDGPU + "gfx1030", Fixtures.elf("gfx1030")).build();

    MalformedCodeObjectException e = refused(Fixtures.patched(good, field, Long.BYTES, value));

    assertThat(e.expectation()).isEqualTo(expectation);
    assertThat(e.offset()).isEqualTo(offset);
  }

  @Test
  void parse_ofEntriesThatOverlap_isRefused() {
    byte[] bundle =
        new BundleBuilder()
            .add(AMDGPU + "gfx1030", Fixtures.elf("gfx1030"))
            .add(HOST, new byte[16])
            .build();

    MalformedCodeObjectException e = refused(Fixtures.patched(bundle, 88, 8, 160));

    assertThat(e.offset()).isEqualTo(88);
    assertThat(e.expectation())
        .isEqualTo(
            "entry 'host-x86_64-unknown-linux-gnu-' must begin at 3496 or later, behind the table"
                + " and the entry before, begins at 160");
  }

  @Test
  void parse_ofAPayloadWithDamagedMetadata_isRefused() {
    byte[] elf = Metadata.replaced(Fixtures.elf("gfx90a"), new byte[] {0});
    byte[] bundle = new BundleBuilder().add(AMDGPU + "gfx90a", elf).build();

    assertThat(refused(bundle).expectation())
        .startsWith("entry 'hipv4-amdgcn-amd-amdhsa--gfx90a': the metadata must be a map");
  }

  @Test
  void parse_ofAnArchiveOfCodeObjects_asAnEntry_saysWhatToDo() {
    byte[] archive = "!<arch>\n".getBytes(StandardCharsets.US_ASCII);

    assertThat(refused(new BundleBuilder().add(AMDGPU + "gfx90a", archive).build()).expectation())
        .endsWith("found an archive, as -fgpu-rdc makes; link it first");
  }

  @Test
  void parse_ofAPlainCodeObject_saysSo() {
    assertThat(refused(Fixtures.elf("gfx90a")).expectation())
        .isEqualTo("expected an offload bundle, found an ELF image, not a bundle");
  }

  @Test
  void parse_ofEveryTruncation_isRefused() {
    Damage.checkEveryTruncation(Fixtures.resource("/bundle/hip-5.2.hsaco"), OffloadBundle::parse);
  }

  @Test
  void parse_ofEveryBitFlipInTheHeader_givesABundleOrRefuses() {
    byte[] bundle = Fixtures.resource("/bundle/hip-5.2.hsaco");

    assertThat(Damage.checkEveryBitFlip(bundle, 256, OffloadBundle::parse)).isGreaterThan(500);
  }

  @Test
  void parse_copiesItsBytes() {
    byte[] image = Fixtures.resource("/bundle/hip-5.2.hsaco");
    OffloadBundle bundle = OffloadBundle.parse(image);

    Arrays.fill(image, (byte) 0);

    assertThat(chosen(bundle, "gfx1030")).contains("gfx1030");
  }

  private static List<String> targets(OffloadBundle bundle) {
    return bundle.entries().stream()
        .map(entry -> entry.target().map(TargetId::toString).orElse("-"))
        .toList();
  }

  private static Optional<String> chosen(OffloadBundle bundle, String device) {
    return bundle.codeObjectFor(TargetId.parse(device)).map(code -> code.target().toString());
  }

  private static byte[] v3(byte[] elf) {
    return Fixtures.patched(elf, 8, 1, 1);
  }

  private static MalformedCodeObjectException refused(byte[] bundle) {
    return Damage.refusal(bundle, OffloadBundle::parse);
  }

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
