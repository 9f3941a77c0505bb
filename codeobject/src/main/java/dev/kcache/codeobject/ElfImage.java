// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ElfSection.SHT_DYNSYM;
import static dev.kcache.codeobject.ElfSection.SHT_NULL;
import static dev.kcache.codeobject.ElfSection.SHT_RELA;
import static dev.kcache.codeobject.ElfSection.SHT_SYMTAB;
import static dev.kcache.codeobject.ImageReader.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The checked header of a linked AMDGPU code object: a 64-bit little-endian ELF shared object whose
 * tables, segments and sections all lie inside the image.
 *
 * <p>The HSA runtime takes the process down on an image that breaks these rules, so every field
 * that it follows unchecked is checked here first. Offsets and numbers are those of {@code
 * Elf64_Ehdr}, {@code Elf64_Phdr} and {@code Elf64_Shdr} in the System V ABI; what is AMDGPU's own
 * is from <a href="https://llvm.org/docs/AMDGPUUsage.html#amdgpu-elf-code-object">LLVM's AMDGPU
 * user guide</a>.
 *
 * @param version the code object version, 3 to 6
 * @param segments the segments of the program header table, in order
 * @param loaded the loaded ones, at least one; they ascend and do not overlap
 * @param sections the sections of the section header table, if there is one
 */
