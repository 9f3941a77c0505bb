// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ImageReader.require;

import java.nio.ByteBuffer;

/**
 * The checked header of a linked AMDGPU code object: a 64-bit little-endian ELF shared object whose
 * tables, segments and sections all lie inside the image.
 *
 * <p>The HSA runtime takes the process down on an image that breaks these rules, so everything that
 * it follows without looking is checked here first. Offsets and numbers are those of {@code
 * Elf64_Ehdr}, {@code Elf64_Phdr} and {@code Elf64_Shdr} in the System V ABI; what is AMDGPU's own
 * is from <a href="https://llvm.org/docs/AMDGPUUsage.html#amdgpu-elf-code-object">LLVM's AMDGPU
 * user guide</a>.
 *
 * @param version the code object version, 3 to 6
 */
record ElfImage(int version, ElfFlags flags) {
  private static final int HEADER_SIZE = 64;
  private static final int SEGMENT_SIZE = 56;
  private static final int SECTION_SIZE = 64;

  private static final int EM_CUDA = 190;
  private static final int EM_AMDGPU = 224;
  private static final int ELFOSABI_AMDGPU_HSA = 64;
  private static final int ET_DYN = 3;

  private static final int PT_LOAD = 1;
  private static final int PN_XNUM = 0xffff;

  private static final int SHT_NULL = 0;
  private static final int SHT_SYMTAB = 2;
  private static final int SHT_RELA = 4;
  private static final int SHT_DYNAMIC = 6;
  private static final int SHT_NOBITS = 8;
  private static final int SHT_DYNSYM = 11;

  /**
   * Returns what the header of {@code image} says.
   *
   * @throws MalformedCodeObjectException if the image breaks a rule that is checked here
   */
  static ElfImage check(ByteBuffer image) {
    ImageReader elf = new ImageReader(image);
    ImageFormat.require(ImageFormat.ELF, "an AMDGPU code object (ELF)", elf);
    elf.requireInside(0, 0, HEADER_SIZE, "the ELF header");
    require(4, "EI_CLASS (64-bit)", 2, elf.u8(4, "EI_CLASS"));
    require(5, "EI_DATA (little-endian)", 1, elf.u8(5, "EI_DATA"));
    require(6, "EI_VERSION", 1, elf.u8(6, "EI_VERSION"));
    requireMachine(elf.u16(18, "e_machine"));
    require(7, "EI_OSABI (AMDGPU HSA)", ELFOSABI_AMDGPU_HSA, elf.u8(7, "EI_OSABI"));
    require(16, "e_type (ET_DYN, a linked image)", ET_DYN, elf.u16(16, "e_type"));
    require(20, "e_version", 1, elf.u32(20, "e_version"));
    require(52, "e_ehsize", HEADER_SIZE, elf.u16(52, "e_ehsize"));
    int version = version(elf.u8(8, "EI_ABIVERSION"));
    ElfFlags flags = ElfFlags.parse(elf.u32(ElfFlags.OFFSET, "e_flags"), version);
    checkSegments(elf);
    checkSections(elf);
    return new ElfImage(version, flags);
  }

  private static void requireMachine(int machine) {
    if (machine != EM_AMDGPU) {
      throw new MalformedCodeObjectException(
          18,
          "e_machine must be %d (AMDGPU), is %d%s"
              .formatted(
                  EM_AMDGPU,
                  machine,
                  machine == EM_CUDA ? " (a cubin, code for an NVIDIA GPU)" : ""));
    }
  }

  private static int version(int abiVersion) {
    if (abiVersion < 1 || abiVersion > 4) {
      throw new MalformedCodeObjectException(
          8,
          "EI_ABIVERSION must be 1 to 4 (code object version 3 to 6), is %d".formatted(abiVersion));
    }
    return abiVersion + 2;
  }

