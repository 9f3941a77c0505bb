// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * Checks the relocations that the loader applies: where they write and by which symbol. It takes
 * both as they are.
 */
final class LoaderRelocations {
  private static final int RELOCATION_SIZE = 24;
  private static final int R_AMDGPU_ABS32_LO = 1;
  private static final int R_AMDGPU_ABS32_HI = 2;
  private static final int R_AMDGPU_ABS32 = 6;

  private final ImageReader image;
  private final ElfSections sections;
  private final LoadedMemory memory;

  LoaderRelocations(ImageReader image, ElfSections sections, LoadedMemory memory) {
    this.image = image;
    this.sections = sections;
    this.memory = memory;
  }

  /** Checks a section of relocations. */
  void check(ElfSection table) {
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
        check(at, symbols);
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
  private void check(long at, ElfSection symbols) {
    int width = isNarrow((int) image.u32(at + 8, "r_info")) ? Integer.BYTES : Long.BYTES;
    memory.require(at, "what is relocated", image.u64(at, "r_offset"), width);
    long index = image.u64(at + 8, "r_info") >>> 32;
    long count = symbols.size() / ElfSymbol.SIZE;
    if (index >= count) {
      throw new MalformedCodeObjectException(
          at + 8, "the symbol in r_info must be below %d, is %d", count, index);
    }
    ElfSymbol symbol = ElfSymbol.read(image, symbols.offset() + index * ElfSymbol.SIZE);
    if (symbol.isObject() || symbol.isFunction()) {
      memory.require(symbol.entry() + 8, "a symbol", symbol.value(), 1);
    }
  }

  private static boolean isNarrow(int relocation) {
    return relocation == R_AMDGPU_ABS32_LO
        || relocation == R_AMDGPU_ABS32_HI
        || relocation == R_AMDGPU_ABS32;
  }
}
