__global__ void k(float* p) {
  __shared__ float tile[17500];
  tile[threadIdx.x] = p[1];
  __syncthreads();
  p[0] = tile[2];
}
