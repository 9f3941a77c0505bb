#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
template <typename T> __device__ int f(T t) {
T::type x = t;
return x;
}
struct S { using type = int; operator int() const { return 1; } };
__global__ void k(int* p) {
*p = f(S());
}
