// SPDX-License-Identifier: Apache-2.0
//
// Runs kernels on the host. Compiled behind the files that define them and a macro
// KCACHE_KERNELS(KERNEL), which applies KERNEL to the name of each.
//
// The threads of a block run on fibers. One fiber runs thread after thread; when a thread waits at a
// barrier, another fiber goes on with those that have not begun. Once all have, the waiting ones go on
// in their order. So a kernel without barriers needs one fiber and never switches. Of every second
// block the last thread begins, so that a barrier that is missing shows in whichever direction threads
// read from each other.
//
// A fault ends the launch: undefined behaviour, for which the compiler calls __ubsan_handle_..., and
// a barrier that some threads of a block don't reach. The thread that is at fault is left where it is.
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#define KCACHE_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" {
// The ends of the section of __shared__, if a kernel has any.
extern char __start_kcache_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_kcache_shared[] __attribute__((weak, visibility("hidden")));
}

namespace kcache::host {

enum Status { DONE, UNKNOWN_KERNEL, ARGUMENTS_TOO_SHORT, DIVERGENT_BARRIER, UNDEFINED_BEHAVIOUR };

constexpr size_t largest_arguments = 4096;
constexpr size_t guard_size = 4096;
constexpr size_t stack_size = 256 << 10;  // of which a kernel uses little, but a crash report much
constexpr int rubbish = 0xff;             // a NaN in any floating-point type

// The host address of what lies at a device's, or null.
using Translate = void* (*)(void* context, uint64_t address);

// ---- arguments -----------------------------------------------------------------------------------

// Pointers within a structure stay what they are: no launch in Java has any.
template <class T>
void translate_pointer(unsigned char* argument, Translate translate, void* context) {
  if constexpr (std::is_pointer_v<T>) {
    uint64_t address;
    std::memcpy(&address, argument, sizeof address);
    void* host = address == 0 ? nullptr : translate(context, address);
    std::memcpy(argument, &host, sizeof host);
  }
}

struct Kernel {
  const char* name;
  size_t size;  // of the arguments
  void (*translate)(unsigned char* arguments, Translate translate, void* context);
  void (*call)(unsigned char* arguments);
};

// Knows where the C ABI puts a kernel's arguments: each at the next multiple of its alignment.
template <auto function>
struct Invoker;

template <class... A, void (*function)(A...)>
struct Invoker<function> {
  static constexpr size_t count = sizeof...(A);

  struct Layout {
    size_t offsets[count + 1];
    size_t size;
  };

  static constexpr Layout layout() {
    Layout layout = {};
    size_t i = 0;
    ((layout.offsets[i] = (layout.size + alignof(A) - 1) / alignof(A) * alignof(A),
      layout.size = layout.offsets[i++] + sizeof(A)),
     ...);
    return layout;
  }

  static constexpr Layout placed = layout();
  static_assert(placed.size <= largest_arguments);

  template <size_t... I>
  static void translate_all(unsigned char* block, Translate translate, void* context,
                            std::index_sequence<I...>) {
    (translate_pointer<A>(block + placed.offsets[I], translate, context), ...);
  }

  static void translate(unsigned char* block, Translate translate, void* context) {
    translate_all(block, translate, context, std::make_index_sequence<count>());
  }

  template <size_t... I>
  static void call_with(unsigned char* block, std::index_sequence<I...>) {
    function(*reinterpret_cast<A*>(block + placed.offsets[I])...);
  }

  static void call(unsigned char* block) { call_with(block, std::make_index_sequence<count>()); }

