// SPDX-License-Identifier: Apache-2.0
//
// The metadata note: a MessagePack map that describes each kernel. Good enough for what compilers
// write; anything else ends the process, as in the real library an exception does.
#include <stdlib.h>
#include <string.h>

#include "standin.h"

struct reader {
  const unsigned char *at;
  const unsigned char *end;
};

static const unsigned char *take(struct reader *reader, uint64_t size) {
  if (size > (uint64_t)(reader->end - reader->at)) abort();
  const unsigned char *taken = reader->at;
  reader->at += size;
  return taken;
}

static uint64_t big_endian(struct reader *reader, int size) {
  const unsigned char *bytes = take(reader, size);
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | bytes[i];
  return value;
}

// The number of entries of a map or of an array: `small` is the tag of the short form.
static uint64_t entries(struct reader *reader, unsigned small, unsigned tag16) {
  unsigned tag = *take(reader, 1);
  if ((tag & 0xf0) == small) return tag & 0x0f;
  if (tag == tag16) return big_endian(reader, 2);
  if (tag == tag16 + 1) return big_endian(reader, 4);
  abort();
}

static uint64_t map(struct reader *reader) { return entries(reader, 0x80, 0xde); }
static uint64_t array(struct reader *reader) { return entries(reader, 0x90, 0xdc); }

struct text {
  const char *bytes;
  size_t size;
};

static struct text text(struct reader *reader) {
  unsigned tag = *take(reader, 1);
  uint64_t size;
  if ((tag & 0xe0) == 0xa0) {
    size = tag & 0x1f;
  } else if (tag >= 0xd9 && tag <= 0xdb) {
    size = big_endian(reader, 1 << (tag - 0xd9));
  } else {
    abort();
  }
  return (struct text){(const char *)take(reader, size), size};
}

static bool is(struct text text, const char *word) {
  return text.size == strlen(word) && memcmp(text.bytes, word, text.size) == 0;
}

static uint32_t number(struct reader *reader) {
  unsigned tag = *take(reader, 1);
  if (tag < 0x80) return tag;
  if (tag < 0xcc || tag > 0xcf) abort();
  return (uint32_t)big_endian(reader, 1 << (tag - 0xcc));
}

static void skip(struct reader *reader) {
  unsigned tag = *reader->at;
  if (reader->at == reader->end) abort();
  if ((tag & 0xf0) == 0x80 || tag == 0xde || tag == 0xdf) {
    for (uint64_t left = 2 * map(reader); left > 0; left--) skip(reader);
  } else if ((tag & 0xf0) == 0x90 || tag == 0xdc || tag == 0xdd) {
    for (uint64_t left = array(reader); left > 0; left--) skip(reader);
  } else if ((tag & 0xe0) == 0xa0 || (tag >= 0xd9 && tag <= 0xdb)) {
    text(reader);
  } else if (tag < 0x80 || (tag >= 0xcc && tag <= 0xcf)) {
    number(reader);
  } else if (tag >= 0xe0 || tag == 0xc0 || tag == 0xc2 || tag == 0xc3) {
    take(reader, 1);  // a small negative number, nil, a boolean
  } else if (tag >= 0xd0 && tag <= 0xd3) {
    take(reader, 1 + (1 << (tag - 0xd0)));  // a signed number
  } else {
    abort();
  }
}

static void read_argument(struct reader *reader, struct description *kernel) {
  struct parameter parameter = {0};
  struct text kind = {"", 0};
  for (uint64_t left = map(reader); left > 0; left--) {
    struct text key = text(reader);
    if (is(key, ".offset")) {
      parameter.offset = number(reader);
    } else if (is(key, ".size")) {
      parameter.size = number(reader);
    } else if (is(key, ".value_kind")) {
      kind = text(reader);
    } else {
      skip(reader);
    }
  }
  if (kind.size > 7 && memcmp(kind.bytes, "hidden_", 7) == 0) {
    struct hidden *hidden = &kernel->hidden[kernel->hidden_count++];
    size_t length = kind.size < sizeof hidden->kind ? kind.size : sizeof hidden->kind - 1;
    memcpy(hidden->kind, kind.bytes, length);
    hidden->offset = parameter.offset;
    hidden->size = parameter.size;
    return;
  }
  kernel->parameters[kernel->parameter_count++] = parameter;
  uint32_t end = parameter.offset + parameter.size;
  if (end > kernel->explicit_bytes) kernel->explicit_bytes = end;
}

static void read_arguments(struct reader *reader, struct description *kernel) {
  uint64_t count = array(reader);
  if (count > (uint64_t)(reader->end - reader->at)) abort();
  kernel->parameters = calloc(count + 1, sizeof *kernel->parameters);
  kernel->hidden = calloc(count + 1, sizeof *kernel->hidden);
  if (kernel->parameters == NULL || kernel->hidden == NULL) abort();
  for (uint64_t left = count; left > 0; left--) read_argument(reader, kernel);
}

static char *name_of(struct reader *reader) {
  struct text name = text(reader);
  return strndup(name.bytes, name.size);
}

static struct description read_kernel(struct reader *reader) {
  struct description kernel = {.max_threads = MAX_BLOCK_THREADS};
  for (uint64_t left = map(reader); left > 0; left--) {
    struct text key = text(reader);
    if (is(key, ".name")) {
      kernel.name = name_of(reader);
    } else if (is(key, ".symbol")) {
      kernel.symbol = name_of(reader);
    } else if (is(key, ".max_flat_workgroup_size")) {
      kernel.max_threads = number(reader);
    } else if (is(key, ".kernarg_segment_size")) {
      kernel.kernarg_bytes = number(reader);
    } else if (is(key, ".vgpr_count")) {
      kernel.vector_registers = number(reader);
    } else if (is(key, ".wavefront_size")) {
      kernel.wave = number(reader);
    } else if (is(key, ".args")) {
      read_arguments(reader, &kernel);
    } else {
      skip(reader);
    }
  }
  if (kernel.name == NULL || kernel.symbol == NULL) abort();
  return kernel;
}

struct description *metadata_read(const unsigned char *bytes, size_t size, size_t *count) {
  struct reader reader = {bytes, bytes + size};
  struct description *kernels = NULL;
  *count = 0;
  for (uint64_t left = map(&reader); left > 0; left--) {
    if (!is(text(&reader), "amdhsa.kernels")) {
      skip(&reader);
      continue;
    }
    uint64_t number_of_kernels = array(&reader);
    if (number_of_kernels > size || kernels != NULL) abort();
    kernels = calloc(number_of_kernels + 1, sizeof *kernels);
    if (kernels == NULL) abort();
    while (*count < number_of_kernels) kernels[(*count)++] = read_kernel(&reader);
  }
  return kernels;
}

void metadata_free(struct description *kernels, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(kernels[i].name);
    free(kernels[i].symbol);
    free(kernels[i].parameters);
    free(kernels[i].hidden);
  }
  free(kernels);
}
