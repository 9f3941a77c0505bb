// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;

/** Launches the kernels of the argsort family: one for short rows, many for long ones. */
final class Argsort {
  private static final int BLOCK_SIZE = 256;

  /** A tile has 2^10 places, as {@code argsort.hip} has it. */
  private static final int TILE_BITS = 10;

  private final Checks checks;
  private final FunctionTable tiles;
  private final FunctionTable step;

  Argsort(KernelManager kernels) {
    checks = new Checks("argsort", kernels.device());
    tiles = new FunctionTable(kernels, Family.ARGSORT, "argsort_tiles");
    step = new FunctionTable(kernels, Family.ARGSORT, "argsort_step");
  }

  void argsort(SortOrder order, DeviceTensor x, DeviceTensor out, HipStream stream) {
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.type("out", out, DType.I64);
    checks.axis("x", x, 0);
    checks.shapeOf("out", out, x);
    checks.contiguous("x", x);
    checks.contiguous("out", out);
    checks.disjoint("x", x, out);
    long rowSize = x.layout().extent(x.layout().rank() - 1);
    if (rowSize > Integer.MAX_VALUE) {
      throw checks.failure(
          "x has rows of %d elements, and at most %d can be sorted"
              .formatted(rowSize, Integer.MAX_VALUE));
    }
    long rows = rowSize == 0 ? 0 : x.layout().count() / rowSize;
    int descending = order == SortOrder.DESCENDING ? 1 : 0;
    // Before the arguments are set: a load can wait, and the wait run others' launches here.
    LoadedKernel tile = tiles.get(x.type());
    LoadedKernel exchange = step.get(x.type());
    KernelArguments ofTile = tile.arguments(7).set(0, rows).set(1, rowSize).set(4, descending);
    ofTile.set(5, x.start()).set(6, out.start());
    int rowBits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, rowSize) - 1);
    int bitsOfTile = Math.min(rowBits, TILE_BITS);
    long threads = tileThreads(rows, rowSize, bitsOfTile);
    tile.launch(threads, BLOCK_SIZE, stream, ofTile.set(2, bitsOfTile).set(3, 0));
    KernelArguments ofStep = exchange.arguments(8).set(0, rows).set(1, rowSize);
    ofStep.set(2, rowBits - 1).set(5, descending).set(6, x.start()).set(7, out.start());
    long pairs = rows << (rowBits - 1);
    for (int bits = TILE_BITS + 1; bits <= rowBits; bits++) {
      exchange.launch(pairs, BLOCK_SIZE, stream, ofStep.set(3, 1L << (bits - 1)).set(4, 1));
      for (int distance = bits - 2; distance >= TILE_BITS; distance--) {
        exchange.launch(pairs, BLOCK_SIZE, stream, ofStep.set(3, 1L << distance).set(4, 0));
      }
      tile.launch(threads, BLOCK_SIZE, stream, ofTile.set(3, 1));
    }
  }

  /** Returns a block of threads for each tile; rows are split into parts of 2^bits places. */
  private static long tileThreads(long rows, long rowSize, int bits) {
    long parts = rows * ((rowSize + (1L << bits) - 1) >> bits);
    long tiles = ((parts << bits) + (1 << TILE_BITS) - 1) >> TILE_BITS;
    return tiles * BLOCK_SIZE;
  }
}