record ElfImage(
    int version,
    ElfFlags flags,
    List<Segment> segments,
    List<Segment> loaded,
    Optional<ElfSections> sections) {

  /**
   * A segment, which lies inside the image.
   *
   * @param header where its program header is
   * @param address where it is loaded, relative to the code object's base
   */
  record Segment(
      long header, int type, int flags, long offset, long address, long fileSize, long memorySize) {
    boolean isNote() {
      return type == PT_NOTE;
    }

    /** Returns where it ends in memory. */
    long end() {
      return address + memorySize;
    }

    boolean isExecutable() {
      return (flags & PF_X) != 0;
    }

    /** Returns whether {@code size} bytes at {@code start} in memory come from the image. */
    boolean holds(long start, long size) {
      return start >= address && size <= fileSize && start - address <= fileSize - size;
    }
  }

  /** Returns the memory that the segments take once they are loaded, from address 0, in bytes. */
  long loadedSize() {
    return loaded.get(loaded.size() - 1).end();
  }

  /** Returns whether a byte lies in that memory. */
  boolean isLoaded(long address) {
    return address >= 0 && address < loadedSize();
  }

  /**
   * Refuses what does not lie in that memory. What has no bytes needs a place for one all the same,
   * since the loader looks for its address.
   */
  void requireLoaded(long field, String what, long address, long size) {
    long needed = Math.max(size, 1);
    if (address < 0 || size < 0 || needed > loadedSize() || address > loadedSize() - needed) {
      throw new MalformedCodeObjectException(
          field,
          "%s (%s bytes at 0x%x) must lie in loaded memory, 0x0 to 0x%x",
          what,
          Long.toUnsignedString(size),
          address,
          loadedSize());
    }
  }

  /** Returns whether a section's byte at an address is the one that its segment loads there. */
  boolean loads(ElfSection section, long address) {
    long base = section.offset() - section.address();
    return loaded.stream()
        .anyMatch(
            segment -> segment.holds(address, 1) && segment.offset() - segment.address() == base);
  }

  private static final int HEADER_SIZE = 64;
  private static final int SEGMENT_SIZE = 56;

  private static final int EM_X86_64 = 62;
  private static final int EM_CUDA = 190;
  private static final int EM_AMDGPU = 224;
  private static final int ELFOSABI_AMDGPU_HSA = 64;
  private static final int ET_DYN = 3;

  private static final int PT_LOAD = 1;
  private static final int PT_NOTE = 4;
  private static final int PF_X = 1;

  /** More than linkers make, which is about ten. */
  private static final int MOST_SEGMENTS = 1024;

  private static final int SHT_DYNAMIC = 6;

  /** Returns whether an image is an ELF image of NVIDIA's, which {@link CubinReader} reads. */
  static boolean isCubin(ImageReader image) {
    return ImageFormat.ELF.begins(image)
        && image.holds(0, HEADER_SIZE)
        && image.u16(18, "e_machine") == EM_CUDA;
  }

  /**
   * Returns what the header of an image says.
   *
   * @throws MalformedCodeObjectException if the image breaks a rule that is checked here
   */
  static ElfImage check(ImageReader elf) {
    ImageFormat.require(ImageFormat.ELF, "an AMDGPU ELF", elf);
    elf.requireInside(0, 0, HEADER_SIZE, "the ELF header");
    requireClass(elf);
    requireMachine(elf.u16(18, "e_machine"));
    require(7, "EI_OSABI (AMDGPU HSA)", ELFOSABI_AMDGPU_HSA, elf.u8(7, "EI_OSABI"));
    require(16, "e_type (ET_DYN, a linked image)", ET_DYN, elf.u16(16, "e_type"));
    int version = version(elf.u8(8, "EI_ABIVERSION"));
    ElfFlags flags = ElfFlags.parse(elf.u32(ElfFlags.OFFSET, "e_flags"), version);
    List<Segment> segments = segments(elf);
    return new ElfImage(version, flags, segments, loaded(elf, segments), sections(elf));
  }

  /** Refuses an ELF image that is not of 64 bits, little-endian and of the one version there is. */
  static void requireClass(ImageReader elf) {
    require(4, "EI_CLASS (64-bit)", 2, elf.u8(4, "EI_CLASS"));
    require(5, "EI_DATA (little-endian)", 1, elf.u8(5, "EI_DATA"));
    require(6, "EI_VERSION", 1, elf.u8(6, "EI_VERSION"));
    require(20, "e_version", 1, elf.u32(20, "e_version"));
    require(52, "e_ehsize", HEADER_SIZE, elf.u16(52, "e_ehsize"));
  }

  private static void requireMachine(int machine) {
    if (machine != EM_AMDGPU) {
      throw new MalformedCodeObjectException(
          18,
          "e_machine must be %d (AMDGPU), is %d%s",
          EM_AMDGPU,
          machine,
          switch (machine) {
            case EM_CUDA -> " (a cubin, code for an NVIDIA GPU)";
            case EM_X86_64 -> " (x86-64, code for the host)";
            default -> "";
          });
    }
  }

  private static int version(int abiVersion) {
    if (abiVersion < 1 || abiVersion > 4) {
      throw new MalformedCodeObjectException(
          8, "EI_ABIVERSION must be 1 to 4 (code object version 3 to 6), is %d", abiVersion);
    }
    return abiVersion + 2;
  }

  private static List<Segment> segments(ImageReader elf) {
    long table = elf.u64(32, "e_phoff");
    int count = elf.u16(56, "e_phnum");
    if (count == 0 || count > MOST_SEGMENTS) {
      throw new MalformedCodeObjectException(
          56, "e_phnum must be 1 to %d, is %d", MOST_SEGMENTS, count);
    }
    require(54, "e_phentsize", SEGMENT_SIZE, elf.u16(54, "e_phentsize"));
    checkTable(elf, 32, table, (long) count * SEGMENT_SIZE, "the program header table");
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      segments.add(segment(elf, table + (long) i * SEGMENT_SIZE, i));
    }
    return List.copyOf(segments);
  }

  /** Returns the loaded segments, which by the ABI ascend and do not overlap. */
  private static List<Segment> loaded(ImageReader elf, List<Segment> segments) {
    List<Segment> loaded = new ArrayList<>();
    long end = 0;
    for (Segment segment : segments) {
      if (segment.type() == PT_LOAD) {
        if (segment.address() < end) {
          throw new MalformedCodeObjectException(
              segment.header() + 16,
              "p_vaddr must be at least 0x%x, the end of the segment before, is 0x%x",
              end,
              segment.address());
        }
        end = segment.end();
        loaded.add(segment);
      }
    }
    if (loaded.isEmpty()) {
      throw new MalformedCodeObjectException(
          elf.u64(32, "e_phoff"), "the program header table must have a PT_LOAD segment, has none");
    }
    // The loader asks for the place of address 0 in the memory that all of them take.
    Segment first = loaded.get(0);
    require(first.header() + 16, "p_vaddr of the first loaded segment", 0, first.address());
    if (end == 0) {
      throw new MalformedCodeObjectException(
          first.header() + 40, "p_memsz of loaded segments must not all be 0");
    }
    return List.copyOf(loaded);
  }

  private static Segment segment(ImageReader elf, long header, int index) {
    int type = (int) elf.u32(header, "p_type");
    int flags = (int) elf.u32(header + 4, "p_flags");
    long offset = elf.u64(header + 8, "p_offset");
    long address = elf.u64(header + 16, "p_vaddr");
    long fileSize = elf.u64(header + 32, "p_filesz");
    long memorySize = elf.u64(header + 40, "p_memsz");
    elf.requireInside(header + 8, offset, fileSize, "segment " + index);
    Segment segment = new Segment(header, type, flags, offset, address, fileSize, memorySize);
    if (type == PT_LOAD) {
      checkPlace(segment, index);
    }
    return segment;
  }

  private static void checkPlace(Segment segment, int index) {
    long address = segment.address();
    long memorySize = segment.memorySize();
    if (Long.compareUnsigned(memorySize, segment.fileSize()) < 0) {
      throw new MalformedCodeObjectException(
          segment.header() + 40,
          "p_memsz of segment %d must be at least its p_filesz %d, is %s",
          index,
          segment.fileSize(),
          Long.toUnsignedString(memorySize));
    }
    if (address < 0 || memorySize < 0 || memorySize > Long.MAX_VALUE - address) {
      throw new MalformedCodeObjectException(
          segment.header() + 16,
          "p_vaddr + p_memsz of segment %d must stay below 2^63, are 0x%x + 0x%x",
          index,
          address,
          memorySize);
    }
  }

  private static Optional<ElfSections> sections(ImageReader elf) {
    if (elf.u64(40, "e_shoff") == 0
        && elf.u16(60, "e_shnum") == 0
        && elf.u16(62, "e_shstrndx") == 0) {
      return Optional.empty();
    }
    ElfSections sections = ElfSections.read(elf, SHT_NULL);
    sections.requireEntries(SHT_SYMTAB, ElfSymbol.SIZE);
    sections.requireEntries(SHT_DYNSYM, ElfSymbol.SIZE);
    sections.requireEntries(SHT_RELA, 24);
    sections.requireEntries(SHT_DYNAMIC, 16);
    return Optional.of(sections);
  }

  /** Checks that a table lies inside the image and behind the ELF header. */
  static void checkTable(ImageReader elf, long field, long offset, long size, String what) {
    elf.requireInside(field, offset, size, what);
    if (offset < HEADER_SIZE) {
      throw new MalformedCodeObjectException(
          field, "%s must follow the ELF header, is at offset %d", what, offset);
    }
  }
}
