// SPDX-License-Identifier: Apache-2.0
//
// Times ways to write the contiguous binary kernel, out[i] = left[i] + right[i], against a
// device-to-device copy that moves as many bytes. What wins here is a candidate for elementwise.h.
//
//   nvcc -O3 -std=c++17 -arch=native -o variants variants.cu
//   ./variants [--all] [--log2 26]
//
// One line per variant, best first:
//
//   ratio  GB/s  pattern packs/thread pack-bytes loads stores blocks threads
//
// ratio is the variant's GB/s over the copy's; both are medians of 20 runs after 3 that don't count,
// each between two events, with the same work before them so that the device does not wait. GB/s counts what is read and what is written. A variant that
// computes something else than the first one does ends the program.
//
// Patterns, with which the threads share out the packs of a round:
//
//   grid     a thread's packs lie as far apart as the grid has threads
//   block    ... as far apart as a block has threads, so that a block's packs are one stretch
//   thread   a thread's packs are one stretch
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "variants: %s: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

#define CHECK(call) check((call), #call)

// The element types, and how kcache adds them: see scalars.h.
struct f32 {
  float value;

  __device__ friend f32 operator+(f32 a, f32 b) { return {a.value + b.value}; }
};

struct f16 {
  __half value;

  __device__ friend f16 operator+(f16 a, f16 b) {
    return {__float2half_rn(__half2float(a.value) + __half2float(b.value))};
  }
};

struct bf16 {
  uint16_t bits;

  __device__ float widen() const { return __uint_as_float(uint32_t{bits} << 16); }

  __device__ friend bf16 operator+(bf16 a, bf16 b) {
    const float sum = a.widen() + b.widen();
    const uint32_t whole = __float_as_uint(sum);
    const uint32_t half_way_or_just_below = 0x7fff + (whole >> 16 & 1);
    const uint32_t rounded = sum != sum ? whole >> 16 | 0x40 : (whole + half_way_or_just_below) >> 16;
    return {static_cast<uint16_t>(rounded)};
  }
};

enum class Pattern { kGrid, kBlock, kThread };

// How an access goes through the caches: as usual, or as one that nobody will repeat.
enum class Access { kPlain, kStreaming };

template <int Bytes>
struct alignas(Bytes) Pack {
  static constexpr int words = Bytes / 16;
  uint4 data[words];
};

template <Access access, int Bytes>
__device__ Pack<Bytes> load(const Pack<Bytes>* from) {
  if constexpr (access == Access::kPlain) {
    return *from;
  } else {
    Pack<Bytes> pack;
    for (int w = 0; w < Pack<Bytes>::words; ++w) pack.data[w] = __ldcs(&from->data[w]);
    return pack;
  }
}

template <Access access, int Bytes>
__device__ void store(Pack<Bytes>* to, const Pack<Bytes>& pack) {
  if constexpr (access == Access::kPlain) {
    *to = pack;
  } else {
    for (int w = 0; w < Pack<Bytes>::words; ++w) __stcs(&to->data[w], pack.data[w]);
  }
}

template <class T, int Bytes>
__device__ Pack<Bytes> add(const Pack<Bytes>& left, const Pack<Bytes>& right) {
  constexpr int size = Bytes / sizeof(T);
  T a[size];
  T b[size];
  memcpy(a, &left, Bytes);
  memcpy(b, &right, Bytes);
  for (int k = 0; k < size; ++k) a[k] = a[k] + b[k];
  Pack<Bytes> sum;
  memcpy(&sum, a, Bytes);
  return sum;
}

template <class T, Pattern pattern, int PerThread, int Bytes, Access loads, Access stores>
__global__ void binary(int64_t packs, const Pack<Bytes>* left, const Pack<Bytes>* right,
                       Pack<Bytes>* out) {
  const int64_t grid = int64_t{gridDim.x} * blockDim.x;
  const int64_t thread = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int64_t first = thread;
  int64_t step = grid;
  if (pattern == Pattern::kBlock) {
    first = int64_t{blockIdx.x} * blockDim.x * PerThread + threadIdx.x;
    step = blockDim.x;
  }
  if (pattern == Pattern::kThread) {
    first = thread * PerThread;
    step = 1;
  }
  for (int64_t i = first; i < packs; i += grid * PerThread) {
    if (i + (PerThread - 1) * step < packs) {
      Pack<Bytes> a[PerThread];
      Pack<Bytes> b[PerThread];
#pragma unroll
      for (int n = 0; n < PerThread; ++n) {
        a[n] = load<loads>(left + i + n * step);
        b[n] = load<loads>(right + i + n * step);
      }
#pragma unroll
      for (int n = 0; n < PerThread; ++n) {
        store<stores>(out + i + n * step, add<T>(a[n], b[n]));
      }
    } else {
      for (int64_t p = i; p < packs; p += step) {
        store<stores>(out + p, add<T>(load<loads>(left + p), load<loads>(right + p)));
      }
    }
  }
}