  private static void checkSegments(ImageReader elf) {
    long table = elf.u64(32, "e_phoff");
    int count = elf.u16(56, "e_phnum");
    if (count == 0 || count == PN_XNUM) {
      throw new MalformedCodeObjectException(
          56, "e_phnum must be 1 to %d, is %d".formatted(PN_XNUM - 1, count));
    }
    require(54, "e_phentsize", SEGMENT_SIZE, elf.u16(54, "e_phentsize"));
    checkTable(elf, 32, table, (long) count * SEGMENT_SIZE, "the program header table");
    boolean loads = false;
    for (int i = 0; i < count; i++) {
      loads |= checkSegment(elf, table + (long) i * SEGMENT_SIZE, i);
    }
    if (!loads) {
      throw new MalformedCodeObjectException(
          table, "the program header table must have a PT_LOAD segment, has none");
    }
  }

  /** Returns whether the segment is one that is loaded. */
  private static boolean checkSegment(ImageReader elf, long header, int index) {
    long fileSize = elf.u64(header + 32, "p_filesz");
    elf.requireInside(header + 8, elf.u64(header + 8, "p_offset"), fileSize, "segment " + index);
    if (elf.u32(header, "p_type") != PT_LOAD) {
      return false;
    }
    long address = elf.u64(header + 16, "p_vaddr");
    long memorySize = elf.u64(header + 40, "p_memsz");
    if (Long.compareUnsigned(memorySize, fileSize) < 0) {
      throw new MalformedCodeObjectException(
          header + 40,
          "p_memsz of segment %d must be at least its p_filesz %d, is %s"
              .formatted(index, fileSize, Long.toUnsignedString(memorySize)));
    }
    if (address < 0 || memorySize < 0 || memorySize > Long.MAX_VALUE - address) {
      throw new MalformedCodeObjectException(
          header + 16,
          "p_vaddr + p_memsz of segment %d must stay below 2^63, are 0x%x + 0x%x"
              .formatted(index, address, memorySize));
    }
    return true;
  }

  private static void checkSections(ImageReader elf) {
    long table = elf.u64(40, "e_shoff");
    int count = elf.u16(60, "e_shnum");
    int names = elf.u16(62, "e_shstrndx");
    if (table == 0 && count == 0 && names == 0) {
      return;
    }
    require(58, "e_shentsize", SECTION_SIZE, elf.u16(58, "e_shentsize"));
    if (count == 0 || names >= count) {
      throw new MalformedCodeObjectException(
          62, "e_shstrndx must be below e_shnum %d, is %d".formatted(count, names));
    }
    checkTable(elf, 40, table, (long) count * SECTION_SIZE, "the section header table");
    for (int i = 0; i < count; i++) {
      checkSection(elf, table + (long) i * SECTION_SIZE, i);
    }
  }

  private static void checkSection(ImageReader elf, long header, int index) {
    int type = (int) elf.u32(header + 4, "sh_type");
    if (type == SHT_NULL || type == SHT_NOBITS) {
      return;
    }
    long size = elf.u64(header + 32, "sh_size");
    elf.requireInside(header + 24, elf.u64(header + 24, "sh_offset"), size, "section " + index);
    int entry =
        switch (type) {
          case SHT_SYMTAB, SHT_DYNSYM, SHT_RELA -> 24;
          case SHT_DYNAMIC -> 16;
          default -> 0;
        };
    if (entry != 0) {
      require(
          header + 56, "sh_entsize of section " + index, entry, elf.u64(header + 56, "sh_entsize"));
      if (size % entry != 0) {
        throw new MalformedCodeObjectException(
            header + 32,
            "sh_size of section %d must be a multiple of %d, is %d".formatted(index, entry, size));
      }
    }
  }

  private static void checkTable(ImageReader elf, long field, long offset, long size, String what) {
    elf.requireInside(field, offset, size, what);
    if (offset < HEADER_SIZE) {
      throw new MalformedCodeObjectException(
          field, "%s must follow the ELF header, is at offset %d".formatted(what, offset));
    }
  }
}