  static constexpr Kernel named(const char* name) { return {name, placed.size, translate, call}; }
};

#define KCACHE_KERNEL(name) Invoker<&name>::named(#name),
const Kernel kernels[] = {KCACHE_KERNELS(KCACHE_KERNEL)};
#undef KCACHE_KERNEL

const Kernel* find(const char* name) {
  for (const Kernel& kernel : kernels) {
    if (std::strcmp(kernel.name, name) == 0) return &kernel;
  }
  return nullptr;
}

// ---- threads -------------------------------------------------------------------------------------

struct Fiber {
  char* memory;
  bool started;
  ucontext_t start;
  jmp_buf point;  // where it goes on
  uint3 thread;
  bool waiting;  // at the barrier of that line
  int line;
  const char* file;
};

// One launch at a time: kernels find their place in global variables, and their shared memory is one.
std::mutex launching;
alignas(64) unsigned char arguments[largest_arguments];
const Kernel* kernel;
unsigned threads, begun, ended;  // of the block
uint3 next;                      // the thread that begins next, counted from the one that began
bool backwards;                  // whether the last thread of the block began
bool has_waited;                 // whether a thread of the last block met a barrier

struct Pool : std::vector<Fiber*> {
  ~Pool() {
    for (Fiber* fiber : *this) {
      munmap(fiber->memory, guard_size + stack_size);
      delete fiber;
    }
  }
};

Pool fibers;
Fiber* current;  // null while none runs
jmp_buf scheduler;

Status status;
char message[512];

void fault(Status kind, const char* what, const char* detail) {
  status = kind;
  std::snprintf(message, sizeof message,
                "%s (%s) in thread (%u, %u, %u) of block (%u, %u, %u)", what, detail, threadIdx.x,
                threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z);
}

void advance(uint3& place, uint3 extent) {
  if (++place.x < extent.x) return;
  place.x = 0;
  if (++place.y < extent.y) return;
  place.y = 0;
  ++place.z;
}

uint3 from_the_end(uint3 place) {
  return {blockDim.x - 1 - place.x, blockDim.y - 1 - place.y, blockDim.z - 1 - place.z};
}

// Goes back to the scheduler, until that enters the fiber again.
__attribute__((noinline)) void leave() {
  if (_setjmp(current->point) == 0) _longjmp(scheduler, 1);
}

void run_threads() {
  while (true) {
    while (begun < threads) {
      ++begun;
      threadIdx = current->thread = backwards ? from_the_end(next) : next;
      advance(next, blockDim);
      kernel->call(arguments);
      ++ended;
    }
    leave();
  }
}

// Runs a fiber until it waits or has no more to do.
__attribute__((noinline)) void enter(Fiber* fiber) {
  current = fiber;
  current->waiting = false;
  if (_setjmp(scheduler) == 0) {
    if (current->started) _longjmp(current->point, 1);
    current->started = true;
    getcontext(&current->start);
    current->start.uc_stack.ss_sp = current->memory + guard_size;
    current->start.uc_stack.ss_size = stack_size;
    makecontext(&current->start, run_threads, 0);
    setcontext(&current->start);
  }
  current = nullptr;
}

Fiber* fiber_at(size_t index) {
  if (index == fibers.size()) {
    void* memory = mmap(nullptr, guard_size + stack_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, guard_size, PROT_NONE) != 0) std::abort();
    fibers.push_back(new Fiber{});
    fibers.back()->memory = static_cast<char*>(memory);
  }
  return fibers[index];
}

// Checks that all threads of the block wait at one barrier: the first `waiting` fibers.
bool meets(size_t waiting) {
  const Fiber* first = fibers[0];
  bool same = waiting == threads;
  for (size_t i = 0; i < waiting; ++i) {
    same = same && fibers[i]->line == first->line && std::strcmp(fibers[i]->file, first->file) == 0;
  }
  if (!same) {
    char place[256];
    std::snprintf(place, sizeof place, "%s:%d", first->file, first->line);
    threadIdx = first->thread;
    fault(DIVERGENT_BARRIER, "not all threads of the block are at the barrier", place);
  }
  return same;
}

// Fills the shared memory, in which a block finds nothing of the one before.
void fill_shared() {
  if (__start_kcache_shared != nullptr) {
    std::memset(__start_kcache_shared, rubbish,
                static_cast<size_t>(__stop_kcache_shared - __start_kcache_shared));
  }
}

void run_block() {
  begun = ended = 0;
  next = {0, 0, 0};
  size_t waiting = 0;
  while (begun < threads) {
    Fiber* fiber = fiber_at(waiting);
    enter(fiber);
    if (status != DONE) return;
    if (fiber->waiting) ++waiting;
  }
  has_waited = waiting > 0;
  while (waiting > 0 && meets(waiting)) {
    const size_t before = waiting;
    waiting = 0;
    for (size_t i = 0; i < before; ++i) {
      threadIdx = fibers[i]->thread;
      enter(fibers[i]);
      if (status != DONE) return;
      // In their order also where some have ended, for the report on the others.
      if (fibers[i]->waiting) std::swap(fibers[waiting++], fibers[i]);
    }
  }
}

uint3 place_of(uint64_t block) {
  const uint64_t row = block / gridDim.x;
  return {static_cast<unsigned>(block % gridDim.x), static_cast<unsigned>(row % gridDim.y),
          static_cast<unsigned>(row / gridDim.y)};
}

