// SPDX-License-Identifier: Apache-2.0
//
// What is in the text of PTX, as nvcc writes it: one directive a line. Source: the PTX ISA,
// https://docs.nvidia.com/cuda/parallel-thread-execution/.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { LARGEST = 1 << 24 };

// The size with the zero that ends it; 0 if this is no PTX.
size_t ptx_size(const unsigned char *given) {
  char c = ' ';
  size_t size = 0;
  do {
    if (read_memory(given + size, &c, 1) != 1) abort();
    size++;
    if (size == 1 && c != '/' && c != '.' && !isspace((unsigned char)c)) return 0;
  } while (c != '\0' && size < LARGEST);
  return size;
}

// The processor that it is for at least; 0 if it doesn't say, or is broken.
int ptx_processor(const struct image *image) {
  const char *text = (const char *)image->bytes;
  const char *target = strstr(text, "\n.target sm_");
  bool whole = strstr(text, ".version") != NULL && strstr(text, "!broken!") == NULL;
  return target == NULL || !whole ? 0 : atoi(target + strlen("\n.target sm_"));
}

static uint32_t size_of(const char *type) {
  const char *digits = type + strcspn(type, "0123456789");
  return (uint32_t)atoi(digits) / 8;
}

// One line of the list, such as ".param .align 8 .b8 pair_param_0[16]".
static void add_parameter(struct description *kernel, const char *line) {
  const char *align = strstr(line, ".align ");
  const char *type = align != NULL ? strstr(align + 1, " .") : strstr(line, " .");
  if (type == NULL) abort();
  uint32_t size = size_of(type + 1);
  uint32_t alignment = align != NULL ? (uint32_t)atoi(align + strlen(".align ")) : size;
  const char *elements = strchr(line, '[');
  if (elements != NULL && elements < strchr(line, '\n')) size *= (uint32_t)atoi(elements + 1);
  uint32_t offset = (kernel->explicit_bytes + alignment - 1) / alignment * alignment;
  kernel->parameters = realloc(kernel->parameters,
                               (kernel->parameter_count + 1) * sizeof *kernel->parameters);
  if (kernel->parameters == NULL) abort();
  kernel->parameters[kernel->parameter_count++] = (struct parameter){offset, size};
  kernel->explicit_bytes = offset + size;
}

static const char *next_line(const char *at) {
  const char *end = strchr(at, '\n');
  return end == NULL ? at + strlen(at) : end + 1;
}

static void read_kernel(struct description *kernel, const char *entry) {
  size_t length = strcspn(entry, "( \t\n");
  kernel->name = strndup(entry, length);
  kernel->max_threads = MAX_BLOCK_THREADS;
  kernel->vector_registers = 32;
  for (const char *line = entry; *line != '\0' && *line != '{'; line = next_line(line)) {
    while (*line == '\t' || *line == ' ') line++;
    if (strncmp(line, ".param", 6) == 0) add_parameter(kernel, line);
    if (strncmp(line, ".maxntid", 8) == 0) kernel->max_threads = (uint32_t)atoi(line + 9);
  }
}

static uint32_t shared_of(const char *entry) {
  uint32_t bytes = 0;
  for (const char *line = strchr(entry, '{'); line != NULL && *line != '}'; line = next_line(line)) {
    const char *shared = strstr(line, ".shared .align ");
    if (shared == NULL || shared >= next_line(line)) continue;
    bytes += (uint32_t)atoi(strchr(shared, '[') + 1);
  }
  return bytes;
}

// A kernel whose address is taken is declared before that, and defined later.
static bool is_defined(const char *entry) {
  const char *end = strchr(entry, ')');
  return end == NULL || end[1 + strspn(end + 1, " \t\n")] != ';';
}

void ptx_kernels(const struct image *image, struct description **kernels, size_t *count,
                 uint32_t **shared) {
  const char *at = (const char *)image->bytes;
  *kernels = NULL;
  *shared = NULL;
  while ((at = strstr(at, ".entry ")) != NULL) {
    at += strlen(".entry ");
    if (!is_defined(at)) continue;
    *kernels = realloc(*kernels, (*count + 1) * sizeof **kernels);
    *shared = realloc(*shared, (*count + 1) * sizeof **shared);
    if (*kernels == NULL || *shared == NULL) abort();
    (*kernels)[*count] = (struct description){0};
    read_kernel(&(*kernels)[*count], at);
    (*shared)[(*count)++] = shared_of(at);
  }
}

// One line, such as ".global .align 4 .b8 table[64] = {1, 0, 0, 0, 4};", of bytes.
static void read_global(const char *line, void (*each)(void *, struct symbol), void *context) {
  char name[128];
  unsigned size;
  const char *type = strstr(line, ".b8 ");
  if (type == NULL || type >= next_line(line)) return;
  if (sscanf(type, ".b8 %127[^[][%u]", name, &size) != 2) abort();
  unsigned char *contents = calloc(size, 1);
  if (contents == NULL) abort();
  const char *at = strpbrk(type, "{\n");
  for (unsigned i = 0; i < size && *at != '\n' && *at != '}'; i++) {
    contents[i] = (unsigned char)strtol(at + 1, (char **)&at, 10);
  }
  each(context, (struct symbol){name, 0, size, contents});
  free(contents);
}

void ptx_globals(const struct image *image, void (*each)(void *, struct symbol), void *context) {
  for (const char *at = (const char *)image->bytes; *at != '\0'; at = next_line(at)) {
    bool global = strncmp(at, ".global ", 8) == 0 || strncmp(at, ".visible .global ", 17) == 0;
    if (global) read_global(at, each, context);
  }
}
