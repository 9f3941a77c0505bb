// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ImageReader.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The sections of a cubin, which lie inside the image, and their names. */
final class CubinSections {
  static final int SHT_CUDA_INFO = 0x7000_0000;
  static final int SHT_CUDA_COMPAT = 0x7000_0086;
  static final int SHT_NOTE = 7;

  private static final int HEADER_SIZE = 64;
  private static final int SHT_NULL = 0;
  private static final int SHT_PROGBITS = 1;
  private static final int SHT_SYMTAB = 2;
  private static final int SHT_STRTAB = 3;
  private static final int SHT_NOBITS = 8;

  /** The copy of a section without bytes in what sm_100 and up have for the finalizer. */
  private static final int SHT_CUDA_RESERVED = 0x7000_0015;

  private static final int SHF_ALLOC = 2;
  private static final int SHF_EXECINSTR = 4;

  private static final int SYMBOL_SIZE = 24;
  private static final int SECTION_MEMORY = 80;

  /**
   * A section.
   *
   * @param header where its header is
   * @param name where its name is in the table of names
   */
  record Section(
      long header, long name, int type, long flags, long offset, long size, long link, long entry) {
    boolean isLoaded() {
      return (flags & SHF_ALLOC) != 0;
    }

    boolean isCode() {
      return type == SHT_PROGBITS && (flags & SHF_EXECINSTR) != 0;
    }
  }

  private final ImageReader elf;
  private final List<Section> sections;
  private final Section names;

  private CubinSections(ImageReader elf, List<Section> sections, Section names) {
    this.elf = elf;
    this.sections = sections;
    this.names = names;
  }

  /** Reads and checks the section header table. */
  static CubinSections read(ImageReader elf) {
    long table = elf.u64(40, "e_shoff");
    int count = elf.u16(60, "e_shnum");
    int names = elf.u16(62, "e_shstrndx");
    require(58, "e_shentsize", HEADER_SIZE, elf.u16(58, "e_shentsize"));
    if (names >= count) {
      throw new MalformedCodeObjectException(
          62, "e_shstrndx must be below e_shnum %d, is %d".formatted(count, names));
    }
    elf.requireInside(40, table, (long) count * HEADER_SIZE, "the section header table");
    elf.take(40, (long) count * SECTION_MEMORY, "the section header table");
    List<Section> sections = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      sections.add(section(elf, table + (long) i * HEADER_SIZE, i));
    }
    requireNames(elf, sections.get(names));
    return new CubinSections(elf, sections, sections.get(names));
  }

  private static Section section(ImageReader elf, long header, int index) {
    Section section =
        new Section(
            header,
            elf.u32(header, "sh_name"),
            (int) elf.u32(header + 4, "sh_type"),
            elf.u64(header + 8, "sh_flags"),
            elf.u64(header + 24, "sh_offset"),
            elf.u64(header + 32, "sh_size"),
            elf.u32(header + 40, "sh_link"),
            elf.u64(header + 56, "sh_entsize"));
    boolean hasBytes =
        switch (section.type()) {
          case SHT_NULL, SHT_NOBITS, SHT_CUDA_RESERVED -> false;
          default -> true;
        };
    if (hasBytes && !elf.holds(section.offset(), section.size())) {
      throw elf.outside(header + 24, section.offset(), section.size(), "section " + index);
    }
    return section;
  }

  /** With a NUL at its end, each name in a table has one. */
  private static void requireNames(ImageReader elf, Section names) {
    if (names.type() != SHT_STRTAB
        || names.size() == 0
        || elf.u8(names.offset() + names.size() - 1, "a table of names") != 0) {
      throw new MalformedCodeObjectException(
          names.header() + 4, "a table of names must be a SHT_STRTAB section that ends in NUL");
    }
  }

  /** Returns all sections, in order. */
  List<Section> all() {
    return sections;
  }

  /** Returns the section of that index, if there is one. */
  Optional<Section> at(long index) {
    return index < sections.size() ? Optional.of(sections.get((int) index)) : Optional.empty();
  }

  /** Returns the one table of symbols, if there is one. */
  Optional<Section> symbols() {
    Optional<Section> found = Optional.empty();
    for (Section section : sections) {
      if (section.type() == SHT_SYMTAB) {
        if (found.isPresent()) {
          throw new MalformedCodeObjectException(
              section.header() + 4, "there must be one SHT_SYMTAB section only");
        }
        require(section.header() + 56, "sh_entsize of SHT_SYMTAB", SYMBOL_SIZE, section.entry());
        require(
            section.header() + 32, "sh_size modulo sh_entsize", 0, section.size() % SYMBOL_SIZE);
        found = Optional.of(section);
      }
    }
    return found;
  }

  /** Returns the table of names that a section links to. */
  Section linked(Section section) {
    Section linked =
        at(section.link())
            .orElseThrow(
                () ->
                    new MalformedCodeObjectException(
                        section.header() + 40,
                        "sh_link must be below e_shnum %d, is %d"
                            .formatted(sections.size(), section.link())));
    requireNames(elf, linked);
    return linked;
  }

  /** Returns whether a section's name begins so. */
  boolean isNamed(Section section, String prefix) {
    return elf.has(nameStart(section), prefix);
  }

  /** Returns where a section's name is. */
  long nameStart(Section section) {
    return name(names, section.header(), section.name());
  }

  /** Returns how long a section's name is. */
  long nameSize(Section section) {
    return length(names, nameStart(section));
  }

  /** Returns where the name at an offset of a table of names is. */
  long name(Section table, long field, long offset) {
    if (offset >= table.size()) {
      throw new MalformedCodeObjectException(
          field, "a name must begin below %d, is at %d".formatted(table.size(), offset));
    }
    return table.offset() + offset;
  }

  /**
   * Returns how long the name at {@code start} is. Names may share bytes, so that all of them can
   * be far longer than the table that has them; whoever asks takes that much memory next.
   */
  long length(Section table, long start) {
    return elf.terminator(start, table.offset() + table.size(), "a name") - start;
  }
}
