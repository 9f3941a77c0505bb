// SPDX-License-Identifier: Apache-2.0
//
// What can be asked about a device and about the runtime.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

#if STAND_IN_MAJOR == 5
#define VERSION 50221153
#elif STAND_IN_MAJOR == 6
#define VERSION 60443484
#else
#define VERSION 70253211
#endif

#ifdef STAND_IN_CUDA
enum { MAX_BLOCK_DEPTH = 64, MAX_GRID_DEPTH = 65535 };
#else
enum { MAX_BLOCK_DEPTH = MAX_BLOCK_THREADS, MAX_GRID_DEPTH = STAND_IN_MAJOR == 5 ? INT32_MAX : 65536 };
#endif

enum { CLOCK_KHZ = 1700000, MEMORY_CLOCK_KHZ = 1600000, BUS_BITS = 4096, L2_BYTES = 8 << 20 };

API(hipRuntimeGetVersion, (int *version), (version)) {
  if (version == NULL) return hipErrorInvalidValue;
  long other = atomic_load(&modes.version);
  *version = other != 0 ? (int)other : VERSION;
  return hipSuccess;
}

API(hipDriverGetVersion, (int *version), (version)) {
  if (version == NULL) return hipErrorInvalidValue;
  long other = atomic_load(&modes.version);
  *version = other != 0 ? (int)other : VERSION;
  return hipSuccess;
}

API(hipDeviceGet, (int *device, int ordinal), (device, ordinal)) {
  if (device == NULL) return hipErrorInvalidValue;
  if (device_at(ordinal) == NULL) return hipErrorInvalidDevice;
  *device = ordinal;
  return hipSuccess;
}

API(hipDeviceGetName, (char *name, int length, int ordinal), (name, length, ordinal)) {
  const struct device *device = device_at(ordinal);
  if (device == NULL) return hipErrorInvalidDevice;
  if (name == NULL || length <= 0) return hipErrorInvalidValue;
  snprintf(name, length, "%s", device->name);
  return hipSuccess;
}

// 16 characters; a device that has no UUID of its own gives zeros.
static void put_uuid(const struct device *device, char *to) {
  bool none = strspn(device->uuid, "0") == 16;
  for (int i = 0; i < 16; i++) to[i] = none ? 0 : device->uuid[i];
}

API(hipDeviceGetUuid, (hipUUID *uuid, int ordinal), (uuid, ordinal)) {
  const struct device *device = device_at(ordinal);
  if (device == NULL) return hipErrorInvalidDevice;
  if (uuid == NULL) return hipErrorInvalidValue;
  put_uuid(device, uuid->bytes);
  return hipSuccess;
}

API(hipDeviceGetPCIBusId, (char *id, int length, int ordinal), (id, length, ordinal)) {
  const struct device *device = device_at(ordinal);
  if (device == NULL) return hipErrorInvalidDevice;
  if (id == NULL || length < 13) return hipErrorInvalidValue;
  snprintf(id, length, "%04x:%02x:00.0", device->domain, device->bus);
  return hipSuccess;
}

API(hipDeviceGetByPCIBusId, (int *ordinal, const char *id), (ordinal, id)) {
  unsigned domain, bus, slot, function;
  if (ordinal == NULL || id == NULL) return hipErrorInvalidValue;
  if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) return hipErrorInvalidValue;
  for (int i = 0; i < device_count(); i++) {
    const struct device *device = device_at(i);
    if ((unsigned)device->domain == domain && (unsigned)device->bus == bus && slot == 0) {
      *ordinal = i;
      return hipSuccess;
    }
  }
  return hipErrorInvalidValue;
}

API(hipDeviceTotalMem, (size_t *bytes, int ordinal), (bytes, ordinal)) {
  const struct device *device = device_at(ordinal);
  if (device == NULL) return hipErrorInvalidDevice;
  if (bytes == NULL) return hipErrorInvalidValue;
  *bytes = device->memory;
  return hipSuccess;
}

API(hipDeviceGetStreamPriorityRange, (int *least, int *greatest), (least, greatest)) {
  if (least != NULL) *least = 1;
  if (greatest != NULL) *greatest = -1;
  return hipSuccess;
}

static int isa_major(const struct device *device) {
  if (strncmp(device->target.processor, "sm_", 3) == 0) return atoi(device->target.processor + 3) / 10;
  const char *digits = device->target.processor + strlen("gfx");
  return strlen(digits) > 3 ? 10 * (digits[0] - '0') + digits[1] - '0' : digits[0] - '0';
}

static int isa_minor(const struct device *device) {
  const char *name = device->target.processor;
  if (strncmp(name, "sm_", 3) == 0) return atoi(name + 3) % 10;
  return name[strlen(name) - 2] - '0';
}

static int total_as_int(size_t bytes) { return bytes > INT32_MAX ? INT32_MAX : (int)bytes; }

