// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the stand-in for libhsa-runtime64 share beside standin.h. Numbers and layouts are
// those of AMD's headers of 5.2 and 6.4.
//
// It is built on the stand-in for HIP: that has the devices, their memory and the code objects. An
// executable is one of its modules, and the address of a kernel's descriptor the handle of its function.
#ifndef STAND_IN_HSA_H
#define STAND_IN_HSA_H

#include "standin.h"

enum {
  HSA_SUCCESS = 0,
  HSA_INFO_BREAK = 1,
  HSA_ERROR = 0x1000,
  HSA_INVALID_ARGUMENT = 0x1001,
  HSA_INVALID_QUEUE_CREATION = 0x1002,
  HSA_INVALID_ALLOCATION = 0x1003,
  HSA_INVALID_AGENT = 0x1004,
  HSA_INVALID_SIGNAL = 0x1006,
  HSA_INVALID_QUEUE = 0x1007,
  HSA_OUT_OF_RESOURCES = 0x1008,
  HSA_INVALID_PACKET_FORMAT = 0x1009,
  HSA_NOT_INITIALIZED = 0x100b,
  HSA_INCOMPATIBLE_ARGUMENTS = 0x100d,
  HSA_INVALID_CODE_OBJECT = 0x1010,
  HSA_INVALID_EXECUTABLE = 0x1011,
  HSA_FROZEN_EXECUTABLE = 0x1012,
  HSA_INVALID_SYMBOL_NAME = 0x1013,
  HSA_EXCEPTION = 0x1016,
  HSA_INVALID_EXECUTABLE_SYMBOL = 0x1019,
  HSA_INVALID_CODE_OBJECT_READER = 0x1021,
  HSA_INVALID_MEMORY_POOL = 40,
  HSA_APERTURE_VIOLATION = 41,
};

typedef struct {
  uint64_t handle;
} hsa_handle;

// ---- modules.c ----------------------------------------------------------------------------------

int hipModuleLoadData(void **module, const void *image);
int hipModuleUnload(void *module);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleGetGlobal(void **address, size_t *size, void *module, const char *name);

// ---- hsa_agents.c -------------------------------------------------------------------------------

// The device of a GPU's agent; NULL if it is the CPU's or none.
struct device *agent_device(hsa_handle agent);
bool agent_is_cpu(hsa_handle agent);

// The agent of a device.
uint64_t agent_of_device(const struct device *device);

// The device of a pool of device memory; NULL if it is the host's. `host` says whether it is that.
struct device *pool_device(hsa_handle pool, bool *host);

// Whether a pool of the host's is that for the arguments of kernels.
bool pool_is_kernarg(hsa_handle pool);

bool hsa_is_initialized(void);

// Nanoseconds, which are the ticks of the system's clock.
uint64_t hsa_now(void);

// ---- hsa_memory.c -------------------------------------------------------------------------------

// Whether a device may use memory of the host: pinned, with access allowed, or locked.
bool host_usable(uint64_t address, size_t size);

// Whether it is memory for the arguments of kernels besides.
bool kernarg_usable(uint64_t address, size_t size);
void hsa_memory_reset(void);

// ---- hsa_signals.c ------------------------------------------------------------------------------

struct signal;

// A signal with a reference; NULL, and counted, if the handle is none.
struct signal *signal_get(hsa_handle signal);
hsa_handle signal_new(int64_t value, void (*stored)(void *data, int64_t value), void *data);
void signal_close(hsa_handle signal);

int64_t signal_value(struct signal *signal);

// Lowers a signal by 1, or makes it -1 for a failure, and keeps the times; none with a start of 0.
void signal_lower(struct signal *signal, uint64_t start, bool failed);

// Waits until a signal is 0; gives false when it was asked to stop.
bool signal_wait_zero(struct signal *signal, atomic_bool *stop);

// ---- hsa_code.c ---------------------------------------------------------------------------------

// Says what is wrong with a packet's arguments; NULL if nothing is. Copies them to a launch.
struct launch *launch_of_packet(const unsigned char *packet, const void *queue, const char **wrong);

// ---- hsa_queues.c -------------------------------------------------------------------------------

void hsa_queues_reset(void);

// Lets every queue fail.
void hsa_queues_fail(void);

// To be called where a program may wait: fails the queue for whose last packet the thread did not ring.
void hsa_refuse_unrung(void);

// ---- hsa_waits.c --------------------------------------------------------------------------------

// Says that something was done or asked for, which may end a wait.
void wait_changed(void);

// Says that something began (1) or ended (-1) that takes its time.
void wait_under_way(int by);

// To be called again and again by who waits: whether nothing can end the wait. All waits end then.
bool wait_is_vain(void);

void hsa_waits_reset(void);

#endif
