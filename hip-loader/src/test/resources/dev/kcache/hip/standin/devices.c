// SPDX-License-Identifier: Apache-2.0
//
// The devices that the stand-in has, those of them that a process may see, and the thread's own.
//
// The setting "devices" lists target IDs, parted by commas. Each may be followed by "/uuid=<16
// characters>" and "/memory=<bytes>". An empty list is a machine without a GPU.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "standin.h"

struct model {
  const char *processor;
  const char *name;
  int units;
};

#ifdef STAND_IN_CUDA
#define DEFAULT_DEVICE "sm_90"
#else
#define DEFAULT_DEVICE "gfx90a:sramecc+:xnack-"
#endif

static const struct model models[] = {
    {"sm_80", "NVIDIA A100-SXM4-80GB", 108},  {"sm_90", "NVIDIA H200", 132},
    {"gfx90a", "AMD Instinct MI210", 104},    {"gfx908", "AMD Instinct MI100", 120},
    {"gfx906", "AMD Instinct MI50", 60},      {"gfx942", "AMD Instinct MI300X", 304},
    {"gfx950", "AMD Instinct MI350X", 256},   {"gfx1030", "AMD Radeon RX 6800", 60},
    {"gfx1100", "AMD Radeon RX 7900 XTX", 96}, {"gfx1201", "AMD Radeon RX 9070 XT", 64},
    {NULL, "AMD Radeon Graphics", 16},
};

static char configured[4096] = DEFAULT_DEVICE;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool opened;
static struct device *devices[MAX_DEVICES];
static int device_total;

// A thread's device is forgotten when the devices are reset.
static atomic_int epoch;
static _Thread_local int this_epoch;
static _Thread_local int current;

void configure(const char *settings) {
  faults_configure(settings);
  const char *key = "devices=";
  for (const char *at = settings; at != NULL; at = strchr(at, ';')) {
    if (*at == ';') at++;
    if (strncmp(at, key, strlen(key)) != 0) continue;
    const char *value = at + strlen(key);
    size_t length = strcspn(value, ";");
    if (length >= sizeof configured) abort();
    memcpy(configured, value, length);
    configured[length] = '\0';
  }
}

static enum feature feature_of(const char *text, const char *name) {
  const char *at = strstr(text, name);
  if (at == NULL) return UNSUPPORTED;
  return at[strlen(name)] == '+' ? ON : OFF;
}

struct target target_parse(const char *text) {
  struct target target = {.sramecc = feature_of(text, ":sramecc"),
                          .xnack = feature_of(text, ":xnack")};
  size_t length = strcspn(text, ":");
  if (length >= sizeof target.processor) abort();
  memcpy(target.processor, text, length);
  return target;
}

// gfx10 and newer run 32 threads in step, older ones 64; NVIDIA's all 32.
static int wave_of(const char *processor) {
  return strncmp(processor, "gfx", 3) != 0 || strlen(processor) > strlen("gfx90a") ? 32 : 64;
}

static void set_option(struct device *device, const char *option) {
  if (strncmp(option, "uuid=", 5) == 0) {
    strncpy(device->uuid, option + 5, sizeof device->uuid - 1);
  } else if (strncmp(option, "memory=", 7) == 0) {
    device->memory = strtoull(option + 7, NULL, 10);
  } else {
    abort();  // a mistake in a test
  }
}

static struct device *device_new(int number, char *text) {
  struct device *device = calloc(1, sizeof *device);
  if (device == NULL) abort();
  static const int buses[] = {0x03, 0x43, 0x83, 0xc3};
  device->bus = buses[number % 4];
  device->domain = number / 4;
  device->memory = (size_t)64 << 30;
  // They differ in the first digit, so that a short prefix names one device.
  memcpy(device->uuid, "0e12865a3bf5b7ab", 16);
  device->uuid[0] = "0123456789abcdef"[number % 16];
  device->uuid[15] = "0123456789abcdef"[number / 16];

  char *rest = NULL;
  char *arch = strtok_r(text, "/", &rest);
  if (arch == NULL || strlen(arch) >= sizeof device->arch) abort();
  memcpy(device->arch, arch, strlen(arch));
  for (char *option; (option = strtok_r(NULL, "/", &rest)) != NULL;) set_option(device, option);

  device->target = target_parse(device->arch);
  device->wave = wave_of(device->target.processor);
  const struct model *model = models;
  while (model->processor != NULL && strcmp(model->processor, device->target.processor) != 0) {
    model++;
  }
  memcpy(device->name, model->name, strlen(model->name));
  device->units = model->units;
  pthread_mutex_init(&device->lock, NULL);
  return device;
}

// The number of the device that a token of a list names; -1 if none or several.
static int named(struct device **from, int total, const char *token, bool uuids) {
  if (uuids && strncasecmp(token, "GPU-", 4) == 0) {
    int found = -1;
    for (int i = 0; i < total; i++) {
      if (strncasecmp(from[i]->uuid, token + 4, strlen(token + 4)) != 0) continue;
      if (found >= 0) return -1;
      found = i;
    }
    return found;
  }
  char *end;
  long ordinal = strtol(token, &end, 10);
  return end != token && *end == '\0' && ordinal >= 0 && ordinal < total ? (int)ordinal : -1;
}

