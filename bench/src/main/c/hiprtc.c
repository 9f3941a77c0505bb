// SPDX-License-Identifier: Apache-2.0
//
// What bench/compare compares cold compiles with: one process that compiles kernels with hiprtc, one
// after the other, and writes each code object to a file. It needs nothing of HIP but the library.
//
//   cc -O2 -o hiprtc hiprtc.c -ldl
//   ./hiprtc LIBRARY LIST OPTION...
//
// LIBRARY is libhiprtc.so, by whatever path. Each line of LIST is a target, a source and the file to
// write, with a blank between them. Headers in quotes are looked for beside the source.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Functions of hip/hiprtc.h: https://rocm.docs.amd.com/projects/HIP
#define FUNCTIONS(F)                                                                          \
  F(hiprtcCreateProgram, (void **program, const char *source, const char *name, int headers,  \
                          const char **texts, const char **names))                            \
  F(hiprtcCompileProgram, (void *program, int options, const char **option))                  \
  F(hiprtcGetProgramLogSize, (void *program, size_t *bytes))                                  \
  F(hiprtcGetProgramLog, (void *program, char *log))                                          \
  F(hiprtcGetCodeSize, (void *program, size_t *bytes))                                        \
  F(hiprtcGetCode, (void *program, char *code))                                               \
  F(hiprtcDestroyProgram, (void **program))

#define DEFINE(name, parameters) static int(*name) parameters;
FUNCTIONS(DEFINE)

enum { MAX_OPTIONS = 32, MAX_PATH = 4096 };

static void fail(const char *what, const char *why) {
  fprintf(stderr, "hiprtc: %s: %s\n", what, why);
  exit(1);
}

static void check(int status, const char *call) {
  char number[32];
  if (status == 0) return;
  snprintf(number, sizeof number, "error %d", status);
  fail(call, number);
}

#define CHECK(call) check(call, #call)

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) fail("malloc", "no memory");
  return memory;
}

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) fail(path, dlerror());
#define FIND(name, parameters) \
  if (!(*(void **)&name = dlsym(library, #name))) fail(#name, dlerror());
  FUNCTIONS(FIND)
}

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail(path, "cannot be read");
  long bytes = ftell(file);
  rewind(file);
  char *text = allocate(bytes + 1);
  if (bytes < 0 || fread(text, 1, bytes, file) != (size_t)bytes) fail(path, "cannot be read");
  text[bytes] = 0;
  fclose(file);
  return text;
}

static void write_code(void *program, const char *path) {
  size_t bytes;
  CHECK(hiprtcGetCodeSize(program, &bytes));
  char *code = allocate(bytes);
  CHECK(hiprtcGetCode(program, code));
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(code, 1, bytes, file) != bytes || fclose(file)) {
    fail(path, "cannot be written");
  }
  free(code);
}

static void fail_with_log(void *program, const char *source) {
  size_t bytes;
  CHECK(hiprtcGetProgramLogSize(program, &bytes));
  char *log = allocate(bytes + 1);
  CHECK(hiprtcGetProgramLog(program, log));
  log[bytes] = 0;
  fail(source, log);
}

static void compile(const char *target, const char *source, const char *output, int options,
                    char **option) {
  char arch[96], include[MAX_PATH + 2];
  const char *all[MAX_OPTIONS + 2];
  const char *slash = strrchr(source, '/');
  int directory = slash ? (int)(slash - source) : 1;
  for (int i = 0; i < options; i++) all[i] = option[i];
  snprintf(arch, sizeof arch, "--offload-arch=%s", target);
  snprintf(include, sizeof include, "-I%.*s", directory, slash ? source : ".");
  all[options] = arch;
  all[options + 1] = include;
  char *text = read_text(source);
  void *program;
  CHECK(hiprtcCreateProgram(&program, text, source, 0, NULL, NULL));
  if (hiprtcCompileProgram(program, options + 2, all)) fail_with_log(program, source);
  write_code(program, output);
  CHECK(hiprtcDestroyProgram(&program));
  free(text);
}

int main(int count, char **arguments) {
  char target[64], source[MAX_PATH], output[MAX_PATH];
  int items;
  if (count < 3 || count - 3 > MAX_OPTIONS) fail("usage", "hiprtc LIBRARY LIST OPTION...");
  load(arguments[1]);
  FILE *list = fopen(arguments[2], "r");
  if (!list) fail(arguments[2], "cannot be read");
  while ((items = fscanf(list, "%63s %4095s %4095s", target, source, output)) == 3) {
    compile(target, source, output, count - 3, arguments + 3);
  }
  if (items != EOF) fail(arguments[2], "a line is not a target, a source and a file");
  fclose(list);
  return 0;
}
