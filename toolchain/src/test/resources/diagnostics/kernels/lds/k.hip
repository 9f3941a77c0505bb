#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
__global__ void k(float* p) {
  __shared__ float tile[17500];
  tile[__builtin_amdgcn_workitem_id_x()] = p[1];
  __builtin_amdgcn_s_barrier();
  *p = tile[(int)p[2]];
}
