// SPDX-License-Identifier: Apache-2.0
//
// What is in a code object that was loaded: its symbols and its metadata note.
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { NOTE_AMDGPU_METADATA = 32 };

static const Elf64_Ehdr *header_of(const struct image *image) {
  return (const Elf64_Ehdr *)image->bytes;
}

static const Elf64_Phdr *segments(const struct image *image) {
  return (const Elf64_Phdr *)(image->bytes + header_of(image)->e_phoff);
}

static const unsigned char *at_address(const struct image *image, uint64_t address, uint64_t size) {
  for (int i = 0; i < header_of(image)->e_phnum; i++) {
    const Elf64_Phdr *segment = &segments(image)[i];
    uint64_t offset = address - segment->p_vaddr;
    bool inside = segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
                  offset <= segment->p_filesz && size <= segment->p_filesz - offset;
    if (inside) return image->bytes + segment->p_offset + offset;
  }
  return NULL;
}

void image_symbols(const struct image *image, void (*each)(void *context, struct symbol symbol),
                   void *context) {
  const Elf64_Ehdr *header = header_of(image);
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(image->bytes + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    if (sections[i].sh_link >= header->e_shnum) abort();
    const Elf64_Shdr *names = &sections[sections[i].sh_link];
    const char *strings = (const char *)image->bytes + names->sh_offset;
    if (names->sh_size == 0 || strings[names->sh_size - 1] != '\0') abort();
    const Elf64_Sym *symbols = (const Elf64_Sym *)(image->bytes + sections[i].sh_offset);
    for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
      const Elf64_Sym *symbol = &symbols[k];
      if (symbol->st_name >= names->sh_size) abort();
      if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF) continue;
      each(context, (struct symbol){strings + symbol->st_name, symbol->st_value, symbol->st_size,
                                    at_address(image, symbol->st_value, symbol->st_size)});
    }
  }
}

static uint64_t padded(uint64_t size) { return (size + 3) / 4 * 4; }

// The metadata among the notes of one segment, after the first ones; NULL if there is none.
static const unsigned char *metadata_in(const unsigned char *notes, uint64_t size, int *skipped,
                                        size_t *found) {
  while (size >= sizeof(Elf64_Nhdr)) {
    const Elf64_Nhdr *note = (const Elf64_Nhdr *)notes;
    uint64_t before = sizeof *note + padded(note->n_namesz);
    uint64_t whole = before + padded(note->n_descsz);
    if (whole > size) abort();
    bool ours = note->n_type == NOTE_AMDGPU_METADATA && note->n_namesz == sizeof "AMDGPU" &&
                memcmp(notes + sizeof *note, "AMDGPU", sizeof "AMDGPU") == 0;
    if (ours && (*skipped)-- == 0) {
      *found = note->n_descsz;
      return notes + before;
    }
    notes += whole;
    size -= whole;
  }
  return NULL;
}

const unsigned char *image_metadata(const struct image *image, int number, size_t *size) {
  for (int i = 0; i < header_of(image)->e_phnum; i++) {
    const Elf64_Phdr *segment = &segments(image)[i];
    if (segment->p_type != PT_NOTE) continue;
    const unsigned char *notes = image->bytes + segment->p_offset;
    const unsigned char *found = metadata_in(notes, segment->p_filesz, &number, size);
    if (found != NULL) return found;
  }
  return NULL;
}
