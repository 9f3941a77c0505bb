// SPDX-License-Identifier: Apache-2.0
//
// A matrix product with 4 by 4 results in the registers of each thread, for three shapes of tiles.
#include <hip/hip_runtime.h>

template <int BM, int BN, int BK, int TM, int TN>
__device__ void matmul(int m, int n, int k, float alpha, const float* a, const float* b, float beta,
                       float* c) {
  __shared__ float left[BK][BM + 4];
  __shared__ float right[BK][BN];
  constexpr int threads = BM / TM * (BN / TN);
  const int thread = threadIdx.x;
  const int row = thread / (BN / TN) * TM;
  const int column = thread % (BN / TN) * TN;
  float sums[TM][TN] = {};
  for (int begin = 0; begin < k; begin += BK) {
    for (int i = thread; i < BM * BK; i += threads) {
      const int y = blockIdx.y * BM + i / BK;
      const int x = begin + i % BK;
      left[i % BK][i / BK] = y < m && x < k ? a[(long long)y * k + x] : 0.0f;
    }
    for (int i = thread; i < BK * BN; i += threads) {
      const int y = begin + i / BN;
      const int x = blockIdx.x * BN + i % BN;
      right[i / BN][i % BN] = y < k && x < n ? b[(long long)y * n + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < BK; ++step) {
      float p[TM];
      float q[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) p[i] = left[step][row + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) q[j] = right[step][column + j];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += p[i] * q[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int y = blockIdx.y * BM + row + i;
      const int x = blockIdx.x * BN + column + j;
      if (y < m && x < n) {
        float& out = c[(long long)y * n + x];
        out = alpha * sums[i][j] + (beta == 0.0f ? 0.0f : beta * out);
      }
    }
  }
}

extern "C" __global__ __launch_bounds__(256) void matmul_64x64(int m, int n, int k, float alpha,
                                                               const float* a, const float* b,
                                                               float beta, float* c) {
  matmul<64, 64, 8, 4, 4>(m, n, k, alpha, a, b, beta, c);
}

extern "C" __global__ __launch_bounds__(128) void matmul_64x32(int m, int n, int k, float alpha,
                                                               const float* a, const float* b,
                                                               float beta, float* c) {
  matmul<64, 32, 8, 4, 4>(m, n, k, alpha, a, b, beta, c);
}

extern "C" __global__ __launch_bounds__(64) void matmul_32x32(int m, int n, int k, float alpha,
                                                              const float* a, const float* b,
                                                              float beta, float* c) {
  matmul<32, 32, 16, 4, 4>(m, n, k, alpha, a, b, beta, c);
}
