// SPDX-License-Identifier: Apache-2.0
//
// Morton codes of points. It includes nothing: the compiler's own wrapper gives it the keywords.
__device__ unsigned spread(unsigned x) {
  x = (x * 0x00010001u) & 0xFF0000FFu;
  x = (x * 0x00000101u) & 0x0F00F00Fu;
  x = (x * 0x00000011u) & 0xC30C30C3u;
  x = (x * 0x00000005u) & 0x49249249u;
  return x;
}

__device__ unsigned cell(float coordinate) {
  const float scaled = coordinate * 1024.0f;
  return scaled < 0.0f ? 0u : scaled > 1023.0f ? 1023u : static_cast<unsigned>(scaled);
}

extern "C" __global__ void morton(int n, const float* points, unsigned* codes) {
  const int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const float* p = points + 3 * i;
  codes[i] = spread(cell(p[0])) << 2 | spread(cell(p[1])) << 1 | spread(cell(p[2]));
}
