template <class T>
__global__ void fill(T* out, T value) { out[threadIdx.x] = value; }
extern "C" __global__ void plain(int* out) { *out = 1; }

__device__ int number;
static __attribute__((device, used)) const auto of_instance{fill<float>};
extern "C" __device__ void (*of_plain)(int*);
__device__ void (*of_plain)(int*) = plain;
__device__ int* of_number = &number;
__device__ void* of_nothing;
__device__ long of_a_number = 4096;
