// SPDX-License-Identifier: Apache-2.0
//
// Code objects as the real library takes them: from a pointer without a size. It believes what it
// reads, so what would lead it astray ends the process here too: by SIGSEGV where tables or segments
// lie in memory that isn't there, by abort() where it would throw through C.
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

#define BUNDLE "__CLANG_OFFLOAD_BUNDLE__"
#define COMPRESSED "CCOB"

enum {
  MACHINE_AMDGPU = 224,
  OSABI_AMDGPU_HSA = 64,
  LARGEST = 1 << 30,
};

static _Noreturn void segfault(void) {
  raise(SIGSEGV);
  abort();
}

static void must_read(const unsigned char *from, void *to, size_t size) {
  if (read_memory(from, to, size) != size) segfault();
}

// ---- ELF ----------------------------------------------------------------------------------------

// How far an image goes if it is at least `size` long and has this piece too.
static size_t reach(size_t size, uint64_t offset, uint64_t length) {
  if (length == 0) return size;
  if (offset > LARGEST || length > LARGEST) segfault();
  return offset + length > size ? offset + length : size;
}

static size_t size_of(const unsigned char *given, const Elf64_Ehdr *header) {
  size_t size = reach(sizeof *header, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));
  size = reach(size, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr));
  for (int i = 0; i < header->e_phnum; i++) {
    Elf64_Phdr segment;
    must_read(given + header->e_phoff + i * sizeof segment, &segment, sizeof segment);
    size = reach(size, segment.p_offset, segment.p_filesz);
  }
  for (int i = 0; i < header->e_shnum; i++) {
    Elf64_Shdr section;
    must_read(given + header->e_shoff + i * sizeof section, &section, sizeof section);
    if (section.sh_type != SHT_NOBITS) size = reach(size, section.sh_offset, section.sh_size);
  }
  return size;
}

// The errors for what is no code object, and for one that is for another device.
static const int not_a_code_object =
    STAND_IN_MAJOR == 5 ? hipErrorInvalidKernelFile : hipErrorInvalidImage;
static const int not_for_device = STAND_IN_MAJOR == 5   ? hipErrorSharedObjectInitFailed
                                  : STAND_IN_MAJOR == 6 ? hipErrorNoBinaryForGpu
                                                        : hipErrorInvalidImage;

static int open_elf(struct image *image, const unsigned char *given, const struct target *target) {
  Elf64_Ehdr header = {0};
  size_t there = read_memory(given, &header, sizeof header);
  bool magic = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  bool amdgpu = header.e_machine == MACHINE_AMDGPU && header.e_ident[EI_OSABI] == OSABI_AMDGPU_HSA;
  if (STAND_IN_MAJOR == 5 && !magic) return not_a_code_object;
  if (!amdgpu) return STAND_IN_MAJOR == 5 ? not_for_device : not_a_code_object;
  // Since 6 the magic isn't looked at; what has only the rest is taken at its word.
  if (!magic || there != sizeof header) segfault();
  size_t size = size_of(given, &header);
  if (!target_suits(target, header.e_ident[EI_ABIVERSION], header.e_flags)) return not_for_device;
  image_take(image, given, size);
  must_read(given, image->bytes, size);
  return hipSuccess;
}

// ---- bundles ------------------------------------------------------------------------------------

static _Noreturn void no_binary(void) {
  fputs("\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\"\n", stderr);
  abort();
}

static int open_bundle(struct image *image, const unsigned char *given,
                       const struct target *target) {
  uint64_t entries;
  const unsigned char *at = given + strlen(BUNDLE);
  must_read(at, &entries, sizeof entries);
  at += sizeof entries;
  for (uint64_t i = 0; i < entries; i++) {
    uint64_t entry[3];  // offset, size, length of the ID
    char id[128] = "";
    must_read(at, entry, sizeof entry);
    at += sizeof entry;
    if (entry[2] >= sizeof id) segfault();
    must_read(at, id, entry[2]);
    at += entry[2];
    if (target_suits_entry(target, id)) return open_elf(image, given + entry[0], target);
  }
  no_binary();
}

int image_open(struct image *image, const void *given, const struct target *target) {
  char head[sizeof BUNDLE] = "";
  if (read_memory(given, head, strlen(BUNDLE)) == 0) segfault();
  if (strcmp(head, BUNDLE) == 0) return open_bundle(image, given, target);
  // 5 doesn't know compressed bundles; the stand-in of the others can't look into them.
  bool compressed = strncmp(head, COMPRESSED, strlen(COMPRESSED)) == 0;
  if (compressed && STAND_IN_MAJOR > 5) no_binary();
  return open_elf(image, given, target);
}
