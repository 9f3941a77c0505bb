// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompressedBundleTest {
  private static final List<Compression> FORMS = Compression.ALL;
  private static final byte[] PLAIN = Fixtures.resource("/bundle/hip-5.2.hsaco");

  @ParameterizedTest
  @ValueSource(strings = {"hip-6.4-compressed", "hip-6.4-compressed-v3"})
  void parse_ofHipcc64_findsTheHostAndTheCodeObject(String name) {
    OffloadBundle bundle = OffloadBundle.parse(Fixtures.resource("/bundle/" + name + ".hsaco"));

    assertThat(bundle.entries())
        .extracting(OffloadBundle.Entry::id)
        .containsExactly("host-x86_64-unknown-linux-gnu-", "hipv4-amdgcn-amd-amdhsa--gfx942");
    CodeObject code = bundle.codeObjectFor(TargetId.parse("gfx942:sramecc+:xnack-")).orElseThrow();
    assertThat(code.target()).hasToString("gfx942");
    assertThat(code.abiVersion()).isEqualTo(6);
  }

  @ParameterizedTest
  @FieldSource("FORMS")
  void parse_ofEveryForm_givesWhatThePlainBundleGives(Compression form) {
    OffloadBundle bundle = OffloadBundle.parse(form.compress(PLAIN));

    assertThat(bundle.entries()).isEqualTo(OffloadBundle.parse(PLAIN).entries());
  }

  @ParameterizedTest
  @FieldSource("FORMS")
  void parse_followedByZeros_isASectionsPadding(Compression form) {
    byte[] image = form.compress(PLAIN);
    byte[] padded = Arrays.copyOf(image, image.length + 100);

    if (form.version() == 1) {
      // It does not say where it ends, so its compressed bytes have to.
      assertThat(refused(padded).expectation()).contains("compressed bytes must");
    } else {
      assertThat(OffloadBundle.parse(padded).entries()).hasSize(3);
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 0", "2, 1", "3, 0", "3, 1"})
  void parse_followedByAnotherBundle_isRefused(int version, int method) {
    byte[] one = new Compression(version, method).compress(PLAIN);
    byte[] two = Arrays.copyOf(one, 2 * one.length);
    System.arraycopy(one, 0, two, one.length, one.length);

    MalformedCodeObjectException e = refused(two);

    assertThat(e.offset()).isEqualTo(one.length);
    assertThat(e.expectation())
        .isEqualTo("nothing but zeros may follow a compressed bundle of " + one.length + " bytes");
  }

  /** What nobody reads is no part of a bundle, even if it is sound and empty. */
  @ParameterizedTest
  @FieldSource("FORMS")
  void parse_ofASecondStreamBehindTheFirst_isRefused(Compression form) {
    byte[] one = form.method() == 0 ? Compression.deflate(PLAIN) : Zstd.compress(PLAIN);
    byte[] none =
        form.method() == 0 ? Compression.deflate(new byte[0]) : Zstd.compress(new byte[0]);
    byte[] both = Arrays.copyOf(one, one.length + none.length);
    System.arraycopy(none, 0, both, one.length, none.length);

    MalformedCodeObjectException e =
        refused(form.wrap(both, PLAIN.length, Compression.hash(PLAIN)));

    assertThat(e.offset()).isEqualTo(form.headerSize() + one.length);
    assertThat(e.expectation())
        .isEqualTo(
            "the compressed bytes must end with the bundle, at "
                + (form.headerSize() + both.length));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | 4  | 2 | 0         | 4  | the version of a compressed bundle must be 1 to 3, is 0",
        "1 | 4  | 2 | 4         | 4  | the version of a compressed bundle must be 1 to 3, is 4",
        "1 | 6  | 2 | 2         | 6  | the compression method must be 0 (zlib) or 1 (zstd), is 2",
        "1 | 8  | 4 | 31        | 8  | the uncompressed size must be 32 to 48000000, is 31",
        "1 | 8  | 4 | 48000001  | 8  | the uncompressed size must be 32 to 48000000, is 48000001",
        "2 | 8  | 4 | 23        | 8  | the size must be at least its header's 24, is 23",
        "2 | 12 | 4 | -1        | 12 | the uncompressed size must be 32 to 48000000, is 4294967295",
        "3 | 8  | 8 | -1        | 8  | the compressed bundle (18446744073709551615 bytes at offset 0)"
            + " must lie inside the image of ",
        "3 | 16 | 8 | -1        | 16 | the uncompressed size must be 32 to 48000000, is"
            + " 18446744073709551615",
        "3 | 24 | 8 | 1         | 24 | the hash must be ",
      })
  void parse_ofAWrongHeaderField_blamesItsOffset(
      int version, int field, int width, long value, long offset, String expectation) {
    for (int method = 0; method <= 1; method++) {
      byte[] image = new Compression(version, method).compress(PLAIN);

      MalformedCodeObjectException e = refused(Fixtures.patched(image, field, width, value));

      assertThat(e.expectation()).startsWith(expectation);
      assertThat(e.offset()).isEqualTo(offset);
    }
  }

  @ParameterizedTest
  @FieldSource("FORMS")
  void parse_ofAnUncompressedSizeThatIsOneOff_isRefused(Compression form) {
    byte[] image = form.compress(PLAIN);
    int field = form.headerSize() - 8 - (form.version() == 3 ? 8 : 4);

    for (int size : new int[] {PLAIN.length - 1, PLAIN.length + 1}) {
      MalformedCodeObjectException e = refused(Fixtures.patched(image, field, 4, size));

      assertThat(e.offset()).isEqualTo(field);
      assertThat(e.expectation()).matches("the uncompressed size must be .*, is " + size);
    }
  }

  @Test
  void parse_ofZstdThatDoesNotStateItsSize_isReadAndChecked() throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (ZstdOutputStream zstd = new ZstdOutputStream(stream)) {
      zstd.write(PLAIN);
    }
    byte[] frame = stream.toByteArray();
    assertThat(Zstd.getFrameContentSize(frame)).isEqualTo(-1);
    Compression form = new Compression(3, 1);
    long hash = Compression.hash(PLAIN);

    assertThat(OffloadBundle.parse(form.wrap(frame, PLAIN.length, hash)).entries()).hasSize(3);
    for (int size : new int[] {PLAIN.length - 1, PLAIN.length + 1}) {
      assertThat(refused(form.wrap(frame, size, hash)).offset()).isBetween(16L, 32L);
    }
  }

  @ParameterizedTest
  @FieldSource("FORMS")
  void parse_ofACompressedBundleInACompressedBundle_isRefused(Compression form) {
    assertThat(refused(form.compress(new Compression(2, 1).compress(PLAIN))).expectation())
        .isEqualTo(
            "uncompressed, expected an offload bundle, found a compressed offload bundle; take one"
                + " target's code object out of it");
  }

  @Test
  void parse_ofACompressedArchive_saysSo() {
    byte[] archive = Arrays.copyOf("!<arch>\n".getBytes(US_ASCII), 100);

    assertThat(refused(new Compression(2, 1).compress(archive)).expectation())
        .isEqualTo(
            "uncompressed, expected an offload bundle, found an archive, as -fgpu-rdc makes; link it"
                + " first");
  }

  static Stream<byte[]> realAndMade() {
    byte[] small =
        new BundleBuilder()
            .add("hipv4-amdgcn-amd-amdhsa--gfx1030", Fixtures.elf("gfx1030"))
            .build();
    return Stream.concat(
        Stream.of(
            Fixtures.resource("/bundle/hip-6.4-compressed.hsaco"),
            Fixtures.resource("/bundle/hip-6.4-compressed-v3.hsaco")),
        FORMS.stream().map(form -> form.compress(small)));
  }

  @ParameterizedTest
  @MethodSource("realAndMade")
  void parse_ofEveryTruncation_isRefused(byte[] image) {
    Damage.checkEveryTruncation(image, OffloadBundle::parse);
  }

  /** The hash sees to it: what is read is what was written, or nothing. */
  @ParameterizedTest
  @MethodSource("realAndMade")
  void parse_ofEveryBitFlip_givesTheSameBundleOrRefuses(byte[] image) {
    List<OffloadBundle.Entry> whole = OffloadBundle.parse(image).entries();

    int refused =
        Damage.checkEveryBitFlip(
            image,
            image.length,
            flipped -> {
              if (!OffloadBundle.parse(flipped).entries().equals(whole)) {
                fail("it gives another bundle");
              }
            });

    assertThat(refused).isGreaterThan(8 * image.length * 9 / 10);
  }

  /** A few bytes that claim 64 MB cost what a few bytes cost. */
  @ParameterizedTest
  @FieldSource("FORMS")
  void parse_ofAClaimThatCannotBeTrue_takesNoMemory(Compression form) {
    byte[] few = form.wrap(new byte[100], CompressedBundle.MOST_BYTES, 0);
    assertThat(refused(few).expectation()).startsWith("the uncompressed size must be at most");
    byte[] contradicting = form.wrap(Zstd.compress(PLAIN), 1_000_000, 0);
    long most = few.length + 100_000L;

    assertThat(allocated(() -> refused(few))).isLessThan(most);
    if (form.method() == 1) {
      assertThat(refused(contradicting).expectation())
          .isEqualTo("the uncompressed size must be 12136, as zstd's own header says, is 1000000");
      assertThat(allocated(() -> refused(contradicting))).isLessThan(most);
    }
  }

  /** The largest that may be is unpacked once, into one array. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void parse_ofALargestBundle_takesItsSizeOnce(int method) {
    byte[] image =
        new Compression(3, method).compress(Arrays.copyOf(PLAIN, CompressedBundle.MOST_BYTES));

    long bytes = allocated(() -> OffloadBundle.parse(image));

    assertThat(bytes).isBetween(48_000_000L, 49_000_000L);
  }

  @ParameterizedTest
  @FieldSource("FORMS")
  void parse_ofMoreThanTheClaim_stopsThere(Compression form) {
    byte[] bomb =
        form.method() == 0
            ? Compression.deflate(new byte[90_000_000])
            : Zstd.compress(new byte[90_000_000]);
    byte[] image = form.wrap(bomb, 1000, 0);

    assertThat(allocated(() -> refused(image))).isLessThan(200_000);
  }

  private static long allocated(Runnable task) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    task.run();
    long before = threads.getCurrentThreadAllocatedBytes();
    task.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static MalformedCodeObjectException refused(byte[] bundle) {
    return Damage.refusal(bundle, OffloadBundle::parse);
  }
}
