// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Locale;

/** What the tests of cubins and of PTX have in common. */
final class NvidiaImages {
  private NvidiaImages() {}

  static byte[] image(String name) {
    return Fixtures.resource("/nvidia/" + name);
  }

  static String text(String name) {
    return new String(image(name), UTF_8);
  }

  static CodeObject codeObject(String name) {
    return CodeObject.parse(image(name));
  }

  static KernelMetadata kernel(String image, String name) {
    return codeObject(image).kernels().stream()
        .filter(kernel -> kernel.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the offsets and sizes of a kernel's arguments, such as {@code 0+8 8+4}. */
  static String arguments(KernelMetadata kernel) {
    return kernel.arguments().stream()
        .map(it -> String.format(Locale.ROOT, "%d+%d", it.offset(), it.size()))
        .collect(joining(" "));
  }

  /** Checks that an image with any one bit changed is a code object or refused. */
  static void checkEveryBitFlip(byte[] image) {
    for (int bit = 0; bit < 8 * image.length; bit++) {
      byte[] flipped = image.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      checkAnything(flipped, "bit " + bit);
    }
  }

  /** Checks that bytes are a code object or refused. */
  static void checkAnything(byte[] image, String what) {
    Throwable thrown = catchThrowable(() -> CodeObject.parse(image));
    if (thrown != null) {
      assertThat(thrown).as(what).isInstanceOf(MalformedCodeObjectException.class);
      Invariants.checkRefusal((MalformedCodeObjectException) thrown, image.length);
    }
  }

  static MalformedCodeObjectException refusal(byte[] image) {
    MalformedCodeObjectException refusal =
        catchThrowableOfType(MalformedCodeObjectException.class, () -> CodeObject.parse(image));
    assertThat(refusal).as("it is refused").isNotNull();
    Invariants.checkRefusal(refusal, image.length);
    return refusal;
  }
}
