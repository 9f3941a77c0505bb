// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the stand-in for libamdhip64, and of the one for libcuda, share.
//
// Locks, in the order in which they may be taken: the table of streams, a device's lock, a stream's
// lock, the table of handles. Nobody waits for a stream while holding any of them.
#ifndef STAND_IN_H
#define STAND_IN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"
#include "hip.h"

// ---- control.c: counters and modes ---------------------------------------------------------------

// The order is that of the record StandIn.Counters.
#define COUNTERS(X)    \
  X(DEVICE_ALLOCATIONS) \
  X(DEVICE_BYTES)       \
  X(PINNED_ALLOCATIONS) \
  X(PINNED_BYTES)       \
  X(STREAMS)            \
  X(EVENTS)             \
  X(MODULES)            \
  X(LAUNCHES)           \
  X(WRONG_DEVICE)       \
  X(USE_AFTER_FREE)     \
  X(DOUBLE_FREE)        \
  X(IMAGE_CHANGED)      \
  X(IMAGE_UNALIGNED)    \
  X(UNLOADED_IN_FLIGHT) \
  X(FAULTS)

#define COUNTER_NUMBER(name) name,
enum counter { COUNTERS(COUNTER_NUMBER) COUNTER_COUNT };
#undef COUNTER_NUMBER

void count(enum counter counter, int64_t by);

struct modes {
  atomic_bool async;       // streams have a thread each
  atomic_bool interfere;   // each call leaves the thread on another device
  atomic_bool contextual;  // CUDA: a launch needs the current context, whatever its stream is
  atomic_bool apart;       // no device reaches the memory of another
  atomic_bool eager;       // HSA: a queue's thread looks for packets without a pause
  atomic_bool foreign;     // HSA: packets of somebody else are among the program's
  atomic_bool held;        // the streams' threads start nothing new
  atomic_long version;     // that HIP's runtime claims to be; 0 for its own
  atomic_long delay;       // of each operation of a stream's thread, in microseconds
};

extern struct modes modes;

// Blocks while the streams are held, then for the delay.
void wait_for_start(void);

// ---- handles.c: the things that a program holds handles to ---------------------------------------

// The last ones are HSA's.
enum kind { STREAM = 1, EVENT, MODULE, FUNCTION, SIGNAL, READER, EXECUTABLE, VARIABLE };

struct object {
  enum kind kind;
  int device;
  atomic_int references;
  void (*end)(struct object *);      // when the handle's life ends
  void (*destroy)(struct object *);  // when the last reference goes
  void *handle;
};

// Makes a handle for an object that has one reference, which the handle then owns.
void handle_open(struct object *object);

// Gives the object with a reference for the caller. NULL, with the error, and counted, if the handle
// isn't alive or belongs to another than the thread's device.
void *handle_get(enum kind kind, void *handle, int *error);

// As handle_get, also if the handle belongs to another than the thread's device.
void *handle_get_anywhere(enum kind kind, void *handle, int *error);

// Ends a handle's life, and with it the handle's reference; gives the error. An end after the end is
// counted as a double free.
int handle_close(enum kind kind, void *handle);

// Ends a handle's life with nobody asking, such as a function's when its module is unloaded.
void handle_retire(struct object *object);

void object_retain(void *object);
void object_release(void *object);

void handles_reset(void);

// ---- devices.c ----------------------------------------------------------------------------------

enum feature { UNSUPPORTED, ANY, OFF, ON };

struct target {
  char processor[32];
  enum feature sramecc;
  enum feature xnack;
};

struct range;
struct stream;

struct device {
  int ordinal;
  char arch[64];  // gcnArchName
  struct target target;
  char name[64];
  char uuid[17];
  int domain, bus;
  int units;  // compute units
  int wave;   // threads in a wavefront
  size_t memory;

  pthread_mutex_t lock;  // of what follows, and held while an operation runs
  atomic_int fault;      // the sticky error
  atomic_bool dead;      // its queues are: what they were given never ends
  uint64_t window;       // where its addresses begin
  uint64_t window_size;
  uint64_t next;         // where the search for free addresses starts
  struct range *ranges;  // by address
  size_t range_count, range_capacity;
  size_t used;
  struct stream *stream;  // the default one
};

