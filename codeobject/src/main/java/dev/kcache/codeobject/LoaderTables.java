// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ElfSection.SHT_DYNSYM;
import static dev.kcache.codeobject.ElfSection.SHT_NOBITS;
import static dev.kcache.codeobject.ElfSection.SHT_NOTE;
import static dev.kcache.codeobject.ElfSection.SHT_NULL;
import static dev.kcache.codeobject.ElfSection.SHT_RELA;
import static dev.kcache.codeobject.ElfSection.SHT_STRTAB;
import static dev.kcache.codeobject.ElfSection.SHT_SYMTAB;
import static dev.kcache.codeobject.ImageReader.require;

import dev.kcache.codeobject.ElfImage.Segment;
import java.util.Optional;

/**
 * Checks what else the runtime reads without checking, once {@link ElfImage} has found every table
 * inside the image. A wrong field is read or written through in the process that loads the image,
 * or fails an assertion there (Debian's packages have them).
 *
 * <p>What is read, and what is checked of it. In ROCr ({@code amd_elf_image.cpp}, {@code
 * amd_hsa_code.cpp}, {@code loader/executable.cpp}; 5.2 looks tables up by name, later releases
 * take the last one of a type, and {@code .dynsym} for {@code .symtab} if {@code LOADER_USE_DYNSYM}
 * is set, so all have to agree here):
 *
 * <ul>
 *   <li>{@code ElfSize}, in place of a size: {@code sh_offset} and {@code sh_size} of the section
 *       that begins last. All sections and their headers end before it.
 *   <li>{@code pullElf}: {@code e_shstrndx}, {@code sh_name}, {@code sh_link} of symbols and
 *       relocations, {@code sh_info}. In range, of the right type; names end in NUL. Only the first
 *       section is {@code SHT_NULL}; {@code .symtab}, {@code .dynsym}, {@code .strtab} and {@code
 *       .note} are what their names say.
 *   <li>{@code getNote}: {@code n_namesz} and {@code n_descsz} of each {@code SHT_NOTE} section.
 *       They stay inside it. A note of the owner {@code AMD} needs a wrong owner, size and type at
 *       once, and is not refused.
 *   <li>{@code PullElfV2} and {@code LoadDefinitionSymbol}, for each object of {@code .symtab} that
 *       is not local: {@code st_name}, {@code st_shndx} (the special ones included), {@code
 *       st_value}, {@code st_size}, {@code sh_addr} and {@code sh_addralign} of its section, and
 *       the bytes of a descriptor there. {@link LoaderSymbols} checks all; it refuses the old
 *       kernel type. Other types are passed over. What has no bytes may lie in a section that is
 *       not loaded: its address is null then.
 *   <li>{@code LoadSegmentsV2}, {@code getDelta}: {@code p_vaddr}, {@code p_memsz}, {@code
 *       p_filesz} and {@code p_offset} of {@code PT_LOAD}. {@link ElfImage} checks that they ascend
 *       from address 0 and lie inside the image. {@code p_align} is not read.
 *   <li>{@code ApplyDynamicRelocation}: {@code r_offset}, the symbol of {@code r_info} and its
 *       value; an unknown type is an error. {@code ApplyStaticRelocation} if {@code sh_info} names
 *       a loaded section, which is refused.
 *   <li>{@code PT_DYNAMIC}, {@code .hash} and {@code .gnu.hash} are not read.
 * </ul>
 *
 * <p>In clr ({@code hip_code_object.cpp}, {@code rocprogram.cpp}, {@code rocvirtual.cpp}, {@code
 * elf/elfio}) and comgr:
 *
 * <ul>
 *   <li>ELFIO copies each section and segment: all sections together are no larger than the image,
 *       all segments no larger than {@value #MOST_SEGMENT_BYTES} times that. 5.2 needs a section
 *       named {@code .strtab}, and crashes without.
 *   <li>{@code populateDynGlobalVars}: variables are listed by {@code .dynsym} and loaded by {@code
 *       .symtab}: one that is missing there aborts. Both have to say the same.
 *   <li>{@code initDynManagedVars}: for a variable whose name ends in {@code .managed} there has to
 *       be one without that. A pointer is written to it, and as many bytes are read as it has: it
 *       has to have 8. See {@link LoaderSymbols}.
 *   <li>{@code populateDynGlobalFuncs}: functions are listed by {@code .dynsym}, and a kernel is
 *       found among those by {@code .name}, and then by {@code .symbol}: {@link
 *       KernelMetadataReader} requires that they agree. The name of a function that is no kernel
 *       aborts if it is asked for, and so does that of a descriptor if it is asked for as a
 *       variable; the caller asks for neither.
 *   <li>{@code allocKernArg}, when a kernel is launched: {@code .kernarg_segment_size} and {@code
 *       .kernarg_segment_align} have to fit into the ring of arguments; see {@link LoadObstacle}.
 *       The descriptor's own size of arguments is not read.
 *   <li>Two variables at one address end the process when the module is unloaded, if both were
 *       asked for. Compilers make such images of aliases, so that is the caller's to avoid.
 *   <li>comgr reads {@code PT_NOTE} and {@code .dynsym} with LLVM's bounds checks.
 * </ul>
 *
 * <p>Sources: <a
 * href="https://github.com/ROCm/ROCR-Runtime/tree/rocm-6.4.0/runtime/hsa-runtime">ROCR-Runtime</a>,
 * <a href="https://github.com/ROCm/clr">clr</a>.
 */