// Small finite numbers of either sign in all three types, different from one element to the next.
__global__ void fill(uint16_t* halves, int64_t count, uint32_t seed) {
  const int64_t grid = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += grid) {
    const uint32_t mixed = (static_cast<uint32_t>(i) ^ seed) * 2654435761u;
    halves[i] = static_cast<uint16_t>((mixed >> 16 & 0x87ff) | 0x3800);
  }
}

__global__ void count_differences(const uint4* a, const uint4* b, int64_t count,
                                  unsigned long long* differences) {
  const int64_t grid = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += grid) {
    const uint4 x = a[i];
    const uint4 y = b[i];
    if (x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w) atomicAdd(differences, 1ull);
  }
}

constexpr int kWarmUps = 3;
constexpr int kRuns = 20;

template <class Work>
double median_seconds(Work work) {
  cudaEvent_t begin;
  cudaEvent_t end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> runs;
  for (int run = 0; run < kWarmUps + kRuns; ++run) {
    work();
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run >= kWarmUps) runs.push_back(milliseconds);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(runs.begin(), runs.end());
  return (runs[kRuns / 2 - 1] + runs[kRuns / 2]) / 2 / 1000;
}

struct Result {
  std::string kind;  // all but the grid
  std::string grid;
  double gigabytes_per_second;
};

struct Buffers {
  char* left;
  char* right;
  char* out;
  char* expected;
  unsigned long long* differences;
  int processors;
};

void require_expected(const Buffers& buffers, int64_t bytes, const Result& result) {
  CHECK(cudaMemset(buffers.differences, 0, sizeof(unsigned long long)));
  count_differences<<<buffers.processors * 8, 256>>>(
      reinterpret_cast<const uint4*>(buffers.out), reinterpret_cast<const uint4*>(buffers.expected),
      bytes / 16, buffers.differences);
  unsigned long long differences = 0;
  CHECK(cudaMemcpy(&differences, buffers.differences, sizeof differences, cudaMemcpyDeviceToHost));
  if (differences == 0) return;
  fprintf(stderr, "variants: %s %s: %llu of %lld vectors are wrong\n", result.kind.c_str(),
          result.grid.c_str(), differences, static_cast<long long>(bytes / 16));
  exit(1);
}

const char* name(Pattern pattern) {
  if (pattern == Pattern::kGrid) return "grid";
  return pattern == Pattern::kBlock ? "block" : "thread";
}

const char* name(Access access) { return access == Access::kPlain ? "plain" : "streaming"; }

template <class T, Pattern pattern, int PerThread, int Bytes, Access loads, Access stores>
void measure(const Buffers& buffers, int64_t bytes, std::vector<Result>* results) {
  const int64_t packs = bytes / Bytes;
  const auto kernel = binary<T, pattern, PerThread, Bytes, loads, stores>;
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel));
  char kind[64];
  snprintf(kind, sizeof kind, "%-6s %d %2d %-9s %-9s", name(pattern), PerThread, Bytes, name(loads),
           name(stores));
  for (int threads : {128, 256, 512, 1024}) {
    // Blocks that large may ask for more registers than there are.
    if (threads > attributes.maxThreadsPerBlock) continue;
    for (int per_processor : {1, 2, 4, 8, 16, 32, 0}) {
      // 0: as many as give each thread one round.
      const int64_t one_round = int64_t{threads} * PerThread;
      const int64_t blocks =
          per_processor ? per_processor * buffers.processors : (packs + one_round - 1) / one_round;
      char grid[64];
      snprintf(grid, sizeof grid, "%8lld%s %4d", static_cast<long long>(blocks),
               per_processor ? ("=SMs*" + std::to_string(per_processor)).c_str() : "=one-round",
               threads);
      CHECK(cudaMemset(buffers.out, 0xff, bytes));
      const double seconds = median_seconds([&] {
        kernel<<<static_cast<unsigned>(blocks), threads>>>(
            packs, reinterpret_cast<const Pack<Bytes>*>(buffers.left),
            reinterpret_cast<const Pack<Bytes>*>(buffers.right),
            reinterpret_cast<Pack<Bytes>*>(buffers.out));
      });
      CHECK(cudaGetLastError());
      if (results->empty()) {
        CHECK(cudaMemcpy(buffers.expected, buffers.out, bytes, cudaMemcpyDeviceToDevice));
      }
      results->push_back({kind, grid, 3e-9 * bytes / seconds});
      require_expected(buffers, bytes, results->back());
    }
  }
}

template <class T, Pattern pattern, int PerThread, int Bytes>
void measure_accesses(const Buffers& buffers, int64_t bytes, std::vector<Result>* results) {
  measure<T, pattern, PerThread, Bytes, Access::kPlain, Access::kPlain>(buffers, bytes, results);
  measure<T, pattern, PerThread, Bytes, Access::kPlain, Access::kStreaming>(buffers, bytes, results);
  measure<T, pattern, PerThread, Bytes, Access::kStreaming, Access::kPlain>(buffers, bytes, results);
  measure<T, pattern, PerThread, Bytes, Access::kStreaming, Access::kStreaming>(buffers, bytes,
                                                                                results);
}