void run_blocks(uint64_t first, uint64_t end) {
  blockIdx = place_of(first);
  has_waited = true;
  for (uint64_t block = first; block < end && status == DONE; ++block) {
    if (has_waited) fill_shared();
    backwards = block % 2 != 0;
    run_block();
    if (status == DONE) advance(blockIdx, gridDim);
  }
  if (status == DONE) return;
  for (Fiber* fiber : fibers) fiber->started = false;
}

}  // namespace kcache::host

void __syncthreads(int line, const char* file) {
  using kcache::host::current;
  current->waiting = true;
  current->line = line;
  current->file = file;
  kcache::host::leave();
}

#define KCACHE_UNDEFINED(kind, suffix)                                                       \
  extern "C" [[noreturn]] void __ubsan_handle_##kind##_minimal##suffix() {                   \
    if (kcache::host::current == nullptr) std::abort();                                      \
    kcache::host::fault(kcache::host::UNDEFINED_BEHAVIOUR, "undefined behaviour", #kind);    \
    _longjmp(kcache::host::scheduler, 1);                                                    \
  }
KCACHE_UNDEFINED(type_mismatch, _abort)
KCACHE_UNDEFINED(alignment_assumption, _abort)
KCACHE_UNDEFINED(add_overflow, _abort)
KCACHE_UNDEFINED(sub_overflow, _abort)
KCACHE_UNDEFINED(mul_overflow, _abort)
KCACHE_UNDEFINED(negate_overflow, _abort)
KCACHE_UNDEFINED(divrem_overflow, _abort)
KCACHE_UNDEFINED(shift_out_of_bounds, _abort)
KCACHE_UNDEFINED(out_of_bounds, _abort)
KCACHE_UNDEFINED(local_out_of_bounds, _abort)
KCACHE_UNDEFINED(builtin_unreachable, )
KCACHE_UNDEFINED(missing_return, )
KCACHE_UNDEFINED(vla_bound_not_positive, _abort)
KCACHE_UNDEFINED(float_cast_overflow, _abort)
KCACHE_UNDEFINED(load_invalid_value, _abort)
KCACHE_UNDEFINED(invalid_builtin, _abort)
KCACHE_UNDEFINED(nonnull_arg, _abort)
KCACHE_UNDEFINED(nonnull_return, _abort)
KCACHE_UNDEFINED(nullability_arg, _abort)
KCACHE_UNDEFINED(nullability_return, _abort)
KCACHE_UNDEFINED(pointer_overflow, _abort)
#undef KCACHE_UNDEFINED

// Whether there is a kernel of that name.
KCACHE_EXPORT int kcache_host_has(const char* name) { return kcache::host::find(name) != nullptr; }

// What the last launch did wrong.
KCACHE_EXPORT const char* kcache_host_message() { return kcache::host::message; }

// Runs the blocks from `first` to before `end`, counted along x, then y, then z, of a launch with that
// grid; gives a Status. `arguments` is laid out as the C ABI does, with addresses of the device.
KCACHE_EXPORT int kcache_host_launch_blocks(const char* name, const uint32_t grid[3],
                                            const uint32_t block[3], uint64_t first, uint64_t end,
                                            const void* arguments, size_t size,
                                            kcache::host::Translate translate, void* context) {
  using namespace kcache::host;
  const std::lock_guard<std::mutex> lock(launching);
  message[0] = '\0';
  status = DONE;
  kernel = find(name);
  if (kernel == nullptr) {
    std::snprintf(message, sizeof message, "there is no kernel %s", name);
    return UNKNOWN_KERNEL;
  }
  if (size < kernel->size) {
    std::snprintf(message, sizeof message, "%zu bytes of arguments, of which there must be %zu", size,
                  kernel->size);
    return ARGUMENTS_TOO_SHORT;
  }
  if (kernel->size > 0) std::memcpy(kcache::host::arguments, arguments, kernel->size);
  kernel->translate(kcache::host::arguments, translate, context);
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  threads = block[0] * block[1] * block[2];
  run_blocks(first, end);
  return status;
}

// Runs a whole launch.
KCACHE_EXPORT int kcache_host_launch(const char* name, const uint32_t grid[3],
                                     const uint32_t block[3], const void* arguments, size_t size,
                                     kcache::host::Translate translate, void* context) {
  const uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  return kcache_host_launch_blocks(name, grid, block, 0, blocks, arguments, size, translate, context);
}
