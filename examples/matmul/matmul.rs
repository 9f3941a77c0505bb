// SPDX-License-Identifier: Apache-2.0
// c = a * b, matrices row by row: a is rows x depth, b is depth x columns, c is rows x columns. Block (x, y) computes
// 256 columns of row y of c; each thread sums one element.
//
// It takes a nightly rustc, or a stable one and RUSTC_BOOTSTRAP=1. Where rustc's own sources are installed (rust-src),
// `core` has what is declared below the kernel; this compiles without them.
#![no_core]
#![feature(no_core, lang_items, intrinsics, rustc_attrs)]
#![feature(abi_gpu_kernel, abi_unadjusted, link_llvm_intrinsics)]
#![allow(internal_features, dead_code)]

#[unsafe(no_mangle)]
pub unsafe extern "gpu-kernel" fn matmul(
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    rows: i32,
    columns: i32,
    depth: i32,
) {
    let row = block_y();
    let column = block_x() * 256 + thread();
    if row < rows && column < columns {
        let mut sum = 0.0;
        let mut i = 0;
        while i < depth {
            sum = sum + unsafe { read(a, row * depth + i) * read(b, i * columns + column) };
            i = i + 1;
        }
        unsafe { write(c, row * columns + column, sum) };
    }
}

unsafe extern "unadjusted" {
    #[link_name = "llvm.amdgcn.workgroup.id.x"]
    safe fn block_x() -> i32;
    #[link_name = "llvm.amdgcn.workgroup.id.y"]
    safe fn block_y() -> i32;
    #[link_name = "llvm.amdgcn.workitem.id.x"]
    safe fn thread() -> i32;
}

unsafe fn read(array: *const f32, index: i32) -> f32 {
    unsafe { *offset(array, index as isize) }
}

unsafe fn write(array: *mut f32, index: i32, value: f32) {
    unsafe { *offset(array, index as isize) = value }
}

/// The compiler's own: the pointer `index` elements further.
#[rustc_intrinsic]
unsafe fn offset<P, N>(pointer: P, index: N) -> P;

// What `core` would declare: the compiler asks for these traits by the names of their attributes.
#[lang = "pointee_sized"]
trait PointeeSized {}
#[lang = "meta_sized"]
trait MetaSized: PointeeSized {}
#[lang = "sized"]
trait Sized: MetaSized {}
#[lang = "legacy_receiver"]
trait LegacyReceiver {}
impl<T> LegacyReceiver for &T {}
#[lang = "copy"]
trait Copy {}
impl Copy for i32 {}
impl Copy for f32 {}
impl Copy for *const f32 {}

macro_rules! operator {
    ($lang:literal, $Trait:ident, $method:ident, $sign:tt) => {
        #[lang = $lang]
        trait $Trait<Right = Self>: Sized {
            type Output;
            fn $method(self, right: Right) -> Self::Output;
        }
        operator!(i32, $Trait, $method, $sign);
        operator!(f32, $Trait, $method, $sign);
    };
    ($number:ident, $Trait:ident, $method:ident, $sign:tt) => {
        impl $Trait for $number {
            type Output = $number;
            fn $method(self, right: $number) -> $number {
                self $sign right
            }
        }
    };
}
operator!("add", Add, add, +);
operator!("mul", Mul, mul, *);

#[lang = "partial_ord"]
trait PartialOrd<Right = Self>: Sized {
    fn lt(&self, right: &Right) -> bool;
}
impl PartialOrd for i32 {
    fn lt(&self, right: &i32) -> bool {
        *self < *right
    }
}
