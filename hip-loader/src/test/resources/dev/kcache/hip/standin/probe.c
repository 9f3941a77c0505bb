// SPDX-License-Identifier: Apache-2.0
//
// A program of its own for what ends a process, or depends on the environment:
//
//   probe LIBRARY devices       prints the gcnArchName of each device, a line each
//   probe LIBRARY load FILE     loads a file as a module, and prints the error
//
// The file lies at the end of a page, with nothing behind: as short as it is.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

typedef int (*count_function)(int *count);
typedef int (*properties_function)(void *properties, int ordinal);
typedef int (*load_function)(void **module, const void *image);

// Sets a variable to the function of a name.
static void find(void *library, const char *name, void *variable) {
  void *found = dlsym(library, name);
  if (found == NULL) exit(90);
  memcpy(variable, &found, sizeof found);
}

static void print_devices(void *library) {
  count_function count_devices;
  properties_function properties_of;
  find(library, "hipGetDeviceCount", &count_devices);
  find(library, "hipGetDeviceProperties", &properties_of);
  int count = -1;
  int error = count_devices(&count);
  printf("%d devices, error %d\n", count, error);
  for (int i = 0; i < count; i++) {
    unsigned char properties[4096];
    properties_of(properties, i);
    printf("%s\n", properties + 396);
  }
}

static void *read_before_nothing(const char *name) {
  enum { PAGE = 4096 };
  FILE *file = fopen(name, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(91);
  size_t size = ftell(file);
  size_t room = (size + PAGE - 1) / PAGE * PAGE;
  rewind(file);
  char *memory = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || munmap(memory + room, PAGE) != 0) exit(92);
  if (fread(memory + room - size, 1, size, file) != size) exit(93);
  fclose(file);
  return memory + room - size;
}

int main(int argc, char **argv) {
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return 94;
  if (strcmp(argv[2], "devices") == 0) {
    print_devices(library);
  } else {
    load_function load;
    find(library, "hipModuleLoadData", &load);
    void *module;
    printf("%d\n", load(&module, argc > 3 ? read_before_nothing(argv[3]) : NULL));
  }
  return 0;
}
