// SPDX-License-Identifier: Apache-2.0
//
// What the real runtime does with the tables of a code object that the stand-in itself does not need:
// it walks .symtab and the relocations, by sections, and believes what they say. It ends the process
// where the real one does: by SIGSEGV where that follows a wrong index, by abort() where an assertion of
// its fails. Seen on libamdhip64 5.2.3.
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

#define MANAGED ".managed"

enum { STT_OLD_KERNEL = 10, NARROW_LOW = 1, NARROW_HIGH = 2, NARROW = 6 };

struct loader {
  const struct image *image;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
  uint64_t memory;  // where the last segment ends
};

static _Noreturn void segfault(void) {
  raise(SIGSEGV);
  abort();
}

// What the real one takes for the size: where the section ends that begins last.
static uint64_t measured(const struct loader *loader) {
  uint64_t last = loader->header->e_shoff;
  uint64_t end = last + loader->header->e_shnum * sizeof(Elf64_Shdr);
  for (int i = 0; i < loader->header->e_shnum; i++) {
    const Elf64_Shdr *section = &loader->sections[i];
    if (section->sh_offset <= last) continue;
    last = section->sh_offset;
    end = last + (section->sh_type == SHT_NOBITS ? 0 : section->sh_size);
  }
  return end;
}

static void check_sizes(const struct loader *loader) {
  uint64_t size = measured(loader);
  uint64_t table = loader->header->e_shoff + loader->header->e_shnum * sizeof(Elf64_Shdr);
  if (size > loader->image->size || table > size) segfault();
  for (int i = 1; i < loader->header->e_shnum; i++) {
    const Elf64_Shdr *section = &loader->sections[i];
    bool bytes = section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
    if (bytes && section->sh_offset + section->sh_size > size) segfault();
  }
}

static void check_segments(struct loader *loader) {
  const Elf64_Phdr *segments = (const Elf64_Phdr *)(loader->image->bytes + loader->header->e_phoff);
  bool first = true;
  for (int i = 0; i < loader->header->e_phnum; i++) {
    if (segments[i].p_type != PT_LOAD) continue;
    if (first && segments[i].p_vaddr != 0) abort();
    first = false;
    loader->memory = segments[i].p_vaddr + segments[i].p_memsz;
  }
}

static const char *name_in(const struct loader *loader, const Elf64_Shdr *table, uint64_t offset) {
  if (table->sh_type != SHT_STRTAB || offset >= table->sh_size) segfault();
  const char *names = (const char *)loader->image->bytes + table->sh_offset;
  if (memchr(names + offset, '\0', table->sh_size - offset) == NULL) segfault();
  return names + offset;
}

static const Elf64_Shdr *section_at(const struct loader *loader, uint64_t index) {
  if (index == 0 || index >= loader->header->e_shnum) segfault();
  return &loader->sections[index];
}

static const Elf64_Shdr *named(const struct loader *loader, const char *name) {
  const Elf64_Shdr *names = section_at(loader, loader->header->e_shstrndx);
  const Elf64_Shdr *found = NULL;
  for (int i = 1; i < loader->header->e_shnum; i++) {
    if (strcmp(name_in(loader, names, loader->sections[i].sh_name), name) == 0) {
      found = &loader->sections[i];
    }
  }
  return found;
}

static bool in_memory(const struct loader *loader, uint64_t address) {
  return address < loader->memory;
}

static const Elf64_Sym *symbols_of(const struct loader *loader, const Elf64_Shdr *table,
                                   size_t *count) {
  if (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM) segfault();
  *count = table->sh_size / sizeof(Elf64_Sym);
  return (const Elf64_Sym *)(loader->image->bytes + table->sh_offset);
}

static void load_object(const struct loader *loader, const char *name, const Elf64_Sym *symbol) {
  const Elf64_Shdr *section = section_at(loader, symbol->st_shndx);
  if (in_memory(loader, section->sh_addr) && !in_memory(loader, symbol->st_value)) abort();
  if (section->sh_addralign >= UINT32_MAX) abort();
  size_t length = strlen(name);
  bool descriptor = length > 3 && strcmp(name + length - 3, ".kd") == 0;
  if (descriptor && section->sh_type == SHT_NOBITS) segfault();
}

