// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ImageReader.require;

import dev.kcache.codeobject.CodeObject.Format;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a cubin: a linked ELF image of NVIDIA's, whose kernels are the functions that the symbol
 * table marks as entries. Of each, the section {@code .nv.info.NAME} says what it takes, {@code
 * .nv.shared.NAME} how much shared memory it has, and {@code .nv.info} what it uses.
 *
 * <p>NVIDIA documents the format nowhere. What is read here is what nvcc 13.0 was seen to write for
 * sm_75 to sm_121, checked against what its {@code ptxas -v} prints; the names are those that
 * {@code cuobjdump -elf} shows. The flags are those of LLVM's {@code BinaryFormat/ELF.h}.
 */
final class CubinReader {
  private static final int ET_REL = 1;
  private static final int ET_EXEC = 2;
  private static final int SEGMENT_SIZE = 56;

  private static final int STO_CUDA_ENTRY = 0x10;

  private static final String INFO = ".nv.info";
  private static final String SHARED = ".nv.shared.";
  private static final String KERNEL_INFO = INFO + ".";

  /** Shared memory that the system keeps for itself, which the sections of sm_90 and up count. */
  private static final String RESERVED = ".nv.shared.reserved.";

  private static final int RESERVED_SIZE = 1024;

  /** What a kernel and a section of its take in all tables, but for their names. */
  private static final int KERNEL_MEMORY = 1024;

  private final ImageReader elf;
  private final ElfSections sections;
  private final TextReader texts;

  /** The sections that belong to kernels, by their names. */
  private final Map<String, ElfSection> named = new HashMap<>();

  /** The kernels by their indices in the symbol table. */
  private final Map<Long, CubinKernel> kernels = new LinkedHashMap<>();

  private boolean isReserving;

  private CubinReader(ImageReader elf, ElfSections sections) {
    this.elf = elf;
    this.sections = sections;
    this.texts = new TextReader(elf);
  }

  /**
   * Reads an image that begins as a cubin does.
   *
   * @throws MalformedCodeObjectException if it breaks a rule that is checked here
   */
  static ImageContents read(ImageReader elf) {
    ElfImage.requireClass(elf);
    requireLinked(elf.u16(16, "e_type"));
    checkSegments(elf);
    ElfSections sections = ElfSections.read(elf, ElfSection.SHT_CUDA_RESERVED);
    sections.requireNames();
    TargetId target = CubinTarget.read(elf, sections);
    CubinReader reader = new CubinReader(elf, sections);
    List<KernelMetadata> kernels = reader.kernels();
    return new ImageContents(
        Format.CUBIN, target, 0, 0, reader.loadedSize(), kernels, Optional.empty());
  }

  private static void requireLinked(int type) {
    if (type != ET_EXEC) {
      throw new MalformedCodeObjectException(
          16,
          "e_type must be %d (a linked cubin), is %d%s",
          ET_EXEC,
          type,
          type == ET_REL ? " (a relocatable one, as -rdc=true makes; link it first)" : "");
    }
  }

  private static void checkSegments(ImageReader elf) {
    long table = elf.u64(32, "e_phoff");
    int count = elf.u16(56, "e_phnum");
    if (count == 0) {
      return;
    }
    require(54, "e_phentsize", SEGMENT_SIZE, elf.u16(54, "e_phentsize"));
    elf.requireInside(32, table, (long) count * SEGMENT_SIZE, "the program header table");
    for (int i = 0; i < count; i++) {
      long header = table + (long) i * SEGMENT_SIZE;
      elf.requireInside(
          header + 8,
          elf.u64(header + 8, "p_offset"),
          elf.u64(header + 32, "p_filesz"),
          "segment " + i);
    }
  }

  private List<KernelMetadata> kernels() {
    for (ElfSection section : sections.all()) {
      if (sections.begins(section, RESERVED)) {
        isReserving = true;
      } else if (sections.begins(section, SHARED) || sections.begins(section, KERNEL_INFO)) {
        addNamed(section);
      }
    }
    sections.requireEntries(ElfSection.SHT_SYMTAB, ElfSymbol.SIZE);
    sections.only(ElfSection.SHT_SYMTAB, "SHT_SYMTAB").ifPresent(this::readSymbols);
    for (ElfSection section : sections.all()) {
      if (section.type() == ElfSection.SHT_CUDA_INFO && sections.isNamed(section, INFO)) {
        CubinAttributes.read(elf, section, this::useOfKernel);
      }
    }
    List<KernelMetadata> read = new ArrayList<>();
    kernels.values().forEach(kernel -> read.add(kernel.toMetadata()));
    return List.copyOf(read);
  }

