// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ElfSection.SHT_STRTAB;
import static dev.kcache.codeobject.ImageReader.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The sections of an image, whose bytes lie inside it, and the string table that has their names.
 */
final class ElfSections {
  private static final int NAMES_INDEX = 62;

  /** The memory of a section and of its place in the list. */
  private static final int SECTION_MEMORY = 104;

  private final ImageReader image;
  private final List<ElfSection> all;
  private final ElfSection names;

  private ElfSections(ImageReader image, List<ElfSection> all, ElfSection names) {
    this.image = image;
    this.all = all;
    this.names = names;
  }

  /**
   * Reads and checks the section header table.
   *
   * @param empty one more type whose sections have no bytes in the file
   */
  static ElfSections read(ImageReader image, int empty) {
    long table = image.u64(40, "e_shoff");
    int count = image.u16(60, "e_shnum");
    int names = image.u16(NAMES_INDEX, "e_shstrndx");
    require(58, "e_shentsize", ElfSection.HEADER_SIZE, image.u16(58, "e_shentsize"));
    if (names >= count) {
      throw new MalformedCodeObjectException(
          NAMES_INDEX, "e_shstrndx must be below e_shnum %d, is %d", count, names);
    }
    ElfImage.checkTable(
        image, 40, table, (long) count * ElfSection.HEADER_SIZE, "the section header table");
    image.take(40, (long) count * SECTION_MEMORY, "the section header table");
    List<ElfSection> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ElfSection section = ElfSection.read(image, table + (long) i * ElfSection.HEADER_SIZE);
      if (section.hasBytes()
          && section.type() != empty
          && !image.holds(section.offset(), section.size())) {
        throw image.outside(
            section.header() + 24, section.offset(), section.size(), "section " + i);
      }
      all.add(section);
    }
    return new ElfSections(image, all, all.get(names));
  }

  /** Checks the string table that has the sections' names. */
  void requireNames() {
    requireNames(NAMES_INDEX, names, "e_shstrndx");
  }

  /** Refuses tables of a type whose entries have another size than {@code entry} bytes. */
  void requireEntries(int type, int entry) {
    for (int i = 0; i < all.size(); i++) {
      ElfSection section = all.get(i);
      if (section.type() == type) {
        require(section.header() + 56, "sh_entsize of section " + i, entry, section.entrySize());
        if (section.size() % entry != 0) {
          throw new MalformedCodeObjectException(
              section.header() + 32,
              "sh_size of section %d must be a multiple of %d, is %d",
              i,
              entry,
              section.size());
        }
      }
    }
  }

  List<ElfSection> all() {
    return all;
  }

  int count() {
    return all.size();
  }

  ElfSection get(int index) {
    return all.get(index);
  }

  /** Returns whether a section has a name, which has to be one of the table. */
  boolean isNamed(ElfSection section, String name) {
    return begins(section, name + "\0");
  }

  /** Returns whether a section's name, with the NUL at its end, begins so. */
  boolean begins(ElfSection section, String prefix) {
    return image.has(nameStart(section), prefix);
  }

  /** Returns where a section's name is. */
  long nameStart(ElfSection section) {
    return nameStart(section.header(), "sh_name", section.name(), names);
  }

  /** Returns how long a section's name is. */
  long nameSize(ElfSection section) {
    return nameSize(names, nameStart(section));
  }

  /** Returns the section of a type, of which there must not be two. */
  Optional<ElfSection> only(int type, String name) {
    Optional<ElfSection> found = Optional.empty();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).type() == type) {
        if (found.isPresent()) {
          throw new MalformedCodeObjectException(
              all.get(i).header() + 4, "section %d must not be a second %s", i, name);
        }
        found = Optional.of(all.get(i));
      }
    }
    return found;
  }

  /** Returns whether there is a section of a type and with a name. */
  boolean has(int type, String name) {
    return all.stream().anyMatch(section -> section.type() == type && isNamed(section, name));
  }

  /** Returns the section that {@code sh_link} of another one names. */
  ElfSection linked(ElfSection section, String what) {
    if (section.link() >= all.size()) {
      throw new MalformedCodeObjectException(
          section.header() + 40,
          "sh_link of %s must be below %d, is %d",
          what,
          all.size(),
          section.link());
    }
    return all.get((int) section.link());
  }

  /** Returns the names of a symbol table. */
  ElfSection symbolNames(ElfSection symbols) {
    ElfSection strings = linked(symbols, "a symbol table");
    requireNames(symbols.header() + 40, strings, "sh_link of a symbol table");
    return strings;
  }

  /** Checks a string table, which has to end in NUL so that each name in it ends. */
  private void requireNames(long field, ElfSection table, String what) {
    if (table.type() != SHT_STRTAB
        || table.size() == 0
        || image.u8(table.offset() + table.size() - 1, "the end of a string table") != 0) {
      throw new MalformedCodeObjectException(
          field, what + " must be a SHT_STRTAB section that ends in NUL");
    }
  }

  /** Returns where the name at an offset of a string table is. */
  static long nameStart(long field, String what, long name, ElfSection table) {
    if (name >= table.size()) {
      throw new MalformedCodeObjectException(
          field, "%s must be below %d, is %d", what, table.size(), name);
    }
    return table.offset() + name;
  }

  /**
   * Returns how long the name at {@code start} is. Names may share bytes, so that all of them can
   * be far longer than the table that has them; callers bound what all of theirs take.
   */
  long nameSize(ElfSection table, long start) {
    return image.terminator(start, table.end(), "a name") - start;
  }
}
