// SPDX-License-Identifier: Apache-2.0
// c = a * b, matrices row by row: a is rows x depth, b is depth x columns, c is rows x columns. Block (x, y) computes
// 256 columns of row y of c; each thread sums one element. columns and depth are less than 2^30.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"

	.text
	.globl	matmul
	.p2align	8
	.type	matmul,@function
// s[0:1] has the address of the arguments, s14 and s15 the block's x and y, v0 the thread.
matmul:
	s_load_b64 s[4:5], s[0:1], 0x18	// s4 = rows, s5 = columns
	s_load_b32 s6, s[0:1], 0x20		// s6 = depth
	v_lshl_add_u32 v0, s14, 8, v0		// v0 = column = x * 256 + thread
	s_waitcnt lgkmcnt(0)
	s_cmp_ge_i32 s15, s4
	s_cbranch_scc1 .Lend			// The row is below the matrix.
	v_cmp_gt_i32_e32 vcc_lo, s5, v0
	s_and_saveexec_b32 s2, vcc_lo		// Only threads with a column go on.
	s_cbranch_execz .Lend

	s_load_b128 s[8:11], s[0:1], 0x0	// s[8:9] = a, s[10:11] = b
	s_load_b64 s[0:1], s[0:1], 0x10	// s[0:1] = c
	s_lshl_b32 s5, s5, 2			// s5 = bytes of a row of b and c
	s_lshl_b32 s7, s6, 2			// s7 = bytes of a row of a
	v_lshlrev_b32_e32 v0, 2, v0		// v0 = bytes before the column
	v_mov_b32_e32 v1, 0			// v1 = the sum
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s12, s15, s7			// a += row * bytes of its rows, in 64 bits
	s_mul_hi_u32 s13, s15, s7
	s_add_u32 s8, s8, s12
	s_addc_u32 s9, s9, s13
	s_mul_i32 s12, s15, s5			// c += row * bytes of its rows
	s_mul_hi_u32 s13, s15, s5
	s_add_u32 s0, s0, s12
	s_addc_u32 s1, s1, s13
	s_cmp_lt_i32 s6, 1
	s_cbranch_scc1 .Lstore

.Lnext:
	s_load_b32 s7, s[8:9], 0x0		// s7 = a[row][i], the same for all threads
	global_load_b32 v2, v0, s[10:11]	// v2 = b[i][column]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_fmac_f32_e32 v1, s7, v2
	s_add_u32 s8, s8, 4			// The next element of a's row,
	s_addc_u32 s9, s9, 0
	s_add_u32 s10, s10, s5			// and the next row of b.
	s_addc_u32 s11, s11, 0
	s_sub_i32 s6, s6, 1
	s_cmp_lg_u32 s6, 0
	s_cbranch_scc1 .Lnext

.Lstore:
	global_store_b32 v0, v1, s[0:1]
.Lend:
	s_endpgm
	.size	matmul, .-matmul

	.rodata
	.p2align	6
	.amdhsa_kernel matmul
		.amdhsa_kernarg_size 36
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		// The processor sets 16 scalar registers or it may set none; the block's x and y are the last two.
		.amdhsa_user_sgpr_count 14
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: matmul
    .symbol: matmul.kd
    .kernarg_segment_size: 36
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
      - {.name: rows, .offset: 24, .size: 4, .value_kind: by_value}
      - {.name: columns, .offset: 28, .size: 4, .value_kind: by_value}
      - {.name: depth, .offset: 32, .size: 4, .value_kind: by_value}
...
	.end_amdgpu_metadata
