// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ElfSection.HEADER_SIZE;
import static dev.kcache.codeobject.ElfSection.SHT_STRTAB;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The sections of an image, and the string table that has their names. */
final class ElfSections {
  private static final int NAMES_INDEX = 62;

  private final ImageReader image;
  private final List<ElfSection> all = new ArrayList<>();
  private final ElfSection names;

  /** Reads the section headers of an image that has some. */
  ElfSections(ImageReader image) {
    this.image = image;
    long table = image.u64(40, "e_shoff");
    int count = image.u16(60, "e_shnum");
    for (int i = 0; i < count; i++) {
      all.add(ElfSection.read(image, table + (long) i * HEADER_SIZE));
    }
    names = all.get(image.u16(NAMES_INDEX, "e_shstrndx"));
    requireNames(NAMES_INDEX, names, "e_shstrndx");
  }

  int count() {
    return all.size();
  }

  ElfSection get(int index) {
    return all.get(index);
  }

  /** Returns whether a section has a name, which has to be one of the table. */
  boolean isNamed(ElfSection section, String name) {
    long offset = image.u32(section.header(), "sh_name");
    requireName(section.header(), "sh_name", offset, names);
    return image.has(names.offset() + offset, name + "\0");
  }

  /** Returns the section of a type, of which there must not be two. */
  Optional<ElfSection> only(int type, String name) {
    Optional<ElfSection> found = Optional.empty();
    for (int i = 1; i < all.size(); i++) {
      if (all.get(i).type() == type) {
        if (found.isPresent()) {
          throw new MalformedCodeObjectException(
              all.get(i).header() + 4, "section %d must not be a second %s".formatted(i, name));
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
          "sh_link of %s must be below %d, is %d".formatted(what, all.size(), section.link()));
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

  static void requireName(long field, String what, long name, ElfSection table) {
    if (name >= table.size()) {
      throw new MalformedCodeObjectException(
          field, "%s must be below %d, is %d".formatted(what, table.size(), name));
    }
  }
}
