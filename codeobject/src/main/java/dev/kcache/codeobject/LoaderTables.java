// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ImageReader.require;

import dev.kcache.codeobject.ElfImage.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks what else the HSA runtime's loader follows without looking, once {@link ElfImage} has
 * found every table inside the image: indexes of sections and symbols, names, notes by section, and
 * the addresses that relocations write to. A wrong one is read or written through in the process
 * that loads the image.
 *
 * <p>Source: <a
 * href="https://github.com/ROCm/ROCR-Runtime/tree/rocm-6.4.0/runtime/hsa-runtime">ROCR-Runtime</a>,
 * {@code GElfImage::pullElf} in {@code amd_elf_image.cpp}, {@code AmdHsaCode::PullElfV2} in {@code
 * amd_hsa_code.cpp}, {@code ExecutableImpl::LoadDefinitionSymbol} and {@code
 * ApplyDynamicRelocation} in {@code loader/executable.cpp}.
 */
final class LoaderTables {
  private static final int SECTION_SIZE = 64;
  private static final int SYMBOL_SIZE = 24;
  private static final int RELOCATION_SIZE = 24;

  private static final int SHT_NULL = 0;
  private static final int SHT_SYMTAB = 2;
  private static final int SHT_STRTAB = 3;
  private static final int SHT_RELA = 4;
  private static final int SHT_NOTE = 7;
  private static final int SHT_NOBITS = 8;
  private static final int SHT_DYNSYM = 11;

  private static final int STT_OBJECT = 1;
  private static final int STT_FUNC = 2;

  /** A kernel of code object version 2, which later versions do not have. */
  private static final int STT_AMDGPU_HSA_KERNEL = 10;

  private static final int R_AMDGPU_ABS32_LO = 1;
  private static final int R_AMDGPU_ABS32_HI = 2;
  private static final int R_AMDGPU_ABS32 = 6;

  private final ImageReader image;
  private final List<Section> sections = new ArrayList<>();
  private final Section names;
  private final List<Segment> loaded;

  /**
   * A section.
   *
   * @param header where its header is
   */
  private record Section(
      long header, int type, long address, long offset, long size, long link, long info) {
    boolean isSymbolTable() {
      return type == SHT_SYMTAB || type == SHT_DYNSYM;
    }

    boolean holds(long start, long length) {
      return start >= address && length >= 0 && length <= size && start - address <= size - length;
    }
  }

  private LoaderTables(ImageReader image, ElfImage elf) {
    this.image = image;
    this.loaded = elf.loaded();
    long table = image.u64(40, "e_shoff");
    int count = image.u16(60, "e_shnum");
    for (int i = 0; i < count; i++) {
      sections.add(section(table + (long) i * SECTION_SIZE));
    }
    this.names = sections.get(image.u16(62, "e_shstrndx"));
  }

  /**
   * Checks an image, if it has sections; the loader refuses one that has none.
   *
   * @throws MalformedCodeObjectException if the loader would go astray
   */
  static void check(ImageReader image, ElfImage elf) {
    if (image.u16(60, "e_shnum") != 0) {
      new LoaderTables(image, elf).check();
    }
  }

  private Section section(long header) {
    return new Section(
        header,
        (int) image.u32(header + 4, "sh_type"),
        image.u64(header + 16, "sh_addr"),
        image.u64(header + 24, "sh_offset"),
        image.u64(header + 32, "sh_size"),
        image.u32(header + 40, "sh_link"),
        image.u32(header + 44, "sh_info"));
  }

  private void check() {
    checkFirst(sections.get(0));
    requireNames(62, names, "e_shstrndx");
    long notes = 0;
    long relocations = 0;
    for (int i = 1; i < sections.size(); i++) {
      Section section = sections.get(i);
      checkHeader(section);
      switch (section.type()) {
        case SHT_SYMTAB, SHT_DYNSYM -> checkSymbols(section);
        case SHT_RELA -> {
          // Headers may name one region many times; each byte is looked at once.
          relocations += section.size();
          image.requireInside(section.header() + 32, 0, relocations, "all relocations together");
          checkRelocations(section);
        }
        case SHT_NOTE -> {
          notes += section.size();
          image.requireInside(section.header() + 32, 0, notes, "all sections of notes together");
          checkNotes(section);
        }
        default -> {}
      }
    }
  }

