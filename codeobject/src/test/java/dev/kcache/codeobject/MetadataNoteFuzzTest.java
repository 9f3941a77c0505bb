// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * Any bytes as the metadata of an image are a list of kernels or refused; see {@code scripts/fuzz
 * notes}.
 *
 * <p>Few changes of the metadata leave it in agreement with the descriptors of the image, so it is
 * read alone first.
 */
class MetadataNoteFuzzTest {
  /** Images by what tells their metadata from the others'. */
  private static final Map<String, byte[]> IMAGES =
      Map.of(
          "gfx906", Fixtures.resource("/kernels/hipcc-5.2-v3-gfx906_xnack+.co"),
          "gfx1030", Fixtures.resource("/kernels/hiprtc-5.2-gfx1030.co"),
          "gfx942", Fixtures.resource("/kernels/hiprtc-6.4-gfx942.co"));

  private static final byte[] OTHER_IMAGE = Fixtures.resource("/kernels/hipcc-5.2-gfx90a.co");

  @DictionaryEntries({
    // The numbers where sums and casts go wrong, and the words without which little is accepted.
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x7f",
    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80",
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff",
    "\\xff\\xff\\xff\\x7f",
    "\\xff\\xff\\xff\\xff",
    "amdhsa.kernels",
    ".args",
    ".offset",
    ".size",
    ".value_kind",
    ".reqd_workgroup_size",
    "\\xdd\\x7f",
    "\\xdf\\x7f"
  })
  @FuzzTest
  void parse(byte[] metadata) {
    byte[] image = Metadata.replaced(imageFor(metadata), metadata);
    ByteBuffer bytes = ByteBuffer.wrap(image);
    List<KernelMetadata> kernels;
    try {
      kernels =
          MetadataNote.kernels(new ImageReader(bytes), ElfImage.check(new ImageReader(bytes)));
    } catch (MalformedCodeObjectException e) {
      Invariants.checkRefusal(e, image.length);
      return;
    }
    Invariants.check(kernels);
    try {
      List<KernelMetadata> withReservations =
          KernelDescriptors.check(
              new ImageReader(bytes), ElfImage.check(new ImageReader(bytes)), kernels);
      Invariants.require(
          CodeObject.parse(image).kernels().equals(withReservations),
          "the image has these kernels");
    } catch (MalformedCodeObjectException e) {
      Invariants.checkRefusal(e, image.length);
    }
  }

  private static byte[] imageFor(byte[] metadata) {
    String text = new String(metadata, ISO_8859_1);
    return IMAGES.entrySet().stream()
        .filter(image -> text.contains(image.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(OTHER_IMAGE);
  }
}
