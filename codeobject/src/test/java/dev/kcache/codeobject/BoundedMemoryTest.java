// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.core.MessagePacker;

/**
 * However large an image is, and whatever it says, at most 64 MB are taken before it is refused,
 * even if all that goes wrong is at its end.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BoundedMemoryTest {
  private static final int MOST = 64_000_000;

  private static final int SIZE = 120_000_000;
  private static final int FILL = 110_000_000;

  /** The room for all images but small ones, which is most of what these tests take themselves. */
  private final byte[] room = new byte[SIZE];

  @Test
  void parse_ofAMergedLibrary_readsAllOfIt() {
    SyntheticImage image =
        new SyntheticImage(room)
            .metadata(packer -> kernels(packer, 3, 5_000, 30))
            .kernelSymbols(5_000);

    CodeObject code = CodeObject.parse(image.build());

    assertThat(code.kernels()).hasSize(5_000).allMatch(kernel -> kernel.arguments().size() == 30);
  }

  /** What is counted is what is taken, or all other tests here would prove little. */
  @Test
  void take_isToldAsMuchAsIsTaken() {
    ByteBuffer image =
        new SyntheticImage(room)
            .metadata(packer -> kernels(packer, 3, 10_000, 10))
            .kernelSymbols(10_000)
            .build();
    ImageReader reader = new ImageReader(image);
    ElfImage elf = ElfImage.check(new ImageReader(image));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = threads.getCurrentThreadAllocatedBytes();
    List<KernelMetadata> kernels = ImageContents.of(reader, elf).kernels();
    long taken = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(kernels).hasSize(10_000);
    long counted = ImageReader.MOST_MEMORY - reader.memory();
    assertThat(taken).isBetween(counted / 2, counted);
  }

  @ParameterizedTest
  @CsvSource({"1, 2900000", "450000, 0"})
  void parse_ofManyKernelsOrArguments_isRefusedBeforeMuchIsTaken(int kernels, int arguments) {
    assertRefusedInBounds(
        new SyntheticImage(room).metadata(packer -> kernels(packer, 4, kernels, arguments)));
  }

  /** Each argument has keys of its own, or all have the same. */
  @ParameterizedTest
  @CsvSource({"61, 200000", "0, 400000"})
  void parse_ofManyKeys_isRefusedBeforeMuchIsTaken(int step, int arguments) {
    assertRefusedInBounds(
        new SyntheticImage(room)
            .metadata(
                packer -> {
                  kernelsHead(packer, 3, 1);
                  packer.packMapHeader(1).packString(".args").packArrayHeader(arguments);
                  for (int i = 0; i < arguments; i++) {
                    packer.packMapHeader(60);
                    for (int key = 0; key < 57; key++) {
                      packer.packString(Integer.toHexString(step * i + key)).packNil();
                    }
                    argumentValues(packer);
                  }
                }));
  }

  @Test
  void parse_ofHugeKeys_isRefusedBeforeMuchIsTaken() {
    assertRefusedInBounds(
        new SyntheticImage(room)
            .metadata(
                packer -> {
                  byte[] key = "k".repeat(FILL / 50).getBytes(UTF_8);
                  packer.packMapHeader(50);
                  for (int i = 0; i < 50; i++) {
                    key[i] = 'x';
                    packer.packRawStringHeader(key.length).writePayload(key);
                    packer.packNil();
                  }
                }));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 10_000, 1_000_000, FILL})
  void parse_ofLongTexts_isRefusedBeforeMuchIsTaken(int length) {
    byte[] text = "x".repeat(length).getBytes(UTF_8);
    assertRefusedInBounds(new SyntheticImage(room).metadata(packer -> named(packer, text)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u00e9", "\u20ac", "\ud83d\ude00", "\ufffd"})
  void parse_ofTextsBeyondAscii_isRefusedBeforeMuchIsTaken(String character) {
    byte[] text = character.repeat(20_000).getBytes(UTF_8);
    assertRefusedInBounds(new SyntheticImage(room).metadata(packer -> named(packer, text)));
  }

  @Test
  void parse_ofMuchThatIsPassedOver_isRefusedBeforeMuchIsTaken() {
    assertRefusedInBounds(
        new SyntheticImage(room)
            .metadata(
                packer -> {
                  packer.packMapHeader(2).packString("other").packArrayHeader(FILL);
                  for (int i = 0; i < FILL; i++) {
                    packer.packNil();
                  }
                }));
  }

  @Test
  void parse_ofManyNotesOfOthers_isRefusedBeforeMuchIsTaken() {
    byte[] note = "\7\0\0\0\0\0\0\0\40\0\0\0AMDGPU?\0".getBytes(UTF_8);
    int notes = FILL / note.length;

    assertRefusedInBounds(
        new SyntheticImage(room)
            .repeated(note, notes)
            .repeated(new byte[] {7, 0, 0, 0}, 3)
            .notes(4096, notes * note.length + 12));
  }

  @ParameterizedTest
  @CsvSource({"2, ''", "2, x", "2, a_name_that_is_no_kernel_s", "1, variable"})
  void parse_ofManyFunctionsOrVariables_isRefusedBeforeMuchIsTaken(int type, String name) {
    assertRefusedInBounds(
        new SyntheticImage(room)
            .symbols(4_000_000, type, name)
            .metadata(packer -> kernels(packer, 3, 1, 0)));
  }

  @Test
  void parse_ofManySegments_isRefusedBeforeMuchIsTaken() {
    assertRefusedInBounds(new SyntheticImage(room).segments(0xfffe));
  }

  @Test
  void parse_ofManySections_takesLittleForEach() {
    ByteBuffer image =
        new SyntheticImage(room)
            .sections(0xffff)
            .metadata(packer -> kernels(packer, 3, 1, 0))
            .build();

    assertThat(allocated(() -> CodeObject.parse(image))).isLessThan(image.remaining() + 8_000_000);
  }

  @Test
  void parse_ofALargeImageWithAFaultAtItsEnd_isNotCopied() {
    assertRefusedInBounds(
        new SyntheticImage(room)
            .repeated(new byte[1000], FILL / 1000)
            .metadata(packer -> kernels(packer, 3, 1, 0)));
  }

  @Test
  void parse_ofALargeBundleWithAFaultAtItsEnd_isNotCopied() {
    byte[] kernels = arrayOf(faulty(30_000_000));
    BundleBuilder bundle = new BundleBuilder();
    bundle.add("host-x86_64-unknown-linux--", new byte[20_000_000]);
    byte[] image = bundle.add("hipv4-amdgcn-amd-amdhsa--gfx90a", kernels).build();

    assertThat(allocated(() -> OffloadBundle.parse(image))).isLessThan(MOST);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void parse_ofACompressedBundleWithAFaultAtItsEnd_isRefusedBeforeMuchIsTaken(int method) {
    byte[] kernels = arrayOf(faulty(47_900_000));
    byte[] bundle = new BundleBuilder().add("hipv4-amdgcn-amd-amdhsa--gfx90a", kernels).build();
    byte[] image = new Compression(3, method).compress(bundle);

    assertThat(allocated(() -> OffloadBundle.parse(image))).isLessThan(MOST);
  }

  /** An image of much metadata that ends too early. */
  private static SyntheticImage faulty(int size) {
    return new SyntheticImage(new byte[size])
        .metadata(packer -> kernels(packer, 4, 1, (size - 10_000) / 40));
  }

  private static byte[] arrayOf(SyntheticImage built) {
    ByteBuffer image = built.build();
    byte[] bytes = new byte[image.remaining()];
    image.get(bytes);
    return bytes;
  }

  private static void assertRefusedInBounds(SyntheticImage image) {
    ByteBuffer bytes = image.build();
    assertThat(allocated(() -> CodeObject.parse(bytes))).isLessThan(MOST);
  }

  /** Returns how many bytes a refusal takes. */
  static long allocated(Runnable parse) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    AtomicReference<Long> bytes = new AtomicReference<>();
    MalformedCodeObjectException refusal =
        catchThrowableOfType(
            MalformedCodeObjectException.class,
            () -> {
              long before = threads.getCurrentThreadAllocatedBytes();
              try {
                parse.run();
              } finally {
                bytes.set(threads.getCurrentThreadAllocatedBytes() - before);
              }
            });
    Invariants.checkRefusal(Objects.requireNonNull(refusal), SIZE);
    return bytes.get();
  }

  /** Writes the head of the metadata, of which {@code keys - 3} keys are missing at the end. */
  private static void kernelsHead(MessagePacker packer, int keys, int kernels) throws IOException {
    packer.packMapHeader(keys);
    packer.packString("amdhsa.version").packArrayHeader(2).packInt(1).packInt(1);
    packer.packString("amdhsa.target").packString("amdgcn-amd-amdhsa--gfx90a");
    packer.packString("amdhsa.kernels").packArrayHeader(kernels);
  }

  private static void kernels(MessagePacker packer, int keys, int kernels, int arguments)
      throws IOException {
    kernelsHead(packer, keys, kernels);
    for (int i = 0; i < kernels; i++) {
      packer.packMapHeader(11);
      packer.packString(".args").packArrayHeader(arguments);
      for (int argument = 0; argument < arguments; argument++) {
        packer.packMapHeader(3);
        argumentValues(packer);
      }
      kernelValues(packer, i);
    }
  }

  private static void kernelValues(MessagePacker packer, int index) throws IOException {
    packer.packString(".name").packString("k" + index);
    packer.packString(".symbol").packString("k" + index + ".kd");
    packer.packString(".kernarg_segment_size").packInt(SyntheticImage.KERNARG_SIZE);
    packer.packString(".kernarg_segment_align").packInt(8);
    packer.packString(".group_segment_fixed_size").packInt(0);
    packer.packString(".private_segment_fixed_size").packInt(0);
    packer.packString(".wavefront_size").packInt(64);
    packer.packString(".max_flat_workgroup_size").packInt(1024);
    packer.packString(".vgpr_count").packInt(8);
    packer.packString(".sgpr_count").packInt(8);
  }

  private static void argumentValues(MessagePacker packer) throws IOException {
    packer.packString(".offset").packInt(0);
    packer.packString(".size").packInt(8);
    packer.packString(".value_kind").packString("by_value");
  }

  /** Writes a kernel with arguments that all have one name, as many as fill the image. */
  private static void named(MessagePacker packer, byte[] name) throws IOException {
    int arguments = (FILL - 1000) / (name.length + 50) + 1;
    kernelsHead(packer, 4, 1);
    packer.packMapHeader(1).packString(".args").packArrayHeader(arguments);
    for (int i = 0; i < arguments; i++) {
      packer.packMapHeader(4).packString(".name").packRawStringHeader(name.length);
      packer.writePayload(name);
      argumentValues(packer);
    }
  }
}
