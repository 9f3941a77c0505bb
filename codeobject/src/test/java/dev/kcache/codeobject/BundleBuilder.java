// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Writes an offload bundle by the format's own description, for good or ill. */
final class BundleBuilder {
  private static final int ALIGNMENT = 16;

  private final List<String> ids = new ArrayList<>();
  private final List<byte[]> contents = new ArrayList<>();

  BundleBuilder add(String id, byte[] content) {
    ids.add(id);
    contents.add(content);
    return this;
  }

  /** Adds an entry with the fixture for {@code target}, changed to be for that target. */
  BundleBuilder addV4(String target, long flags) {
    byte[] image = Metadata.retargeted(Fixtures.elf("gfx90a"), flags, 4, target);
    return add("hipv4-amdgcn-amd-amdhsa--" + target, image);
  }

  byte[] build() {
    int header = 32;
    int size = 0;
    for (int i = 0; i < ids.size(); i++) {
      header += 24 + ids.get(i).length();
      size += aligned(contents.get(i).length);
    }
    int offset = aligned(header);
    ByteBuffer bundle = ByteBuffer.allocate(offset + size).order(ByteOrder.LITTLE_ENDIAN);
    bundle.put("__CLANG_OFFLOAD_BUNDLE__".getBytes(ISO_8859_1)).putLong(ids.size());
    for (int i = 0; i < ids.size(); i++) {
      byte[] content = contents.get(i);
      bundle.putLong(offset).putLong(content.length).putLong(ids.get(i).length());
      bundle.put(ids.get(i).getBytes(ISO_8859_1));
      bundle.put(offset, content);
      offset += aligned(content.length);
    }
    return bundle.array();
  }

  private static int aligned(int size) {
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}