#ifdef STAND_IN_CUDA
// What a block can have if it is asked for, and what it has otherwise.
enum { LDS_BYTES = 232448, UNASKED_BYTES = 49152 };
#else
enum { LDS_BYTES = 65536 };
#endif
enum { MAX_BLOCK_THREADS = 1024, MAX_DEVICES = 64 };

// Opens the devices when first called; gives how many can be seen.
int device_count(void);

// NULL if there is no such device.
struct device *device_at(int ordinal);

// The thread's device. There must be one.
struct device *this_device(void);
int this_ordinal(void);
void set_this_ordinal(int ordinal);

// The first fault of a device is the error of every later call on it.
void device_fault(struct device *device, int error);

// As device_fault, for an access to an address. Where faults are fatal it does not return.
void device_fault_at(struct device *device, uint64_t address);

// Parses "gfx90a:sramecc+:xnack-". An absent feature is UNSUPPORTED.
struct target target_parse(const char *text);

void configure(const char *settings);
void devices_reset(void);

// ---- faults.c -----------------------------------------------------------------------------------

void faults_configure(const char *settings);

// Called once the devices are open.
void faults_attach(void);

// Whether a kernel that faults traps.
bool faults_trap(void);

// Whether a fault kills its device's queues, and mostly the process.
bool faults_are_fatal(void);

// Kills the device's queues and tells libhsa-runtime64. For a thread that runs an operation.
_Noreturn void fault_fatally(struct device *device, uint64_t address);

// The error that each call of the process answers after a fault; 0 before.
int fault_of_all(void);

_Noreturn void wait_for_ever(void);

// ---- targets.c ----------------------------------------------------------------------------------

// Whether a device takes a code object with these values in its ELF header.
bool target_suits(const struct target *target, int abi, uint32_t flags);

// Whether a device takes a bundle's entry of this ID.
bool target_suits_entry(const struct target *target, const char *id);

// ---- memory.c -----------------------------------------------------------------------------------

struct range {
  uint64_t address;
  size_t size;
  unsigned char *host;
  bool global;  // a module's variable: not hipFree's to free
};

// Allocates; the device is locked. Gives 0 if there is no room.
uint64_t memory_allocate(struct device *device, size_t size, bool global);
void memory_release(struct device *device, uint64_t address);

// Where `size` bytes at a device's address are on the host, or NULL; the device is locked.
void *memory_at(struct device *device, uint64_t address, size_t size);

// The range that an address of this device lies in, or NULL; the device is locked.
const struct range *memory_range(struct device *device, uint64_t address);

// The address of a block beside which somebody wrote on the host, or 0; the device is locked.
uint64_t memory_overrun(const struct device *device);

// The device that an address belongs to, or NULL.
struct device *memory_device(uint64_t address);

void memory_open(struct device *device);
void memory_close(struct device *device);
void pinned_reset(void);
void peers_reset(void);

// ---- streams.c ----------------------------------------------------------------------------------

// A stream runs its operations in order. One that waits does so before it runs.
struct operation {
  struct operation *next;
  void (*run)(struct operation *);   // or NULL
  void (*drop)(struct operation *);  // frees the operation and what it holds
  struct stream *after;              // or NULL; the operation owns a reference
  uint64_t after_sequence;
};

// Gives the stream that a handle means, with a reference, or NULL with the error; NULL means the
// default stream of the thread's device.
struct stream *stream_get(void *handle, int *error);

// Appends an operation, which the stream then owns; gives its number.
uint64_t stream_submit(struct stream *stream, struct operation *operation);

// Waits until the operation of that number, and all before it, are done.
void stream_wait(struct stream *stream, uint64_t sequence);
bool stream_done(struct stream *stream, uint64_t sequence);
struct device *stream_device(struct stream *stream);

void device_drain(struct device *device);
void streams_open(struct device *device);
void streams_close(struct device *device);

// ---- bytes.c, image.c, contents.c, loader.c, metadata.c; for CUDA cubin.c and ptx.c instead ---------------

enum { PAGE = 4096 };

// Copies from memory that may not be there; gives how many bytes were.
size_t read_memory(const void *from, void *to, size_t size);
size_t write_memory(void *to, const void *from, size_t size);

