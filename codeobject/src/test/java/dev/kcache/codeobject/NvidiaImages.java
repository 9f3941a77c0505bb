// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

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
}