  /** The first section stands for none; the loader counts it when it measures the image. */
  private static void checkFirst(Section first) {
    require(first.header() + 4, "sh_type of the first section", SHT_NULL, first.type());
    require(first.header() + 24, "sh_offset of the first section", 0, first.offset());
    require(first.header() + 32, "sh_size of the first section", 0, first.size());
  }

  private void checkHeader(Section section) {
    long header = section.header();
    if (section.type() == SHT_NULL) {
      throw new MalformedCodeObjectException(
          header + 4, "sh_type must not be SHT_NULL but in the first section");
    }
    if (section.type() == SHT_NOBITS) {
      // It counts when the loader measures the image.
      image.requireInside(header + 24, section.offset(), 0, "a section without contents");
    }
    long name = image.u32(header, "sh_name");
    requireName(header, "sh_name", name, names);
    int type = expectedType(names.offset() + name, section.type());
    require(header + 4, "sh_type of a section with that name", type, section.type());
  }

  /**
   * Returns the type of a section with the name at {@code offset}: the loader finds some by name
   * and then takes them for what the name says. Of others it is as {@code stated}.
   */
  private int expectedType(long offset, int stated) {
    if (image.has(offset, ".dynsym\0")) {
      return SHT_DYNSYM;
    } else if (image.has(offset, ".symtab\0")) {
      return SHT_SYMTAB;
    } else if (image.has(offset, ".strtab\0")) {
      return SHT_STRTAB;
    }
    return image.has(offset, ".note\0") ? SHT_NOTE : stated;
  }

  /** Checks a string table, which has to end in NUL so that each name in it ends. */
  private void requireNames(long field, Section table, String what) {
    if (table.type() != SHT_STRTAB
        || table.size() == 0
        || image.u8(table.offset() + table.size() - 1, "the end of a string table") != 0) {
      throw new MalformedCodeObjectException(
          field, what + " must be a SHT_STRTAB section that ends in NUL");
    }
  }

  private static void requireName(long field, String what, long name, Section table) {
    if (name >= table.size()) {
      throw new MalformedCodeObjectException(
          field, "%s must be below %d, is %d".formatted(what, table.size(), name));
    }
  }

  private Section linked(Section section, String what) {
    if (section.link() >= sections.size()) {
      throw new MalformedCodeObjectException(
          section.header() + 40,
          "sh_link of %s must be below %d, is %d".formatted(what, sections.size(), section.link()));
    }
    return sections.get((int) section.link());
  }

  private void checkSymbols(Section table) {
    Section strings = linked(table, "a symbol table");
    requireNames(table.header() + 40, strings, "sh_link of a symbol table");
    for (long at = table.offset(); at < table.offset() + table.size(); at += SYMBOL_SIZE) {
      requireName(at, "st_name", image.u32(at, "st_name"), strings);
      int type = type(at);
      if (type == STT_AMDGPU_HSA_KERNEL) {
        throw new MalformedCodeObjectException(
            at + 4, "st_info must not be of a kernel of code object version 2");
      }
      if (type == STT_OBJECT && table.type() == SHT_DYNSYM) {
        checkObject(at, strings);
      }
    }
  }

  private int type(long symbol) {
    return image.u8(symbol + 4, "st_info") & 0xf;
  }

