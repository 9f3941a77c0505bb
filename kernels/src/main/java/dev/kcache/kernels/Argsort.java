// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.HipStream;

/** Launches the kernels of the argsort family: one for short rows, many for long ones. */
final class Argsort {
  private static final int BLOCK_SIZE = 256;

  /** A tile has 2^10 places, as {@code argsort.hip} has it. */
  private static final int TILE_BITS = 10;

  private final KernelManager kernels;
  private final FunctionTable tiles;
  private final FunctionTable step;

  Argsort(KernelManager kernels) {
    this.kernels = kernels;
    tiles = new FunctionTable(kernels, Family.ARGSORT, "argsort_tiles");
    step = new FunctionTable(kernels, Family.ARGSORT, "argsort_step");
  }

  void argsort(SortOrder order, DeviceTensor x, DeviceTensor out, HipStream stream) {
    Checks checks = new Checks("argsort", kernels.device());
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.type("out", out, DType.I64);
    checks.axis("x", x, 0);
    checks.shape("out", out, x.layout().shape());
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
    Sort sort = new Sort(rows, rowSize, order == SortOrder.DESCENDING ? 1 : 0, x, out, stream);
    int rowBits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, rowSize) - 1);
    tiles(sort, Math.min(rowBits, TILE_BITS), false);
    for (int bits = TILE_BITS + 1; bits <= rowBits; bits++) {
      step(sort, rowBits - 1, 1L << (bits - 1), true);
      for (int distance = bits - 2; distance >= TILE_BITS; distance--) {
        step(sort, rowBits - 1, 1L << distance, false);
      }
      tiles(sort, TILE_BITS, true);
    }
  }

  private record Sort(
      long rows,
      long rowSize,
      int descending,
      DeviceTensor x,
      DeviceTensor out,
      HipStream stream) {}

  private void tiles(Sort sort, int widthBits, boolean merging) {
    LoadedKernel kernel = tiles.get(sort.x().type());
    long parts = sort.rows() * ((sort.rowSize() + (1L << widthBits) - 1) >> widthBits);
    long tiles = ((parts << widthBits) + (1 << TILE_BITS) - 1) >> TILE_BITS;
    kernel.launch(
        tiles * BLOCK_SIZE,
        BLOCK_SIZE,
        sort.stream(),
        kernel
            .arguments(7)
            .set(0, sort.rows())
            .set(1, sort.rowSize())
            .set(2, widthBits)
            .set(3, merging ? 1 : 0)
            .set(4, sort.descending())
            .set(5, sort.x().start())
            .set(6, sort.out().start()));
  }

  private void step(Sort sort, int pairBits, long distance, boolean mirrored) {
    LoadedKernel kernel = step.get(sort.x().type());
    kernel.launch(
        sort.rows() << pairBits,
        BLOCK_SIZE,
        sort.stream(),
        kernel
            .arguments(8)
            .set(0, sort.rows())
            .set(1, sort.rowSize())
            .set(2, pairBits)
            .set(3, distance)
            .set(4, mirrored ? 1 : 0)
            .set(5, sort.descending())
            .set(6, sort.x().start())
            .set(7, sort.out().start()));
  }
}
