// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ElfSection.SHT_DYNSYM;
import static dev.kcache.codeobject.ElfSection.SHT_PROGBITS;
import static dev.kcache.codeobject.ElfSection.SHT_SYMTAB;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks both symbol tables. The runtime takes the names of variables from {@code .dynsym}, and
 * their addresses and those of kernels' descriptors from {@code .symtab}, so both have to say the
 * same.
 */
final class LoaderSymbols {
  private static final String NAME = "a symbol's name";
  private static final String DESCRIPTOR = ".kd";
  private static final String MANAGED = ".managed";
  private static final int POINTER_SIZE = 8;

  /** What a name with its symbol takes in a table, but for its characters. */
  private static final int SYMBOL_MEMORY = 200;

  private final ImageReader image;
  private final ElfImage elf;
  private final ElfSections sections;

  /** A variable without bytes where the memory ends, as {@code int a[0]} may be, if any. */
  private @Nullable String empty;

  LoaderSymbols(ImageReader image, ElfImage elf, ElfSections sections) {
    this.image = image;
    this.elf = elf;
    this.sections = sections;
  }

  /**
   * Checks the tables; returns why the runtime cannot load what they say, if there is a {@code
   * .symtab} and it cannot.
   */
  Optional<LoadObstacle> check() {
    Optional<ElfSection> symtab = sections.only(SHT_SYMTAB, "SHT_SYMTAB");
    Optional<ElfSection> dynsym = sections.only(SHT_DYNSYM, "SHT_DYNSYM");
    Map<String, ElfSymbol> loaded = new LinkedHashMap<>();
    Map<String, ElfSymbol> listed = new LinkedHashMap<>();
    symtab.ifPresent(table -> read(table, loaded));
    dynsym.ifPresent(table -> read(table, listed));
    checkManaged(listed);
    if (symtab.isEmpty()) {
      return Optional.empty();
    }
    return compare(listed, loaded)
        .map(LoadObstacle::stripped)
        .or(() -> Optional.ofNullable(empty).map(LoadObstacle::placeless));
  }

  /** Checks a table and adds the variables and descriptors that are seen from outside. */
  private void read(ElfSection table, Map<String, ElfSymbol> objects) {
    ElfSection names = sections.symbolNames(table);
    long nameBytes = 0;
    for (long at = table.offset(); at < table.end(); at += ElfSymbol.SIZE) {
      ElfSymbol symbol = ElfSymbol.read(image, at);
      long start = ElfSections.nameStart(at, "st_name", symbol.name(), names);
      if (symbol.isKernel()) {
        throw new MalformedCodeObjectException(
            at + 4, "st_info must not be of a kernel of code object version 2");
      }
      // The loader passes over local symbols of .symtab.
      if (symbol.isObject() && !(symbol.isLocal() && table.type() == SHT_SYMTAB)) {
        String name = name(symbol, start, names, nameBytes);
        nameBytes += name.length();
        checkObject(symbol, name);
        if (objects.put(name, symbol) != null) {
          throw new MalformedCodeObjectException(
              at, "a symbol table must have %s once", Quoted.of(name));
        }
      }
    }
  }

  private String name(ElfSymbol symbol, long start, ElfSection names, long before) {
    long length = sections.nameSize(names, start);
    // Names may share bytes, so that all of them can be far longer than the table that has them.
    if (before + length > image.size()) {
      throw new MalformedCodeObjectException(
          symbol.entry(),
          "the names of symbols must have at most the image's %d bytes",
          image.size());
    }
    image.take(symbol.entry(), SYMBOL_MEMORY + length, NAME);
    return image.text(start, length, NAME);
  }

  /** Checks a variable or a kernel's descriptor: the loader takes its address from its section. */
  private void checkObject(ElfSymbol symbol, String name) {
    int index = symbol.section();
    if (index == 0 || index >= sections.count()) {
      throw new MalformedCodeObjectException(
          symbol.entry() + 6,
          "st_shndx of an object must be 1 to %d, is %d",
          sections.count() - 1,
          index);
    }
    ElfSection section = sections.get(index);
    boolean placed = elf.isLoaded(section.address());
    if (symbol.size() > 0 || (placed && symbol.value() != elf.loadedSize())) {
      elf.requireLoaded(section.header() + 16, "the section of an object", section.address(), 0);
      elf.requireLoaded(symbol.entry() + 8, "an object", symbol.value(), symbol.size());
    } else if (placed) {
      empty = name;
    }
    if (!section.holds(symbol.value(), symbol.size())) {
      throw new MalformedCodeObjectException(
          symbol.entry() + 8, "an object must lie in its section %d", index);
    }
    // The loader reads a descriptor in its section, and the device in its segment.
    if (name.endsWith(DESCRIPTOR)
        && (section.type() != SHT_PROGBITS || !elf.loads(section, symbol.value()))) {
      throw new MalformedCodeObjectException(
          symbol.entry() + 6,
          "a descriptor must be at one place, by its section and by its segment");
    }
  }

  /** A managed variable is a pointer, which the runtime sets, and {@code .managed}, its memory. */
  private static void checkManaged(Map<String, ElfSymbol> variables) {
    for (Map.Entry<String, ElfSymbol> memory : variables.entrySet()) {
      String name = memory.getKey();
      if (name.endsWith(MANAGED)) {
        ElfSymbol pointer = variables.get(name.substring(0, name.length() - MANAGED.length()));
        if (pointer == null || pointer.size() != POINTER_SIZE) {
          throw new MalformedCodeObjectException(
              memory.getValue().entry(),
              "the managed variable %s must have a pointer of %d bytes, named without %s",
              Quoted.of(name),
              POINTER_SIZE,
              MANAGED);
        }
      }
    }
  }

  private static Optional<String> compare(
      Map<String, ElfSymbol> listed, Map<String, ElfSymbol> loaded) {
    String missing = null;
    for (Map.Entry<String, ElfSymbol> object : listed.entrySet()) {
      ElfSymbol other = loaded.get(object.getKey());
      if (other == null) {
        missing = missing == null ? object.getKey() : missing;
      } else if (other.value() != object.getValue().value()
          || other.size() != object.getValue().size()) {
        throw new MalformedCodeObjectException(
            other.entry() + 8,
            ".symtab must say of %s what .dynsym says: %d bytes at 0x%x",
            Quoted.of(object.getKey()),
            object.getValue().size(),
            object.getValue().value());
      }
    }
    return Optional.ofNullable(missing).map(name -> Quoted.of(name) + " in .symtab");
  }
}
