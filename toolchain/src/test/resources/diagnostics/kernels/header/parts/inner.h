#pragma once
__device__ float inner(float x) { return x + undeclared; }