// Keeps what a list names, in its order, up to the first token that names nothing.
static int filter(struct device **from, int total, const char *list, bool uuids) {
  struct device *kept[MAX_DEVICES];
  int count = 0;
  char *text = strdup(list);
  char *rest = NULL;
  for (char *token = strtok_r(text, ",", &rest); token != NULL; token = strtok_r(NULL, ",", &rest)) {
    int number = named(from, total, token, uuids);
    if (number < 0) break;
    if (from[number] == NULL) continue;
    kept[count++] = from[number];
    from[number] = NULL;
  }
  free(text);
  for (int i = 0; i < total; i++) {
    free(from[i]);
    from[i] = i < count ? kept[i] : NULL;
  }
  return count;
}

// The variables as ROCR reads them, then as HIP does with what ROCR left. HIP of 5.2 took no UUIDs.
static int visible(struct device **from, int total) {
#ifdef STAND_IN_CUDA
  const char *cuda = getenv("CUDA_VISIBLE_DEVICES");
  return cuda != NULL ? filter(from, total, cuda, false) : total;
#endif
  const char *rocr = getenv("ROCR_VISIBLE_DEVICES");
  if (rocr != NULL) total = filter(from, total, rocr, true);
#ifdef STAND_IN_HSA
  return total;
#endif
  const char *hip = getenv("HIP_VISIBLE_DEVICES");
  if (hip == NULL || *hip == '\0') hip = getenv("CUDA_VISIBLE_DEVICES");
  if (hip != NULL && *hip != '\0') total = filter(from, total, hip, STAND_IN_MAJOR >= 6);
  return total;
}

static void open_devices(void) {
  char *text = strdup(configured);
  char *rest = NULL;
  int total = 0;
  for (char *one = strtok_r(text, ",", &rest); one != NULL; one = strtok_r(NULL, ",", &rest)) {
    if (total == MAX_DEVICES) abort();
    devices[total] = device_new(total, one);
    total++;
  }
  free(text);
  device_total = visible(devices, total);
  for (int i = 0; i < device_total; i++) {
    devices[i]->ordinal = i;
    memory_open(devices[i]);
    streams_open(devices[i]);
  }
}

int device_count(void) {
  if (!atomic_load_explicit(&opened, memory_order_acquire)) {
    pthread_mutex_lock(&opening);
    bool first = !atomic_load(&opened);
    if (first) open_devices();
    atomic_store(&opened, true);
#ifndef STAND_IN_CUDA
    if (first && device_total > 0) faults_attach();
#else
    (void)first;
#endif
    pthread_mutex_unlock(&opening);
  }
  return device_total;
}

struct device *device_at(int ordinal) {
  return ordinal >= 0 && ordinal < device_count() ? devices[ordinal] : NULL;
}

int this_ordinal(void) { return this_epoch == atomic_load(&epoch) ? current : 0; }

void set_this_ordinal(int ordinal) {
  current = ordinal;
  this_epoch = atomic_load(&epoch);
}

struct device *this_device(void) { return device_at(this_ordinal()); }

void device_fault_at(struct device *device, uint64_t address) {
  if (faults_are_fatal()) fault_fatally(device, address);
  device_fault(device, hipErrorIllegalAddress);
}

void device_fault(struct device *device, int error) {
  int none = hipSuccess;
  if (atomic_compare_exchange_strong(&device->fault, &none, error)) count(FAULTS, 1);
}

void devices_reset(void) {
  if (atomic_load(&opened)) {
    for (int i = 0; i < device_total; i++) device_drain(devices[i]);
    handles_reset();
    for (int i = 0; i < device_total; i++) {
      streams_close(devices[i]);
      memory_close(devices[i]);
      pthread_mutex_destroy(&devices[i]->lock);
      free(devices[i]);
      devices[i] = NULL;
    }
  }
  device_total = 0;
  atomic_fetch_add(&epoch, 1);
  strcpy(configured, DEFAULT_DEVICE);
  atomic_store(&opened, false);
}

API(hipInit, (unsigned flags), (flags)) {
  if (flags != 0) return hipErrorInvalidValue;
  if (device_count() > 0) return hipSuccess;
  return STAND_IN_MAJOR == 5 ? hipErrorInvalidDevice : hipErrorNoDevice;
}

API(hipGetDeviceCount, (int *total), (total)) {
  if (total == NULL) return hipErrorInvalidValue;
  *total = device_count();
  return *total > 0 ? hipSuccess : hipErrorNoDevice;
}

API(hipGetDevice, (int *ordinal), (ordinal)) {
  if (ordinal == NULL) return hipErrorInvalidValue;
  if (device_count() == 0) return hipErrorNoDevice;
  *ordinal = this_ordinal();
  return hipSuccess;
}

API(hipSetDevice, (int ordinal), (ordinal)) {
  if (device_count() == 0) return hipErrorNoDevice;
  if (device_at(ordinal) == NULL) return hipErrorInvalidDevice;
  set_this_ordinal(ordinal);
  return hipSuccess;
}

API(hipDeviceSynchronize, (void), ()) {
  device_drain(this_device());
  return fault_of_all() != hipSuccess ? fault_of_all() : atomic_load(&this_device()->fault);
}