  /** Checks a variable or a kernel's descriptor: the loader takes its address from its section. */
  private void checkObject(long symbol, Section strings) {
    int index = image.u16(symbol + 6, "st_shndx");
    if (index == 0 || index >= sections.size()) {
      throw new MalformedCodeObjectException(
          symbol + 6,
          "st_shndx of an object must be 1 to %d, is %d".formatted(sections.size() - 1, index));
    }
    Section section = sections.get(index);
    long address = image.u64(symbol + 8, "st_value");
    long size = image.u64(symbol + 16, "st_size");
    requireLoaded(symbol + 8, "an object", address, size);
    requireLoaded(section.header() + 16, "the section of an object", section.address(), 0);
    if (!section.holds(address, size)) {
      throw new MalformedCodeObjectException(
          symbol + 8, "an object must lie in its section %d".formatted(index));
    }
    if (isDescriptor(symbol, strings)) {
      requireSameBytes(symbol, section, address);
    }
  }

  // All these names together have no more bytes than the image, as KernelDescriptors checked.
  private boolean isDescriptor(long symbol, Section strings) {
    long start = strings.offset() + image.u32(symbol, "st_name");
    long end = start;
    while (image.u8(end, "a symbol's name") != 0) {
      end++;
    }
    return end - start >= 3 && image.has(end - 3, ".kd");
  }

  /** The loader reads a descriptor in its section, and the device in its segment. */
  private void requireSameBytes(long symbol, Section section, long address) {
    if (section.type() != SHT_NOBITS) {
      long base = section.offset() - section.address();
      for (Segment segment : loaded) {
        if (segment.holds(address, 1) && segment.offset() - segment.address() == base) {
          return;
        }
      }
    }
    throw new MalformedCodeObjectException(
        symbol + 6, "a descriptor must be at one place, by its section and by its segment");
  }

  private void requireLoaded(long field, String what, long address, long size) {
    Segment last = loaded.get(loaded.size() - 1);
    long start = loaded.get(0).address();
    long end = last.end();
    if (address < start || size < 0 || size > end - start || address > end - size) {
      throw new MalformedCodeObjectException(
          field,
          "%s (%s bytes at 0x%x) must lie in loaded memory, 0x%x to 0x%x"
              .formatted(what, Long.toUnsignedString(size), address, start, end));
    }
  }

  private void checkRelocations(Section table) {
    Section symbols = linked(table, "a SHT_RELA section");
    if (!symbols.isSymbolTable()) {
      throw new MalformedCodeObjectException(
          table.header() + 40, "sh_link of a SHT_RELA section must be a symbol table");
    }
    if (table.info() >= sections.size()) {
      throw new MalformedCodeObjectException(
          table.header() + 44,
          "sh_info of a SHT_RELA section must be below %d, is %d"
              .formatted(sections.size(), table.info()));
    }
    if (table.info() == 0) {
      for (long at = table.offset(); at < table.offset() + table.size(); at += RELOCATION_SIZE) {
        checkRelocation(at, symbols);
      }
    }
  }

  /** Checks a relocation that is applied when the image is loaded. */
  private void checkRelocation(long at, Section symbols) {
    int width = isNarrow((int) image.u32(at + 8, "r_info")) ? Integer.BYTES : Long.BYTES;
    requireLoaded(at, "what is relocated", image.u64(at, "r_offset"), width);
    long index = image.u64(at + 8, "r_info") >>> 32;
    long count = symbols.size() / SYMBOL_SIZE;
    if (index >= count) {
      throw new MalformedCodeObjectException(
          at + 8, "the symbol in r_info must be below %d, is %d".formatted(count, index));
    }
    long symbol = symbols.offset() + index * SYMBOL_SIZE;
    int type = type(symbol);
    if (type == STT_OBJECT || type == STT_FUNC) {
      requireLoaded(symbol + 8, "a symbol", image.u64(symbol + 8, "st_value"), 1);
    }
  }

  private static boolean isNarrow(int relocation) {
    return relocation == R_AMDGPU_ABS32_LO
        || relocation == R_AMDGPU_ABS32_HI
        || relocation == R_AMDGPU_ABS32;
  }

  /** The loader looks for notes here as well, of which the metadata is not one. */
  private void checkNotes(Section section) {
    MetadataNote.checkBounds(image, section.offset(), section.offset() + section.size());
  }
}
