// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * A symbol.
 *
 * @param entry where it stands in the image
 * @param name where its name begins in the string table
 * @param info its type and binding
 * @param section the index of the section that it belongs to, or a special one
 */
record ElfSymbol(long entry, long name, int info, int section, long value, long size) {
  static final int SIZE = 24;

  static final int STT_OBJECT = 1;
  static final int STT_FUNC = 2;
  private static final int STT_AMDGPU_HSA_KERNEL = 10;
  private static final int STB_LOCAL = 0;

  static ElfSymbol read(ImageReader image, long entry) {
    return new ElfSymbol(
        entry,
        image.u32(entry, "st_name"),
        image.u8(entry + 4, "st_info"),
        image.u16(entry + 6, "st_shndx"),
        image.u64(entry + 8, "st_value"),
        image.u64(entry + 16, "st_size"));
  }

  private int type() {
    return info & 0xf;
  }

  boolean isObject() {
    return type() == STT_OBJECT;
  }

  boolean isFunction() {
    return type() == STT_FUNC;
  }

  /** Returns whether it is a kernel of code object version 2, which later versions do not have. */
  boolean isKernel() {
    return type() == STT_AMDGPU_HSA_KERNEL;
  }

  boolean isLocal() {
    return info >>> 4 == STB_LOCAL;
  }
}
