// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The test images among this module's resources. */
final class Fixtures {
  /** One linked code object per target that rustc 1.95 knows, each named after its target. */
  static final List<String> TARGETS =
      List.of(
          ("gfx600 gfx601 gfx602 gfx700 gfx701 gfx702 gfx703 gfx704 gfx705 gfx801 gfx802 gfx803"
                  + " gfx805 gfx810 gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx942"
                  + " gfx950 gfx1010 gfx1011 gfx1012 gfx1013 gfx1030 gfx1031 gfx1032 gfx1033"
                  + " gfx1034 gfx1035 gfx1036 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151"
                  + " gfx1152 gfx1153 gfx1200 gfx1201 gfx1250 gfx1251 gfx9-generic gfx9-4-generic"
                  + " gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic")
              .split(" "));

  private Fixtures() {}

  static byte[] elf(String target) {
    return resource("/elf/" + target + ".elf");
  }

  static byte[] resource(String name) {
    try (InputStream in = Fixtures.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a copy of {@code image} with a little-endian number of {@code width} bytes changed. */
  static byte[] patched(byte[] image, int offset, int width, long value) {
    byte[] changed = image.clone();
    byte[] number =
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value).array();
    System.arraycopy(number, 0, changed, offset, width);
    return changed;
  }
}
