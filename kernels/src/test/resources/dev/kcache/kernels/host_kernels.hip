// SPDX-License-Identifier: Apache-2.0
//
// Kernels that try how the tests run kernels on the host.
#include <hip/hip_runtime.h>
#include <stdint.h>

namespace {

constexpr int block_size = 256;

template <class T>
__device__ T block_sum(T value) {
  __shared__ T sums[block_size];
  sums[threadIdx.x] = value;
  for (unsigned half = block_size / 2; half > 0; half /= 2) {
    __syncthreads();
    const T other = threadIdx.x < half ? sums[threadIdx.x + half] : T(0);
    __syncthreads();
    sums[threadIdx.x] += other;
  }
  __syncthreads();
  return sums[0];
}

struct Mixed {
  int8_t byte;
  double factor;
  int16_t count;
};

}  // namespace

// sums[b] is the sum of block b's part of the elements.
extern "C" __global__ void __launch_bounds__(block_size)
    host_sums(const float* elements, int64_t count, float* sums, float* total) {
  float sum = 0;
  for (int64_t i = int64_t{blockIdx.x} * block_size + threadIdx.x; i < count;
       i += int64_t{gridDim.x} * block_size) {
    sum += elements[i];
  }
  const float all = block_sum(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = all;
    if (total != nullptr) atomicAdd(total, all);
  }
}

// Each thread writes its place in the grid to its own element.
extern "C" __global__ void host_places(uint32_t* out) {
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, width = gridDim.x * blockDim.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y, height = gridDim.y * blockDim.y;
  const uint32_t z = blockIdx.z * blockDim.z + threadIdx.z;
  out[(z * height + y) * width + x] = z << 16 | y << 8 | x;
}

extern "C" __global__ void host_mixed(uint8_t byte, Mixed mixed, float number, const float* given,
                                      int16_t last, double* out) {
  out[0] = byte;
  out[1] = mixed.byte;
  out[2] = mixed.factor;
  out[3] = mixed.count;
  out[4] = number;
  out[5] = given == nullptr ? -1 : *given;
  out[6] = last;
}

// out[i] = i + 1, in 32 bits: a sum that may not overflow.
extern "C" __global__ void host_next(const int32_t* in, int32_t* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

// Threads from `end` on miss the barrier.
extern "C" __global__ void host_diverge(int32_t end, int32_t* out) {
  if (static_cast<int32_t>(threadIdx.x) < end) __syncthreads();
  out[threadIdx.x] = static_cast<int32_t>(threadIdx.x);
}

// Odd threads wait at another barrier than even ones.
extern "C" __global__ void host_part(int32_t* out) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
    out[threadIdx.x] = 0;
  } else {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
}

// What a block finds in its shared memory, and what it leaves there.
extern "C" __global__ void host_leftovers(uint32_t* out) {
  __shared__ uint32_t cell;
  if (threadIdx.x == 0) out[blockIdx.x] = cell;
  __syncthreads();
  cell = 1;
}

// One byte, wherever it is.
extern "C" __global__ void host_store(uint8_t* memory, int32_t at) { memory[at] = 1; }
