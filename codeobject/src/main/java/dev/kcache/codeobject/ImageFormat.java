// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.util.Arrays;
import java.util.Optional;

/**
 * The formats that turn up where a code object or a bundle is expected, told apart by their first
 * bytes.
 */
enum ImageFormat {
  ELF("\u007fELF", "an ELF image, not a bundle"),
  BUNDLE("__CLANG_OFFLOAD_BUNDLE__", "an offload bundle; take one target's code object out of it"),
  COMPRESSED_BUNDLE("CCOB", "a compressed offload bundle; take one target's code object out of it"),
  BITCODE("BC\u00c0\u00de", "LLVM bitcode, which is not linked code"),
  WRAPPED_BITCODE("\u00de\u00c0\u0017\u000b", "LLVM bitcode, which is not linked code"),
  ARCHIVE("!<arch>\n", "an archive, as -fgpu-rdc makes; link it first"),
  THIN_ARCHIVE("!<thin>\n", "an archive, as -fgpu-rdc makes; link it first"),
  SPIRV("\u0003\u0002#\u0007", "SPIR-V, which is not code for one processor"),
  PTX("//", "PTX, code for NVIDIA GPUs"),
  BARE_PTX(".version", "PTX, code for NVIDIA GPUs"),
  CUDA_FAT_BINARY(
      "P\u00edU\u00ba",
      "a CUDA fat binary; nvcc -cubin or -ptx makes one target's code, and cuobjdump takes it out"),
  HIP_FAT_BINARY("FPIH", "the wrapper of a HIP fat binary, which holds only a pointer to it"),
  HIP_PACKED_BINARY("HIPK", "the wrapper of a HIP fat binary, which holds only a pointer to it");

  /** The first bytes, one character each. */
  private final String magic;

  private final String description;

  ImageFormat(String magic, String description) {
    this.magic = magic;
    this.description = description;
  }

  /** Returns whether the image begins as this format does. */
  boolean begins(ImageReader image) {
    return beginsAt(image, 0);
  }

  /** Returns whether there is at {@code offset} of the image what this format begins with. */
  boolean beginsAt(ImageReader image, long offset) {
    return image.holds(offset, magic.length()) && image.has(offset, magic);
  }

  /** Refuses an image of another format; the message names what it is. */
  static void require(ImageFormat expected, String name, ImageReader image) {
    if (!expected.begins(image)) {
      throw new MalformedCodeObjectException(0, "expected %s, found %s", name, describe(image));
    }
  }

  private static String describe(ImageReader image) {
    Optional<ImageFormat> format = Arrays.stream(values()).filter(f -> f.begins(image)).findFirst();
    return format
        .map(f -> f.description)
        .orElse(image.size() == 0 ? "no bytes" : "bytes of no format known here");
  }
}
