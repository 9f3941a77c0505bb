// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * A section. {@link ElfImage} checked that its bytes lie inside the image.
 *
 * @param header where its header is
 */
record ElfSection(
    long header,
    int type,
    long flags,
    long address,
    long offset,
    long size,
    long link,
    long info,
    long alignment) {
  static final int HEADER_SIZE = 64;

  static final int SHT_NULL = 0;
  static final int SHT_PROGBITS = 1;
  static final int SHT_SYMTAB = 2;
  static final int SHT_STRTAB = 3;
  static final int SHT_RELA = 4;
  static final int SHT_NOTE = 7;
  static final int SHT_NOBITS = 8;
  static final int SHT_DYNSYM = 11;

  private static final long SHF_ALLOC = 2;

  static ElfSection read(ImageReader image, long header) {
    return new ElfSection(
        header,
        (int) image.u32(header + 4, "sh_type"),
        image.u64(header + 8, "sh_flags"),
        image.u64(header + 16, "sh_addr"),
        image.u64(header + 24, "sh_offset"),
        image.u64(header + 32, "sh_size"),
        image.u32(header + 40, "sh_link"),
        image.u32(header + 44, "sh_info"),
        image.u64(header + 48, "sh_addralign"));
  }

  boolean isSymbolTable() {
    return type == SHT_SYMTAB || type == SHT_DYNSYM;
  }

  /** Returns whether it has a place in the memory of the loaded image. */
  boolean isLoaded() {
    return (flags & SHF_ALLOC) != 0;
  }

  /** Returns where it ends in the file. */
  long end() {
    return type == SHT_NOBITS ? offset : offset + size;
  }

  /** Returns whether {@code length} bytes at {@code start} in memory are its own. */
  boolean holds(long start, long length) {
    return start >= address && length >= 0 && length <= size && start - address <= size - length;
  }
}
