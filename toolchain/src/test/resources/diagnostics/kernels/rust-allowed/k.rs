#![no_core]
#![feature(no_core, lang_items, rustc_attrs, abi_gpu_kernel)]
#![allow(internal_features, dead_code, unused)]
#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
impl Copy for i32 {}
impl<T> Copy for *mut T {}
#[rustc_builtin_macro]
macro_rules! include_bytes { ($file:expr $(,)?) => {{}}; }
#[rustc_builtin_macro]
macro_rules! env { ($name:expr $(,)?) => {{}}; }
#[repr(C)]
pub struct S { a: i32, b: i32 }
#[allow(improper_gpu_kernel_arg)]
#[no_mangle]
pub unsafe extern "gpu-kernel" fn k(out: *mut i32, s: S) { *out = 7; }
