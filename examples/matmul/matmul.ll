; SPDX-License-Identifier: Apache-2.0
; c = a * b, matrices row by row: a is rows x depth, b is depth x columns, c is rows x columns. Block (x, y) computes
; 256 columns of row y of c; each thread sums one element.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @matmul(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c,
                                  i32 %rows, i32 %columns, i32 %depth) #0 {
entry:
  %row = call i32 @llvm.amdgcn.workgroup.id.y()
  %block = call i32 @llvm.amdgcn.workgroup.id.x()
  %thread = call i32 @llvm.amdgcn.workitem.id.x()
  %first = shl i32 %block, 8
  %column = add i32 %first, %thread
  %row.inside = icmp slt i32 %row, %rows
  %column.inside = icmp slt i32 %column, %columns
  %inside = and i1 %row.inside, %column.inside
  br i1 %inside, label %row.of.a, label %end

row.of.a:
  %start = mul i32 %row, %depth
  br label %test

test:
  %i = phi i32 [ 0, %row.of.a ], [ %next, %step ]
  %sum = phi float [ 0.0, %row.of.a ], [ %more, %step ]
  %left = icmp slt i32 %i, %depth
  br i1 %left, label %step, label %store

step:
  %ia = add i32 %start, %i
  %ib.row = mul i32 %i, %columns
  %ib = add i32 %ib.row, %column
  %ia.wide = sext i32 %ia to i64
  %ib.wide = sext i32 %ib to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %ia.wide
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %ib.wide
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %more = call float @llvm.fmuladd.f32(float %x, float %y, float %sum)
  %next = add i32 %i, 1
  br label %test

store:
  %ic.row = mul i32 %row, %columns
  %ic = add i32 %ic.row, %column
  %ic.wide = sext i32 %ic to i64
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %ic.wide
  store float %sum, ptr addrspace(1) %pc
  br label %end

end:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.fmuladd.f32(float, float, float)

; Without these the kernel would take 256 bytes of arguments that it does not use.
attributes #0 = { "amdgpu-flat-work-group-size"="256,256" "amdgpu-no-implicitarg-ptr" }
