kernel __attribute__((reqd_work_group_size(8, 4, 2)))
void blend(global float4* out, read_only image2d_t image, sampler_t sampler, local float* tile,
           constant float* weights) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, sampler, (int2)(i, 0)) + tile[i] + weights[i];
}
