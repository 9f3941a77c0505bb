// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Any bytes are a bundle or refused; see {@code scripts/fuzz bundle}.
 *
 * <p>Blind changes to a compressed bundle only ever meet its hash and sizes. So an input that is
 * compressed is also tried with those put right, and one that is plain is also tried compressed,
 * which must make no difference.
 */
class OffloadBundleFuzzTest {
  @DictionaryEntries({
    // The numbers where sums and casts go wrong, and the words without which little is accepted.
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x7f",
    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80",
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff",
    "\\xff\\xff\\xff\\x7f",
    "\\xff\\xff\\xff\\xff",
    "CCOB",
    "hip-amdgcn-amd-amdhsa--",
    "hipv4-amdgcn-amd-amdhsa--",
    "gfx90a",
    ":sramecc+",
    ":xnack-"
  })
  @FuzzTest
  void parse(byte[] image) {
    Optional<List<OffloadBundle.Entry>> plain = read(image);
    Resealed.of(image).ifPresent(OffloadBundleFuzzTest::read);
    if (ImageFormat.BUNDLE.begins(new ImageReader(ByteBuffer.wrap(image))) && image.length >= 32) {
      Compression form = Compression.ALL.get(image.length % Compression.ALL.size());
      Invariants.require(
          read(form.compress(image)).equals(plain), form + " must read as the plain bundle does");
    }
  }

  private static Optional<List<OffloadBundle.Entry>> read(byte[] image) {
    OffloadBundle bundle;
    try {
      bundle = OffloadBundle.parse(image);
    } catch (MalformedCodeObjectException e) {
      Invariants.checkRefusal(e, CompressedBundle.MOST_BYTES);
      return Optional.empty();
    }
    Invariants.check(bundle);
    return Optional.of(bundle.entries());
  }
}
