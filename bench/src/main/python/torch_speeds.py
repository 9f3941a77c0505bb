#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# PyTorch's time for the operations of OperationSpeeds, of the same shapes, in eager mode: the median of 20
# launches between two events, after 3 that don't count. Prints bytes read and written per second.
#
#   torch_speeds.py [ELEMENTS]      2^26 unless given
import statistics
import sys

import torch
import torch.nn.functional as F

elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 26
f32, f16, u8 = torch.float32, torch.float16, torch.uint8


def zeros(dtype, *shape):
    return torch.zeros(shape, dtype=dtype, device="cuda")


def size(*tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def row(name, moved, work):
    times = []
    for i in range(-3, 20):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        work()
        begin.record()
        work()
        end.record()
        end.synchronize()
        if i >= 0:
            times.append(begin.elapsed_time(end) / 1e3)
    print(f"{name:32} {moved / statistics.median(times) / 1e9:8.1f} GB/s", flush=True)


print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
for name, dtype in (("f32", f32), ("f16", f16)):
    x, y, out, mask = (zeros(t, elements) for t in (dtype, dtype, dtype, torch.bool))
    row(f"copy {name}", size(x, out), lambda: out.copy_(x))
    row(f"mul {name}", size(x, y, out), lambda: torch.mul(x, y, out=out))
    row(f"lt {name}", size(x, y, mask), lambda: torch.lt(x, y, out=mask))
    row(f"where {name}", size(mask, x, y, out), lambda: torch.where(mask, x, y, out=out))
    for function in (torch.neg, torch.sqrt, torch.exp, torch.log, torch.sin, torch.tanh):
        row(f"{function.__name__} {name}", size(x, out), lambda: function(x, out=out))
    row(f"gelu {name}", size(x, out), lambda: F.gelu(x))
    del x, y, out, mask

x, out = zeros(f32, elements), zeros(f16, elements)
row("cast f32 to f16", size(x, out), lambda: out.copy_(x))
row("cast f16 to f32", size(x, out), lambda: x.copy_(out))
del x, out

columns = 1 << 10
x, out = zeros(f32, elements // columns, columns), zeros(f32, elements // columns, columns)
one_row, one_column = zeros(f32, columns), zeros(f32, elements // columns, 1)
row("add a row f32", size(x, out), lambda: torch.add(x, one_row, out=out))
row("add a column f32", size(x, out), lambda: torch.add(x, one_column, out=out))
del x, out

side = int(elements**0.5)
x, out = zeros(f32, side, side), zeros(f32, side, side)
row("transpose f32", size(x, out), lambda: out.copy_(x.t()))
row("sum all f32", size(x), lambda: x.sum())
row("sum rows f32", size(x), lambda: x.sum(1))
row("sum columns f32", size(x), lambda: x.sum(0))
row("max rows f32", size(x), lambda: x.amax(1))
row("argmax rows f32", size(x), lambda: x.argmax(1))
row("cumsum rows f32", size(x, out), lambda: torch.cumsum(x, 1, out=out))
del x, out

for columns in (512, 2048, 8192, 32768):
    x = zeros(f32, elements // columns, columns)
    weight, bias = zeros(f32, columns), zeros(f32, columns)
    row(f"softmax {columns} f32", 2 * size(x), lambda: torch.softmax(x, 1))
    row(f"log-softmax {columns} f32", 2 * size(x), lambda: torch.log_softmax(x, 1))
    row(f"layer norm {columns} f32", 2 * size(x), lambda: F.layer_norm(x, (columns,), weight, bias))
    row(f"RMS norm {columns} f32", 2 * size(x), lambda: F.rms_norm(x, (columns,), weight))
    del x
