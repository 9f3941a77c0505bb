// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.ElfSection.SHT_REL;
import static dev.kcache.codeobject.ElfSection.SHT_RELA;
import static dev.kcache.codeobject.ElfSection.SHT_SYMTAB;

import dev.kcache.codeobject.CodeObject.Format;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the kernel whose address a variable is initialised with. In an ELF image a relocation has
 * it: AMD's linker writes the address itself, NVIDIA's tools name the kernel's symbol. PTX names
 * the kernel.
 */
final class KernelAddresses {
  private static final int REL_SIZE = 16;
  private static final int RELA_SIZE = 24;
  private static final int POINTER_SIZE = 8;

  private final ImageReader image;
  private final Set<String> kernels;

  /** The variable's name in the image: of a static one clang makes the second. */
  private final List<String> names;

  private KernelAddresses(String variable, CodeObject code) {
    image = new ImageReader(code.bytes());
    kernels = code.kernels().stream().map(KernelMetadata::name).collect(Collectors.toSet());
    names = List.of(variable, "_ZL" + variable.length() + variable);
  }

  /** Returns the name of the kernel, if the variable is there and has the address of one. */
  static Optional<String> kernelIn(String variable, CodeObject code) {
    KernelAddresses addresses = new KernelAddresses(variable, code);
    return switch (code.format()) {
      case AMDGPU_ELF ->
          ElfImage.check(addresses.image)
              .sections()
              .flatMap(sections -> addresses.inElf(sections, Format.AMDGPU_ELF));
      case CUBIN ->
          addresses.inElf(
              ElfSections.read(addresses.image, ElfSection.SHT_CUDA_RESERVED), Format.CUBIN);
      case PTX -> addresses.inPtx();
    };
  }

  private Optional<String> inElf(ElfSections sections, Format format) {
    Optional<ElfSection> table = sections.only(SHT_SYMTAB, "SHT_SYMTAB");
    if (table.isEmpty()) {
      return Optional.empty();
    }
    ElfSection strings = sections.symbolNames(table.get());
    for (long at = table.get().offset(); at < table.get().end(); at += ElfSymbol.SIZE) {
      ElfSymbol symbol = ElfSymbol.read(image, at);
      if (symbol.isObject()
          && symbol.size() == POINTER_SIZE
          && names.stream().anyMatch(name -> isNamed(symbol, strings, name))) {
        return value(sections, symbol, format);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the kernel of the relocation at a variable. A linked image of AMD's has addresses of
   * memory and no section there, a cubin has offsets in the section that {@code sh_info} names.
   */
  private Optional<String> value(ElfSections sections, ElfSymbol variable, Format format) {
    long section = format == Format.CUBIN ? variable.section() : 0;
    for (ElfSection table : sections.all()) {
      if ((table.type() == SHT_RELA || table.type() == SHT_REL) && table.info() == section) {
        int size = table.type() == SHT_RELA ? RELA_SIZE : REL_SIZE;
        for (long at = table.offset(); at < table.end(); at += size) {
          if (image.u64(at, "r_offset") == variable.value()) {
            long symbol = image.u64(at + 8, "r_info") >>> 32;
            ElfSection symbols = sections.linked(table, "a table of relocations");
            return symbol != 0
                ? kernel(sections, symbols, symbol)
                : table.type() == SHT_RELA
                    ? kernelAt(sections, image.u64(at + 16, "r_addend"))
                    : Optional.empty();
          }
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> kernel(ElfSections sections, ElfSection symbols, long index) {
    if (!symbols.isSymbolTable() || index >= symbols.size() / ElfSymbol.SIZE) {
      return Optional.empty();
    }
    ElfSymbol symbol = ElfSymbol.read(image, symbols.offset() + index * ElfSymbol.SIZE);
    return nameOf(symbol, sections.symbolNames(symbols));
  }

  private Optional<String> kernelAt(ElfSections sections, long address) {
    ElfSection symbols = sections.only(SHT_SYMTAB, "SHT_SYMTAB").orElseThrow();
    ElfSection strings = sections.symbolNames(symbols);
    for (long at = symbols.offset(); at < symbols.end(); at += ElfSymbol.SIZE) {
      ElfSymbol symbol = ElfSymbol.read(image, at);
      if (symbol.isFunction() && symbol.value() == address) {
        Optional<String> kernel = nameOf(symbol, strings);
        if (kernel.isPresent()) {
          return kernel;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> nameOf(ElfSymbol symbol, ElfSection strings) {
    return kernels.stream().filter(kernel -> isNamed(symbol, strings, kernel)).findFirst();
  }

  private boolean isNamed(ElfSymbol symbol, ElfSection strings, String name) {
    long start = ElfSections.nameStart(symbol.entry(), "st_name", symbol.name(), strings);
    return image.has(start, name + "\0");
  }

  /** Reads {@code .global .align 8 .u64 variable = kernel;}. */
  private Optional<String> inPtx() {
    PtxTokens in = new PtxTokens(image, PtxReader.end(image));
    while (in.next()) {
      if (names.stream().anyMatch(in::is)) {
        return valueInPtx(in);
      }
    }
    return Optional.empty();
  }

  private Optional<String> valueInPtx(PtxTokens in) {
    while (in.next() && !in.is(';')) {
      Optional<String> kernel = kernels.stream().filter(in::is).findFirst();
      if (kernel.isPresent()) {
        return kernel;
      }
    }
    return Optional.empty();
  }
}
