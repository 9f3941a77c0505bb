// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Arrays;
import java.util.function.Consumer;

/** What damaged bytes come to: whatever is read or refused, and never anything else. */
final class Damage {
  private Damage() {}

  /** Returns the refusal of an image that is no code object. */
  static MalformedCodeObjectException refusal(byte[] image) {
    MalformedCodeObjectException refusal = refusal(image, CodeObject::parse);
    Invariants.checkRefusal(refusal, image.length);
    return refusal;
  }

  /** Returns the refusal of bytes that {@code parse} must refuse. */
  static MalformedCodeObjectException refusal(byte[] image, Consumer<byte[]> parse) {
    MalformedCodeObjectException refusal =
        catchThrowableOfType(MalformedCodeObjectException.class, () -> parse.accept(image));
    assertThat(refusal).as("it is refused").isNotNull();
    return refusal;
  }

  /** Checks that an image is refused wherever it is cut. */
  static void checkEveryTruncation(byte[] image, Consumer<byte[]> parse) {
    for (int size = 0; size < image.length; size++) {
      byte[] truncated = Arrays.copyOf(image, size);
      assertThat(catchThrowable(() -> parse.accept(truncated)))
          .as("%d of %d bytes", size, image.length)
          .isInstanceOf(MalformedCodeObjectException.class);
    }
  }

  /**
   * Checks that an image with any one bit of its first bytes changed is read or refused.
   *
   * @return how many are refused
   */
  static int checkEveryBitFlip(byte[] image, int bytes, Consumer<byte[]> parse) {
    int refused = 0;
    for (int bit = 0; bit < 8 * bytes; bit++) {
      byte[] flipped = image.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      refused += checkAnything(flipped, "bit " + bit, parse) ? 0 : 1;
    }
    return refused;
  }

  /** Checks that an image is read or refused with any 8 bytes of it, aligned or not, so changed. */
  static void checkNumberAnywhere(byte[] image, long value, Consumer<byte[]> parse) {
    for (int offset = 0; offset + Long.BYTES <= image.length; offset++) {
      checkAnything(Fixtures.patched(image, offset, Long.BYTES, value), "at " + offset, parse);
    }
  }

  /** Checks that bytes are read or refused, and returns whether they are read. */
  static boolean checkAnything(byte[] image, String what, Consumer<byte[]> parse) {
    Throwable thrown = catchThrowable(() -> parse.accept(image));
    if (thrown != null) {
      assertThat(thrown).as(what).isInstanceOf(MalformedCodeObjectException.class);
      Invariants.checkRefusal((MalformedCodeObjectException) thrown, image.length);
    }
    return thrown == null;
  }
}