  /** Shared memory has a section too and is no memory of the device. */
  private long loadedSize() {
    long total = 0;
    for (ElfSection section : sections.all()) {
      if (section.isLoaded() && !sections.begins(section, SHARED)) {
        if (section.size() < 0 || section.size() > Long.MAX_VALUE - total) {
          throw new MalformedCodeObjectException(
              section.header() + 32, "all sections together must have less than 2^63 bytes");
        }
        total += section.size();
      }
    }
    return total;
  }

  private void addNamed(ElfSection section) {
    long size = sections.nameSize(section);
    elf.take(section.header(), KERNEL_MEMORY + size, "a section");
    if (named.put(text(section.header(), sections.nameStart(section), size), section) != null) {
      throw new MalformedCodeObjectException(
          section.header(), "the sections of a kernel must be there once");
    }
  }

  private void readSymbols(ElfSection table) {
    ElfSection names = sections.symbolNames(table);
    Set<String> seen = new HashSet<>();
    for (long i = 0; i < table.size() / ElfSymbol.SIZE; i++) {
      long entry = table.offset() + i * ElfSymbol.SIZE;
      boolean isEntry =
          (elf.u8(entry + 4, "st_info") & 0xf) == ElfSymbol.STT_FUNC
              && (elf.u8(entry + 5, "st_other") & STO_CUDA_ENTRY) != 0
              && elf.u16(entry + 6, "st_shndx") != 0;
      if (isEntry) {
        elf.take(entry, KERNEL_MEMORY, "a kernel");
        long start = ElfSections.nameStart(entry, "st_name", elf.u32(entry, "st_name"), names);
        String name = text(entry, start, sections.nameSize(names, start));
        if (!seen.add(name)) {
          throw new MalformedCodeObjectException(
              entry, "kernel %s must be there once", Quoted.of(name));
        }
        checkCode(entry, name);
        kernels.put(i, kernel(entry, name));
      }
    }
  }

  private String text(long field, long start, long size) {
    return texts.text(field, start, (int) size, "a name");
  }

  private void checkCode(long entry, String name) {
    int index = elf.u16(entry + 6, "st_shndx");
    ElfSection code = index < sections.count() ? sections.get(index) : null;
    long start = elf.u64(entry + 8, "st_value");
    long size = elf.u64(entry + 16, "st_size");
    if (code == null
        || !code.isCode()
        || start < 0
        || size <= 0
        || size > code.size()
        || start > code.size() - size) {
      throw new MalformedCodeObjectException(
          entry + 8, "the code of kernel %s must lie in an executable section", Quoted.of(name));
    }
  }

  private CubinKernel kernel(long entry, String name) {
    ElfSection info = named.get(KERNEL_INFO + name);
    if (info == null || info.type() != ElfSection.SHT_CUDA_INFO) {
      throw new MalformedCodeObjectException(
          entry, "kernel %s must have the section %s of its own", Quoted.of(name), KERNEL_INFO);
    }
    CubinKernel kernel = new CubinKernel(name, info.offset(), sharedMemory(name));
    CubinAttributes.read(
        elf, info, (attribute, value, size) -> kernel.take(elf, attribute, value, size));
    return kernel;
  }

  private int sharedMemory(String name) {
    ElfSection shared = named.get(SHARED + name);
    if (shared == null) {
      return 0;
    }
    long size = shared.size() - (isReserving ? RESERVED_SIZE : 0);
    if (shared.size() < 0 || size > Integer.MAX_VALUE) {
      throw new MalformedCodeObjectException(
          shared.header() + 32, "a kernel's shared memory must have at most 2^31-1 bytes");
    }
    return (int) Math.max(0, size);
  }

  /** Attributes of functions that are no kernels are passed over. */
  private void useOfKernel(int attribute, long value, int size) {
    if (attribute == CubinAttributes.REGCOUNT || attribute == CubinAttributes.FRAME_SIZE) {
      CubinAttributes.requireSize(value, size, 8);
      elf.take(value, Long.BYTES + 16, "a symbol's index");
      CubinKernel kernel = kernels.get(elf.u32(value, "a symbol's index"));
      if (kernel != null) {
        kernel.use(elf, attribute, value + 4);
      }
    }
  }
}