final class LoaderTables {
  /** The largest alignment that fits into the loader's 32 bits. */
  private static final long MOST_ALIGNMENT = 1L << 31;

  private static final int RELOCATION_SIZE = 24;
  private static final int R_AMDGPU_ABS32_LO = 1;
  private static final int R_AMDGPU_ABS32_HI = 2;
  private static final int R_AMDGPU_ABS32 = 6;

  /** Segments may name bytes of others, such as those of notes; each is copied for a moment. */
  private static final int MOST_SEGMENT_BYTES = 8;

  private final ImageReader image;
  private final ElfImage elf;
  private final ElfSections sections;

  private LoaderTables(ImageReader image, ElfImage elf, ElfSections sections) {
    this.image = image;
    this.elf = elf;
    this.sections = sections;
  }

  /**
   * Checks an image; returns why the runtime cannot load it, if it lacks what the runtime needs.
   *
   * @throws MalformedCodeObjectException if the loader would follow a wrong field
   */
  static Optional<LoadObstacle> check(ImageReader image, ElfImage elf) {
    return elf.sections()
        .map(sections -> new LoaderTables(image, elf, sections).check())
        .orElseGet(() -> Optional.of(LoadObstacle.stripped("all sections")));
  }

  private Optional<LoadObstacle> check() {
    sections.requireNames();
    checkFirst(sections.get(0));
    checkSizes();
    for (int i = 1; i < sections.count(); i++) {
      ElfSection section = sections.get(i);
      checkHeader(section);
      if (section.type() == SHT_RELA) {
        checkRelocations(section);
      } else if (section.type() == SHT_NOTE) {
        MetadataNote.checkBounds(image, section.offset(), section.end());
      }
    }
    Optional<LoadObstacle> obstacle = new LoaderSymbols(image, elf, sections).check();
    return missingTable().map(LoadObstacle::stripped).or(() -> obstacle);
  }

  /** Up to 5.x the runtime finds tables by their names, later by their types. */
  private Optional<String> missingTable() {
    boolean symbols = sections.has(SHT_SYMTAB, ".symtab");
    boolean strings = sections.has(SHT_STRTAB, ".strtab");
    if (symbols && strings) {
      return Optional.empty();
    }
    return Optional.of(symbols ? ".strtab" : strings ? ".symtab" : ".symtab and .strtab");
  }

  /** The first section stands for none; the loader counts it when it measures the image. */
  private static void checkFirst(ElfSection first) {
    require(first.header() + 4, "sh_type of the first section", SHT_NULL, first.type());
    require(first.header() + 24, "sh_offset of the first section", 0, first.offset());
    require(first.header() + 32, "sh_size of the first section", 0, first.size());
  }

  /**
   * Checks that the loader, which is not told the size of an image, will find all of it, and that
   * the copies of its parts which it makes are no larger than such an image needs. So headers
   * cannot name one region many times, and each byte is looked at once.
   */
  private void checkSizes() {
    long measured = measured();
    long table = image.u64(40, "e_shoff");
    if (table + (long) sections.count() * ElfSection.HEADER_SIZE > measured) {
      throw new MalformedCodeObjectException(
          40,
          "the section header table must end before %d, where the section that begins last ends",
          measured);
    }
    long bytes = 0;
    for (int i = 1; i < sections.count(); i++) {
      ElfSection section = sections.get(i);
      if (section.type() != SHT_NULL && section.end() > measured) {
        throw new MalformedCodeObjectException(
            section.header() + 24,
            "section %d must end before %d, where the section that begins last ends",
            i,
            measured);
      }
      bytes += section.end() - section.offset();
      image.requireInside(section.header() + 32, 0, bytes, "all sections together");
    }
    long segmentBytes = 0;
    for (Segment segment : elf.segments()) {
      segmentBytes += segment.fileSize();
      if (segmentBytes > MOST_SEGMENT_BYTES * image.size()) {
        throw new MalformedCodeObjectException(
            segment.header() + 32,
            "all segments together must have at most %d times the image's bytes",
            MOST_SEGMENT_BYTES);
      }
    }
  }

