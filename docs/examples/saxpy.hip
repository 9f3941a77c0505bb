#include <hip/hip_runtime.h>

template <typename T, int N>
__global__ void saxpy(T a, const T* x, T* y) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * N;
  for (int k = 0; k < N; k++) {
    y[i + k] += a * x[i + k];
  }
}