// The numbers are those of 5.2 up to 7.2.
static bool attribute(const struct device *device, int number, int *value) {
  bool known = true;
  switch (number) {
    case 5: *value = CLOCK_KHZ; break;
    case 6: *value = 0; break;  // compute mode: default
    case 8: *value = 1; break;  // concurrent kernels
    case 10: *value = 1; break;  // cooperative launch
    case 16: *value = 0; break;  // integrated
    case 19: *value = L2_BYTES; break;
    case 23: *value = isa_major(device); break;
    case 24: *value = 1; break;  // managed memory
    case 26:
    case 27: *value = MAX_BLOCK_THREADS; break;  // block, along each dimension
    case 28: *value = MAX_BLOCK_DEPTH; break;
    case 29: *value = INT32_MAX; break;  // grid, along each dimension
    case 30:
    case 31: *value = MAX_GRID_DEPTH; break;
    case 56: *value = MAX_BLOCK_THREADS; break;
    case 57: *value = 2048; break;  // threads per compute unit
    case 59: *value = BUS_BITS; break;
    case 60: *value = MEMORY_CLOCK_KHZ; break;
    case 61: *value = isa_minor(device); break;
    case 63: *value = device->units; break;
    case 67: *value = device->bus; break;
    case 68: *value = 0; break;  // PCI device
    case 69: *value = device->domain; break;
    case 71:
    case 72: *value = 65536; break;  // registers
#ifdef STAND_IN_CUDA
    case 74: *value = UNASKED_BYTES; break;  // shared memory per block, and if asked for more
    case 75:
#else
    case 74:
#endif
    case 76: *value = LDS_BYTES; break;  // shared memory per block, per compute unit
    case 78: *value = 1; break;  // stream priorities
    case 83:
    case 84: *value = total_as_int(device->memory); break;
    case 87: *value = device->wave; break;
    case 88: *value = 1; break;  // memory pools
    case 10002: *value = LDS_BYTES; break;
    case 10015: *value = device->units; break;
    default: known = false;
  }
  return known;
}

API(hipDeviceGetAttribute, (int *value, int number, int ordinal), (value, number, ordinal)) {
  const struct device *device = device_at(ordinal);
  if (value == NULL) return hipErrorInvalidValue;
  if (device == NULL) return hipErrorInvalidDevice;
  return attribute(device, number, value) ? hipSuccess : hipErrorInvalidValue;
}

static void put32(unsigned char *at, int value) { memcpy(at, &value, sizeof value); }
static void put64(unsigned char *at, uint64_t value) { memcpy(at, &value, sizeof value); }

static void put3(unsigned char *at, int x, int y, int z) {
  put32(at, x);
  put32(at + 4, y);
  put32(at + 8, z);
}

// The layout up to 5.x, which the function without a suffix keeps in 6 and 7: 792 bytes.
static void fill_old(const struct device *device, unsigned char *to) {
  memset(to, 0, 792);
  strcpy((char *)to, device->name);
  put64(to + 256, device->memory);
  put64(to + 264, LDS_BYTES);
  put32(to + 272, 65536);  // registers
  put32(to + 276, device->wave);
  put32(to + 280, MAX_BLOCK_THREADS);
  put3(to + 284, MAX_BLOCK_THREADS, MAX_BLOCK_THREADS, MAX_BLOCK_THREADS);
  put3(to + 296, INT32_MAX, INT32_MAX, INT32_MAX);
  put32(to + 308, CLOCK_KHZ);
  put32(to + 312, MEMORY_CLOCK_KHZ);
  put32(to + 316, BUS_BITS);
  put64(to + 320, device->memory);
  put32(to + 328, isa_major(device));
  put32(to + 332, isa_minor(device));
  put32(to + 336, device->units);
  put32(to + 340, L2_BYTES);
  put32(to + 344, 2048);
  put32(to + 360, 1);  // concurrent kernels
  put32(to + 364, device->domain);
  put32(to + 368, device->bus);
  put64(to + 376, LDS_BYTES);
  strcpy((char *)to + 396, device->arch);
  put32(to + 656, 1);  // cooperative launch
}

API(hipGetDeviceProperties, (void *properties, int ordinal), (properties, ordinal)) {
  const struct device *device = device_at(ordinal);
  if (properties == NULL) return hipErrorInvalidValue;
  if (device == NULL) return hipErrorInvalidDevice;
  fill_old(device, properties);
  return hipSuccess;
}

#if STAND_IN_MAJOR >= 6
// The layout since 6.0: 1472 bytes.
static void fill(const struct device *device, unsigned char *to) {
  memset(to, 0, 1472);
  strcpy((char *)to, device->name);
  put_uuid(device, (char *)to + 256);
  put64(to + 288, device->memory);
  put64(to + 296, LDS_BYTES);
  put32(to + 304, 65536);  // registers
  put32(to + 308, device->wave);
  put64(to + 312, INT32_MAX);  // pitch
  put32(to + 320, MAX_BLOCK_THREADS);
  put3(to + 324, MAX_BLOCK_THREADS, MAX_BLOCK_THREADS, MAX_BLOCK_THREADS);
  put3(to + 336, INT32_MAX, 65536, 65536);
  put32(to + 348, CLOCK_KHZ);
  put64(to + 352, INT32_MAX);  // constant memory
  put32(to + 360, isa_major(device));
  put32(to + 364, isa_minor(device));
  put32(to + 388, device->units);
  put32(to + 576, 1);  // concurrent kernels
  put32(to + 584, device->bus);
  put32(to + 592, device->domain);
  put32(to + 608, MEMORY_CLOCK_KHZ);
  put32(to + 612, BUS_BITS);
  put32(to + 616, L2_BYTES);
  put32(to + 624, 2048);
  put32(to + 652, 1);  // managed memory
  put32(to + 688, 1);  // cooperative launch
  strcpy((char *)to + 1160, device->arch);
  put64(to + 1416, LDS_BYTES);
}

API(hipGetDevicePropertiesR0600, (void *properties, int ordinal), (properties, ordinal)) {
  const struct device *device = device_at(ordinal);
  if (properties == NULL) return hipErrorInvalidValue;
  if (device == NULL) return hipErrorInvalidDevice;
  fill(device, properties);
  return hipSuccess;
}
#endif
