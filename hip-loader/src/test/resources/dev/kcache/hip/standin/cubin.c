// SPDX-License-Identifier: Apache-2.0
//
// Images as the CUDA driver takes them: a cubin, which is ELF, or the text of PTX, from a pointer without
// a size. What is in a cubin is here; ptx.c reads the other.
//
// Sources: NVIDIA describes the text of PTX only. Of cubins, what cuobjdump -elf and nvdisasm of CUDA
// 13.0 show of some: a kernel's code is in .text.NAME, its static shared memory is the size of
// .nv.shared.NAME, and .nv.info.NAME lists attributes of four bytes and what follows.
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum {
  MACHINE_CUDA = 190,
  ABI_FLAGS_MOVED = 8,  // since then the processor is in the second byte of e_flags
  LARGEST = 1 << 30,

  // Where .nv.shared.reserved.0 is, each kernel's begins with what the driver keeps to itself.
  RESERVED_BYTES = 1024,

  SIZED = 4,  // the format of an attribute that is followed by its size
  KERNEL_PARAMETER = 0x17,
  MAX_THREADS = 0x05,
};

void ptx_kernels(const struct image *image, struct description **kernels, size_t *count,
                 uint32_t **shared);
void ptx_globals(const struct image *image, void (*each)(void *, struct symbol), void *context);
int ptx_processor(const struct image *image);
size_t ptx_size(const unsigned char *given);

static const Elf64_Ehdr *header_of(const struct image *image) {
  return (const Elf64_Ehdr *)image->bytes;
}

static bool is_cubin(const struct image *image) {
  return image->size > sizeof(Elf64_Ehdr) && memcmp(image->bytes, ELFMAG, SELFMAG) == 0;
}

static const Elf64_Shdr *section(const struct image *image, int number) {
  if (number >= header_of(image)->e_shnum) abort();
  return (const Elf64_Shdr *)(image->bytes + header_of(image)->e_shoff) + number;
}

static const char *string(const struct image *image, int table, uint32_t offset) {
  if (offset >= section(image, table)->sh_size) abort();
  return (const char *)image->bytes + section(image, table)->sh_offset + offset;
}

// The section whose name is a prefix and a kernel's name; NULL if there is none.
static const Elf64_Shdr *section_of(const struct image *image, const char *prefix,
                                    const char *kernel) {
  for (int i = 0; i < header_of(image)->e_shnum; i++) {
    const char *name = string(image, header_of(image)->e_shstrndx, section(image, i)->sh_name);
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) == 0 && strcmp(name + length, kernel) == 0) {
      return section(image, i);
    }
  }
  return NULL;
}

static void must_read(const unsigned char *from, void *to, size_t size) {
  if (read_memory(from, to, size) != size) abort();
}

// How far an image goes; the driver believes the section table.
static size_t size_of(const unsigned char *given, const Elf64_Ehdr *header) {
  size_t size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
  for (int i = 0; i < header->e_shnum; i++) {
    Elf64_Shdr one;
    must_read(given + header->e_shoff + i * sizeof one, &one, sizeof one);
    if (one.sh_type == SHT_NOBITS) continue;
    if (one.sh_offset + one.sh_size > LARGEST) abort();
    if (one.sh_offset + one.sh_size > size) size = one.sh_offset + one.sh_size;
  }
  return size;
}

static int processor_of(const Elf64_Ehdr *header) {
  bool moved = header->e_ident[EI_ABIVERSION] >= ABI_FLAGS_MOVED;
  return moved ? header->e_flags >> 8 & 0xff : header->e_flags & 0xff;
}

int image_open(struct image *image, const void *given, const struct target *target) {
  Elf64_Ehdr header = {0};
  size_t there = read_memory(given, &header, sizeof header);
  int device = atoi(target->processor + strlen("sm_"));
  if (there >= SELFMAG && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
    if (header.e_machine != MACHINE_CUDA) return hipErrorInvalidImage;
    int made_for = processor_of(&header);
    if (made_for / 10 != device / 10 || made_for > device) return hipErrorNoBinaryForGpu;
    image_take(image, given, size_of(given, &header));
    must_read(given, image->bytes, image->size);
    return hipSuccess;
  }
  size_t size = ptx_size(given);
  if (size == 0) return hipErrorInvalidImage;
  image_take(image, given, size);
  must_read(given, image->bytes, size);
  int least = ptx_processor(image);
  if (least > 0 && least <= device) return hipSuccess;
  image_close(image);
  return hipErrorInvalidKernelFile;
}

// ---- kernels ------------------------------------------------------------------------------------

static uint32_t number_at(const unsigned char *bytes, int size) {
  uint32_t number = 0;
  memcpy(&number, bytes, size);
  return number;
}

// Parameters come last first.
static void add_parameter(struct description *kernel, uint32_t ordinal, struct parameter parameter) {
  if (ordinal >= kernel->parameter_count) {
    kernel->parameters =
        realloc(kernel->parameters, (ordinal + 1) * sizeof *kernel->parameters);
    if (kernel->parameters == NULL) abort();
    kernel->parameter_count = ordinal + 1;
  }
  kernel->parameters[ordinal] = parameter;
  uint32_t end = parameter.offset + parameter.size;
  if (end > kernel->explicit_bytes) kernel->explicit_bytes = end;
}

