// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.stream.Stream;

/** Code objects of the tests. */
final class TestImages {
  /** The kernels that the stand-in computes, of HIP 5.2 (code object version 4), for gfx90a. */
  static final String KNOWN = "/dev/kcache/hip/standin/kernels/known-5.2-gfx90a.co";

  /** The same for gfx1030. */
  private static final String KNOWN_GFX1030 =
      "/dev/kcache/hip/standin/kernels/known-5.2-gfx1030.co";

  /** The same for {@code sm_90}, as a cubin. */
  static final String KNOWN_CUBIN = "/dev/kcache/hip/standin/kernels/known-sm_90.cubin";

  /** The same for {@code sm_75} and whatever came after it, as PTX. */
  static final String KNOWN_PTX = "/dev/kcache/hip/standin/kernels/known-compute_75.ptx";

  private TestImages() {}

  static CodeObject known() {
    return codeObject(KNOWN);
  }

  /** Returns the kernels that the stand-in computes for its default device. */
  static CodeObject known(Platform platform) {
    return codeObject(platform == Platform.AMD ? KNOWN : KNOWN_CUBIN);
  }

  /** Returns the kernels that the stand-in computes for a device. */
  static CodeObject knownFor(TargetId device) {
    return allKnown()
        .filter(code -> code.target().runsOn(device))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no code object for " + device));
  }

  static boolean hasKnownFor(TargetId device) {
    return allKnown().anyMatch(code -> code.target().runsOn(device));
  }

  /** What a device's own compiler made comes first. */
  private static Stream<CodeObject> allKnown() {
    return Stream.of(KNOWN, KNOWN_GFX1030, KNOWN_CUBIN, KNOWN_PTX).map(TestImages::codeObject);
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
