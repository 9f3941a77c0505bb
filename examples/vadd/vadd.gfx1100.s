// SPDX-License-Identifier: Apache-2.0
// c[i] = a[i] + b[i] for i < count, in blocks of 256 threads; count is at most 2^30.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"

	.text
	.globl	vadd
	.p2align	8
	.type	vadd,@function
vadd:
	s_load_b32 s2, s[0:1], 0x18		// count
	v_lshl_add_u32 v0, s15, 8, v0		// i = block * 256 + thread
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc_lo, s2, v0
	s_and_saveexec_b32 s2, vcc_lo
	s_cbranch_execz .Lend
	s_load_b128 s[4:7], s[0:1], 0x0		// a, b
	s_load_b64 s[8:9], s[0:1], 0x10		// c
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_b32 v1, v0, s[4:5]
	global_load_b32 v2, v0, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v1, v1, v2
	global_store_b32 v0, v1, s[8:9]
.Lend:
	s_endpgm
	.size	vadd, .-vadd

	.rodata
	.p2align	6
	.amdhsa_kernel vadd
		.amdhsa_kernarg_size 28
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		// The processor sets 16 scalar registers or it may set none; the block's number is the last.
		.amdhsa_user_sgpr_count 15
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: vadd
    .symbol: vadd.kd
    .kernarg_segment_size: 28
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 18
    .vgpr_count: 3
    .max_flat_workgroup_size: 256
    .args:
      - {.name: a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: c, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: count, .offset: 24, .size: 4, .value_kind: by_value}
...
	.end_amdgpu_metadata
