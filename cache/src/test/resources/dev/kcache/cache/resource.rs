#![no_std]
mod parts;
const T: &str = include_str!("rust/table.txt");
extern "gpu-kernel" fn k() {}