template <class T, int Bytes>
void measure_patterns(const Buffers& buffers, int64_t bytes, std::vector<Result>* results) {
  measure_accesses<T, Pattern::kGrid, 1, Bytes>(buffers, bytes, results);
  measure_accesses<T, Pattern::kGrid, 2, Bytes>(buffers, bytes, results);
  measure_accesses<T, Pattern::kGrid, 4, Bytes>(buffers, bytes, results);
  measure_accesses<T, Pattern::kBlock, 2, Bytes>(buffers, bytes, results);
  measure_accesses<T, Pattern::kBlock, 4, Bytes>(buffers, bytes, results);
  measure_accesses<T, Pattern::kThread, 2, Bytes>(buffers, bytes, results);
  measure_accesses<T, Pattern::kThread, 4, Bytes>(buffers, bytes, results);
}

// GB/s of the copy that moves as much as a binary kernel of this many bytes does.
double copy_speed(const Buffers& buffers, int64_t bytes) {
  const double seconds = median_seconds([&] {
    // One copy, although the stretch may go beyond the left operand: see main.
    CHECK(cudaMemcpyAsync(buffers.out, buffers.left, bytes + bytes / 2, cudaMemcpyDeviceToDevice));
  });
  return 3e-9 * bytes / seconds;
}

void print(const Result& result, double copy) {
  printf("%.3f %7.1f  %s %s\n", result.gigabytes_per_second / copy, result.gigabytes_per_second,
         result.kind.c_str(), result.grid.c_str());
}

void report(std::vector<Result> results, double copy, bool all) {
  const std::string present = results.front().kind;
  std::sort(results.begin(), results.end(), [](const Result& a, const Result& b) {
    return a.gigabytes_per_second > b.gigabytes_per_second;
  });
  printf("best:\n");
  for (size_t i = 0; i < results.size() && (all || i < 30); ++i) print(results[i], copy);
  printf("best grid of each kind:\n");
  std::vector<std::string> seen;
  for (const Result& result : results) {
    if (std::find(seen.begin(), seen.end(), result.kind) != seen.end()) continue;
    seen.push_back(result.kind);
    print(result, copy);
  }
  printf("plain loop over the grid:\n");
  for (const Result& result : results) {
    if (result.kind == present) print(result, copy);
  }
}

template <class T>
void tune(const char* type, const Buffers& buffers, int64_t elements, bool all) {
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(T));
  fill<<<buffers.processors * 8, 256>>>(reinterpret_cast<uint16_t*>(buffers.left), bytes / 2, 1);
  fill<<<buffers.processors * 8, 256>>>(reinterpret_cast<uint16_t*>(buffers.right), bytes / 2, 77);
  CHECK(cudaDeviceSynchronize());
  const double before = copy_speed(buffers, bytes);
  std::vector<Result> results;
  measure_patterns<T, 16>(buffers, bytes, &results);
  const double between = copy_speed(buffers, bytes);
  measure_patterns<T, 32>(buffers, bytes, &results);
  const double after = copy_speed(buffers, bytes);
  double copies[] = {before, between, after};
  std::sort(copies, copies + 3);
  printf("\n%s, %lld elements; copy of %lld bytes: %.1f GB/s before, %.1f between, %.1f after\n", type,
         static_cast<long long>(elements), static_cast<long long>(bytes + bytes / 2), before, between,
         after);
  report(results, copies[1], all);
}

}  // namespace

int main(int argc, char** argv) {
  bool all = false;
  int log2 = 26;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--all")) {
      all = true;
    } else if (!strcmp(argv[i], "--log2") && i + 1 < argc) {
      log2 = atoi(argv[++i]);
    } else {
      fprintf(stderr, "usage: variants [--all] [--log2 26]\n");
      return 2;
    }
  }
  const int64_t elements = int64_t{1} << log2;
  const int64_t bytes = elements * 4;

  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int driver = 0;
  CHECK(cudaDriverGetVersion(&driver));
  printf("%s, %d multiprocessors, sm_%d%d, driver API %d\n", properties.name,
         properties.multiProcessorCount, properties.major, properties.minor, driver);

  // left and right are one allocation, so that a copy can read one and a half times as much as an
  // operand holds; out is as long, so that it can write that.
  Buffers buffers = {};
  buffers.processors = properties.multiProcessorCount;
  CHECK(cudaMalloc(&buffers.left, 2 * bytes));
  buffers.right = buffers.left + bytes;
  CHECK(cudaMalloc(&buffers.out, 2 * bytes));
  CHECK(cudaMalloc(&buffers.expected, bytes));
  CHECK(cudaMalloc(&buffers.differences, sizeof(unsigned long long)));

  tune<f32>("f32", buffers, elements, all);
  tune<f16>("f16", buffers, elements, all);
  tune<bf16>("bf16", buffers, elements, all);
  return 0;
}
