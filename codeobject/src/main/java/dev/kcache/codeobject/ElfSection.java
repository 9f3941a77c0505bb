// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * A section.
 *
 * @param header where its header is
 * @param name where its name is in the table of names
 */
record ElfSection(
    long header,
    long name,
    int type,
    long flags,
    long address,
    long offset,
    long size,
    long link,
    long info,
    long alignment,
    long entrySize) {
  static final int HEADER_SIZE = 64;

  static final int SHT_NULL = 0;
  static final int SHT_PROGBITS = 1;
  static final int SHT_SYMTAB = 2;
  static final int SHT_STRTAB = 3;
  static final int SHT_RELA = 4;
  static final int SHT_NOTE = 7;
  static final int SHT_NOBITS = 8;
  static final int SHT_REL = 9;
  static final int SHT_DYNSYM = 11;
  static final int SHT_CUDA_INFO = 0x7000_0000;
  static final int SHT_CUDA_COMPAT = 0x7000_0086;

  /** A section without bytes, in what sm_100 and up have for the finalizer. */
  static final int SHT_CUDA_RESERVED = 0x7000_0015;

  private static final long SHF_ALLOC = 2;
  private static final long SHF_EXECINSTR = 4;

  static ElfSection read(ImageReader image, long header) {
    return new ElfSection(
        header,
        image.u32(header, "sh_name"),
        (int) image.u32(header + 4, "sh_type"),
        image.u64(header + 8, "sh_flags"),
        image.u64(header + 16, "sh_addr"),
        image.u64(header + 24, "sh_offset"),
        image.u64(header + 32, "sh_size"),
        image.u32(header + 40, "sh_link"),
        image.u32(header + 44, "sh_info"),
        image.u64(header + 48, "sh_addralign"),
        image.u64(header + 56, "sh_entsize"));
  }

  boolean isSymbolTable() {
    return type == SHT_SYMTAB || type == SHT_DYNSYM;
  }

  boolean isCode() {
    return type == SHT_PROGBITS && (flags & SHF_EXECINSTR) != 0;
  }

  boolean hasBytes() {
    return type != SHT_NULL && type != SHT_NOBITS;
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