static void read_attributes(const unsigned char *at, size_t size, struct description *kernel) {
  const unsigned char *end = at + size;
  while (end - at >= 4) {
    uint32_t value = number_at(at + 2, 2);
    const unsigned char *contents = at + 4;
    size_t length = at[0] == SIZED ? value : 0;
    if (length > (size_t)(end - contents)) abort();
    if (at[0] == SIZED && at[1] == KERNEL_PARAMETER) {
      struct parameter parameter = {number_at(contents + 6, 2), number_at(contents + 8, 4) >> 18};
      add_parameter(kernel, number_at(contents + 4, 2), parameter);
    } else if (at[0] == SIZED && at[1] == MAX_THREADS) {
      kernel->max_threads = number_at(contents, 4) * number_at(contents + 4, 4);
    }
    at = contents + length;
  }
}

static char *descriptor_name(const char *name) {
  char *symbol = malloc(strlen(name) + sizeof ".kd");
  if (symbol == NULL) abort();
  return strcat(strcpy(symbol, name), ".kd");
}

static void cubin_kernels(const struct image *image, struct description **kernels, size_t *count,
                          uint32_t **shared) {
  size_t capacity = header_of(image)->e_shnum;
  *kernels = calloc(capacity + 1, sizeof **kernels);
  *shared = calloc(capacity + 1, sizeof **shared);
  if (*kernels == NULL || *shared == NULL) abort();
  bool reserves = section_of(image, ".nv.shared.reserved.", "0") != NULL;
  for (size_t i = 0; i < capacity; i++) {
    const char *name =
        string(image, header_of(image)->e_shstrndx, section(image, (int)i)->sh_name);
    if (strncmp(name, ".text.", 6) != 0) continue;
    struct description *kernel = &(*kernels)[*count];
    kernel->name = strdup(name + 6);
    kernel->max_threads = MAX_BLOCK_THREADS;
    kernel->vector_registers = 32;
    const Elf64_Shdr *info = section_of(image, ".nv.info.", kernel->name);
    if (info != NULL) read_attributes(image->bytes + info->sh_offset, info->sh_size, kernel);
    const Elf64_Shdr *memory = section_of(image, ".nv.shared.", kernel->name);
    if (memory != NULL) (*shared)[*count] = memory->sh_size - (reserves ? RESERVED_BYTES : 0);
    (*count)++;
  }
}

// ---- what modules.c asks for --------------------------------------------------------------------

static void kernels_of(const struct image *image, struct description **kernels, size_t *count,
                       uint32_t **shared) {
  *count = 0;
  (is_cubin(image) ? cubin_kernels : ptx_kernels)(image, kernels, count, shared);
  for (size_t i = 0; i < *count; i++) {
    (*kernels)[i].symbol = descriptor_name((*kernels)[i].name);
    (*kernels)[i].wave = 32;
  }
}

// The whole image is what the kernels are read from.
const unsigned char *image_metadata(const struct image *image, int number, size_t *size) {
  if (number > 0) return NULL;
  *size = image->size;
  return image->bytes;
}

struct description *metadata_read(const unsigned char *bytes, size_t size, size_t *count) {
  struct image image = {.bytes = (unsigned char *)bytes, .size = size};
  struct description *kernels;
  uint32_t *shared;
  kernels_of(&image, &kernels, count, &shared);
  free(shared);
  return kernels;
}

void metadata_free(struct description *kernels, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(kernels[i].name);
    free(kernels[i].symbol);
    free(kernels[i].parameters);
  }
  free(kernels);
}

static void cubin_globals(const struct image *image, void (*each)(void *, struct symbol),
                          void *context) {
  for (int i = 0; i < header_of(image)->e_shnum; i++) {
    const Elf64_Shdr *table = section(image, i);
    if (table->sh_type != SHT_SYMTAB) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(image->bytes + table->sh_offset);
    for (size_t k = 0; k < table->sh_size / sizeof *symbols; k++) {
      const Elf64_Sym *symbol = &symbols[k];
      if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF) continue;
      const Elf64_Shdr *home = section(image, symbol->st_shndx);
      const unsigned char *contents =
          home->sh_type == SHT_NOBITS ? NULL : image->bytes + home->sh_offset + symbol->st_value;
      each(context, (struct symbol){string(image, table->sh_link, symbol->st_name),
                                    symbol->st_value, symbol->st_size, contents});
    }
  }
}

// Gives each kernel the descriptor that AMD's have, which begins with the shared memory.
void image_symbols(const struct image *image, void (*each)(void *context, struct symbol symbol),
                   void *context) {
  struct description *kernels;
  uint32_t *shared;
  size_t count;
  kernels_of(image, &kernels, &count, &shared);
  for (size_t i = 0; i < count; i++) {
    unsigned char descriptor[64] = {0};
    memcpy(descriptor, &shared[i], sizeof shared[i]);
    each(context, (struct symbol){kernels[i].symbol, 0, sizeof descriptor, descriptor});
  }
  metadata_free(kernels, count);
  free(shared);
  (is_cubin(image) ? cubin_globals : ptx_globals)(image, each, context);
}