  /** Returns the size that the loader takes the image for. */
  private long measured() {
    long last = image.u64(40, "e_shoff");
    long end = last + (long) sections.count() * ElfSection.HEADER_SIZE;
    for (int i = 0; i < sections.count(); i++) {
      ElfSection section = sections.get(i);
      if (section.offset() > last) {
        last = section.offset();
        end = section.end();
      }
    }
    return end;
  }

  private void checkHeader(ElfSection section) {
    long header = section.header();
    if (section.type() == SHT_NULL) {
      throw new MalformedCodeObjectException(
          header + 4, "sh_type must not be SHT_NULL but in the first section");
    }
    if (section.type() == SHT_NOBITS) {
      // It counts when the loader measures the image.
      image.requireInside(header + 24, section.offset(), 0, "a section without contents");
    }
    if (section.alignment() < 0
        || section.alignment() > MOST_ALIGNMENT
        || Long.bitCount(section.alignment()) > 1) {
      throw new MalformedCodeObjectException(
          header + 48,
          "sh_addralign must be 0 or a power of two up to 2^31, is "
              + Long.toUnsignedString(section.alignment()));
    }
    requireTypeOf(section, ".dynsym", SHT_DYNSYM);
    requireTypeOf(section, ".symtab", SHT_SYMTAB);
    requireTypeOf(section, ".strtab", SHT_STRTAB);
    requireTypeOf(section, ".note", SHT_NOTE);
  }

  /** Checks where relocations write and by which symbol; the loader takes both as they are. */
  private void checkRelocations(ElfSection table) {
    ElfSection symbols = sections.linked(table, "a SHT_RELA section");
    if (!symbols.isSymbolTable()) {
      throw new MalformedCodeObjectException(
          table.header() + 40, "sh_link of a SHT_RELA section must be a symbol table");
    }
    if (table.info() >= sections.count()) {
      throw new MalformedCodeObjectException(
          table.header() + 44,
          "sh_info of a SHT_RELA section must be below %d, is %d",
          sections.count(),
          table.info());
    }
    if (table.info() == 0) {
      for (long at = table.offset(); at < table.end(); at += RELOCATION_SIZE) {
        checkRelocation(at, symbols);
      }
    } else if (sections.get((int) table.info()).isLoaded()) {
      // The loader would apply them a second time, and look at nothing.
      throw new MalformedCodeObjectException(
          table.header() + 44,
          "sh_info of a SHT_RELA section must not be of a loaded section of a linked image, is "
              + table.info());
    }
  }

  /** Checks a relocation that is applied when the image is loaded. */
  private void checkRelocation(long at, ElfSection symbols) {
    int width =
        switch ((int) image.u32(at + 8, "r_info")) {
          case R_AMDGPU_ABS32_LO, R_AMDGPU_ABS32_HI, R_AMDGPU_ABS32 -> Integer.BYTES;
          default -> Long.BYTES;
        };
    elf.requireLoaded(at, "what is relocated", image.u64(at, "r_offset"), width);
    long index = image.u64(at + 8, "r_info") >>> 32;
    long count = symbols.size() / ElfSymbol.SIZE;
    if (index >= count) {
      throw new MalformedCodeObjectException(
          at + 8, "the symbol in r_info must be below %d, is %d", count, index);
    }
    ElfSymbol symbol = ElfSymbol.read(image, symbols.offset() + index * ElfSymbol.SIZE);
    if (symbol.isObject() || symbol.isFunction()) {
      elf.requireLoaded(symbol.entry() + 8, "a symbol", symbol.value(), 1);
    }
  }

  /** The loader finds some sections by name and then takes them for what the name says. */
  private void requireTypeOf(ElfSection section, String name, int type) {
    if (sections.isNamed(section, name)) {
      require(section.header() + 4, "sh_type of a section with that name", type, section.type());
    }
  }
}
