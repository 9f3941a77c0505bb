__device__ float scale(float x, int n);
