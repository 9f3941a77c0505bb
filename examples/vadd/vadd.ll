; SPDX-License-Identifier: Apache-2.0
; c[i] = a[i] + b[i] for i < count, in blocks of 256 threads.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @vadd(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %count) #0 {
entry:
  %block = call i32 @llvm.amdgcn.workgroup.id.x()
  %thread = call i32 @llvm.amdgcn.workitem.id.x()
  %first = shl i32 %block, 8
  %i = add i32 %first, %thread
  %inside = icmp slt i32 %i, %count
  br i1 %inside, label %add, label %end

add:
  %index = zext i32 %i to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %index
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %index
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %index
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(1) %pc
  br label %end

end:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()

; Without these the kernel would take 256 bytes of arguments that it does not use.
attributes #0 = { "amdgpu-flat-work-group-size"="256,256" "amdgpu-no-implicitarg-ptr" }