struct image {
  const unsigned char *given;  // the caller's, which must stay as it is
  unsigned char *bytes;        // what it held at the load
  size_t size;
  atomic_size_t window;        // where the next quick look begins
  atomic_size_t looks;         // how many quick looks there were
};

// Notes where the caller's bytes are, and makes room for a copy of them.
void image_take(struct image *image, const unsigned char *given, size_t size);

// Takes a code object, or the one of a bundle that suits the device. Ends the process where the real
// library does.
int image_open(struct image *image, const void *given, const struct target *target);
void image_close(struct image *image);

// Count a change of the caller's bytes; the quick one looks at a part of them, another each time.
void image_check(struct image *image);
void image_check_quickly(struct image *image);

struct symbol {
  const char *name;
  uint64_t address;
  uint64_t size;
  const unsigned char *contents;  // or NULL, if zero
};

// Calls back for each object of .dynsym.
void image_symbols(const struct image *image, void (*each)(void *context, struct symbol symbol),
                   void *context);

// Follows the other tables of an image. Ends the process where the real library does.
void loader_walk(const struct image *image);

// The contents of an AMDGPU metadata note, by its number from 0 on; NULL if there is none. A linker
// keeps those of all the objects.
const unsigned char *image_metadata(const struct image *image, int number, size_t *size);

struct parameter {
  uint32_t offset;
  uint32_t size;
};

// An argument that the runtime fills in.
struct hidden {
  char kind[40];
  uint32_t offset;
  uint32_t size;
};

// One kernel, as the metadata describes it.
struct description {
  char *name;
  char *symbol;
  uint32_t max_threads;
  uint32_t vector_registers;
  uint32_t wave;
  uint32_t explicit_bytes;  // where the last explicit argument ends
  uint32_t parameter_count;
  struct parameter *parameters;  // the explicit ones
  uint32_t kernarg_bytes;
  uint32_t hidden_count;
  struct hidden *hidden;
};

// Gives an array of descriptions. Ends the process where the metadata can't be followed.
struct description *metadata_read(const unsigned char *bytes, size_t size, size_t *count);
void metadata_free(struct description *descriptions, size_t count);

// ---- modules.c ----------------------------------------------------------------------------------

struct launch;
typedef void (*kernel_body)(struct launch *launch);

struct module;

struct function {
  struct object object;
  struct module *module;  // owns a reference
  const struct description *description;
  uint32_t shared_bytes;
  uint32_t private_bytes;
  atomic_uint raised_bytes;  // CUDA: the dynamic shared memory that was asked for
  kernel_body body;  // NULL for a kernel that the stand-in doesn't know
};

struct image *module_image(struct module *module);

// Says that a launch was queued (1) or is over (-1).
void module_in_flight(struct module *module, int by);

// ---- launch.c, kernels.c, binary.c, hosted.c --------------------------------------------------------------

struct launch {
  struct operation operation;
  struct function *function;
  struct device *device;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  size_t size;  // of the arguments
  unsigned char arguments[];
};

// The body of a kernel of that name, or NULL.
kernel_body kernel_named(const char *name);
kernel_body binary_named(const char *name);
kernel_body hosted_named(const char *name);

void hosted_configure(const char *settings);
void hosted_reset(void);

// Reads an argument from its place in the block; faults if the block ends before.
bool launch_argument(struct launch *launch, size_t offset, void *to, size_t size);

// Threads along x in the whole grid.
uint64_t launch_threads(const struct launch *launch);

// An array in the device's memory that a kernel goes through: the range found last is kept.
struct array {
  struct launch *launch;
  uint64_t address;
  struct range range;
};

struct array array_of(struct launch *launch, uint64_t address);

// Where an element is on the host; NULL, with the device faulted, if it is outside of all memory.
void *array_at(struct array *array, int64_t index, size_t element);

void launch_reset(void);

// Keeps a launch for standin_last_launch.
void launch_remember(const struct launch *launch, void *stream);

// ---- functions.c, for CUDA cuda.c ---------------------------------------------------------------

// The most dynamic shared memory of a function's block.
uint32_t dynamic_bytes(const struct function *function);

#endif