// Whether .symtab has an object that .dynsym lists, with its value and its size.
static bool has_object(const struct loader *loader, const Elf64_Shdr *table, struct symbol wanted) {
  size_t count;
  const Elf64_Sym *symbols = symbols_of(loader, table, &count);
  for (size_t i = 0; i < count; i++) {
    bool object = ELF64_ST_TYPE(symbols[i].st_info) == STT_OBJECT &&
                  ELF64_ST_BIND(symbols[i].st_info) != STB_LOCAL;
    if (!object || symbols[i].st_value != wanted.address || symbols[i].st_size != wanted.size) {
      continue;
    }
    const Elf64_Shdr *names = section_at(loader, table->sh_link);
    if (strcmp(name_in(loader, names, symbols[i].st_name), wanted.name) == 0) return true;
  }
  return false;
}

static void load_symbols(const struct loader *loader, const Elf64_Shdr *table) {
  size_t count;
  const Elf64_Sym *symbols = symbols_of(loader, table, &count);
  for (size_t i = 0; i < count; i++) {
    int type = ELF64_ST_TYPE(symbols[i].st_info);
    if (type == STT_OLD_KERNEL) abort();
    if (type != STT_OBJECT || ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL) continue;
    const Elf64_Shdr *names = section_at(loader, table->sh_link);
    load_object(loader, name_in(loader, names, symbols[i].st_name), &symbols[i]);
  }
}

static void relocate(const struct loader *loader, const Elf64_Shdr *table) {
  size_t count;
  const Elf64_Sym *symbols = symbols_of(loader, section_at(loader, table->sh_link), &count);
  if (table->sh_info != 0) {
    if (section_at(loader, table->sh_info)->sh_flags & SHF_ALLOC) segfault();
    return;
  }
  const Elf64_Rela *relocations = (const Elf64_Rela *)(loader->image->bytes + table->sh_offset);
  for (size_t i = 0; i < table->sh_size / sizeof *relocations; i++) {
    uint32_t type = ELF64_R_TYPE(relocations[i].r_info), index = ELF64_R_SYM(relocations[i].r_info);
    bool narrow = type == NARROW_LOW || type == NARROW_HIGH || type == NARROW;
    if (index >= count) segfault();
    if (!in_memory(loader, relocations[i].r_offset)) segfault();
    if (loader->memory - relocations[i].r_offset < (narrow ? 4 : 8)) segfault();
    int symbol = ELF64_ST_TYPE(symbols[index].st_info);
    bool defined = symbol == STT_OBJECT || symbol == STT_FUNC;
    if (defined && !in_memory(loader, symbols[index].st_value)) segfault();
  }
}

// Whether there is a pointer for the memory of a managed variable, which the runtime sets.
struct managed {
  const char *memory;
  bool found;
};

static void find_pointer(void *context, struct symbol symbol) {
  struct managed *managed = context;
  size_t length = strlen(managed->memory) - strlen(MANAGED);
  bool same = strlen(symbol.name) == length && memcmp(symbol.name, managed->memory, length) == 0;
  if (same && symbol.size <= sizeof(void *)) managed->found = true;
}

static void require_pointer(void *context, struct symbol symbol) {
  size_t length = strlen(symbol.name), suffix = strlen(MANAGED);
  if (length < suffix || strcmp(symbol.name + length - suffix, MANAGED) != 0) return;
  struct managed managed = {.memory = symbol.name};
  image_symbols(context, find_pointer, &managed);
  if (!managed.found) segfault();
}

struct listed {
  const struct loader *loader;
  const Elf64_Shdr *symtab;  // or NULL
};

static void require_loaded(void *context, struct symbol symbol) {
  struct listed *listed = context;
  if (listed->symtab == NULL || !has_object(listed->loader, listed->symtab, symbol)) abort();
}

void loader_walk(const struct image *image) {
  struct loader loader = {.image = image, .header = (const Elf64_Ehdr *)image->bytes};
  if (loader.header->e_shnum == 0) segfault();
  loader.sections = (const Elf64_Shdr *)(image->bytes + loader.header->e_shoff);
  check_sizes(&loader);
  check_segments(&loader);
  if (named(&loader, ".strtab") == NULL) segfault();
  const Elf64_Shdr *symtab = named(&loader, ".symtab");
  if (symtab != NULL) load_symbols(&loader, symtab);
  for (int i = 1; i < loader.header->e_shnum; i++) {
    if (loader.sections[i].sh_type == SHT_RELA) relocate(&loader, &loader.sections[i]);
  }
  image_symbols(image, require_loaded, &(struct listed){&loader, symtab});
  image_symbols(image, require_pointer, (void *)image);
}
