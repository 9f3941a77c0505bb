// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Code objects of the tests. */
final class TestImages {
  /** The kernels that the stand-in computes, of HIP 5.2 (code object version 4), for gfx90a. */
  static final String KNOWN = "/dev/kcache/hip/standin/kernels/known-5.2-gfx90a.co";

  private TestImages() {}

  static CodeObject known() {
    return codeObject(KNOWN);
  }

  static CodeObject codeObject(String resource) {
    return CodeObject.parse(bytes(resource));
  }

  static byte[] bytes(String resource) {
    try (InputStream in = TestImages.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + resource);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
