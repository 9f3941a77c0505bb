// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Operations on images, which are tensors of the shape {@code [images, channels, height, width]},
 * and on rows, {@code [images, channels, length]}. All tensors are contiguous, and the result does
 * not overlap the operand. Each method has two forms, which the rank of the tensors tells apart or
 * the type of the window.
 *
 * <p>Methods throw {@link IllegalArgumentException} if a shape does not fit or the image with its
 * padding is smaller than the window; and otherwise behave as {@link Operations} says.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Images {
  private static final int BLOCK_SIZE = 256;

  private final ThreadLocal<Scratch> scratch;
  private final Checks im2colChecks;
  private final Checks upsampleChecks;
  private final Checks maxPoolChecks;
  private final Checks averagePoolChecks;
  private final FunctionTable im2col;
  private final FunctionTable upsample;
  private final FunctionTable maxPool;
  private final FunctionTable averagePool;

  Images(KernelManager kernels, ThreadLocal<Scratch> scratch) {
    im2colChecks = new Checks("im2col", kernels.device());
    upsampleChecks = new Checks("upsampleNearest", kernels.device());
    maxPoolChecks = new Checks("maxPool", kernels.device());
    averagePoolChecks = new Checks("averagePool", kernels.device());
    this.scratch = scratch;
    im2col = new FunctionTable(kernels, Family.IMAGE, "im2col");
    upsample = new FunctionTable(kernels, Family.IMAGE, "upsample");
    maxPool = new FunctionTable(kernels, Family.POOL, "pool_max");
    averagePool = new FunctionTable(kernels, Family.POOL, "pool_average");
  }

  /**
   * Writes the elements of each window in a row, channel by channel, so that a convolution becomes
   * a product of matrices. Places in the padding are 0.
   *
   * @param x images of any type
   * @param window where the elements are
   * @param out of the same type and the shape {@code [images, windows, channels * kernelHeight *
   *     kernelWidth]}, where windows are counted row by row
   * @param stream where to launch
   */
  public void im2col(DeviceTensor x, Window2d window, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(window, "window");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    im2colChecks.rank("x", x, 4);
    columns(x, window.down(), window.across(), out, stream);
  }

  /**
   * Writes the elements of each window of rows in a row, as the other method of this name does.
   *
   * @param x rows of any type
   * @param window where the elements are
   * @param out of the same type and the shape {@code [images, windows, channels * kernel]}
   * @param stream where to launch
   */
  public void im2col(DeviceTensor x, Window1d window, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(window, "window");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    im2colChecks.rank("x", x, 3);
    columns(x, Window1d.ONE, window, out, stream);
  }

  private void columns(
      DeviceTensor x, Window1d down, Window1d across, DeviceTensor out, HipStream stream) {
    Layout layout = x.layout();
    long images = layout.extent(0);
    long channels = layout.extent(1);
    long height = down.outputLength(height(layout));
    long width = across.outputLength(width(layout));
    check(im2colChecks, x, out);
    long[] shape = scratch.get().shape(3);
    shape[0] = images;
    shape[1] = im2colChecks.product(height, width);
    shape[2] = im2colChecks.product(channels, (long) down.kernel() * across.kernel());
    im2colChecks.shape("out", out, shape);
    LoadedKernel kernel = im2col.get(Copies.word(x.type()));
    Walk walk =
        scratch
            .get()
            .walk(3)
            .add(images, channels * plane(layout), 0, 0)
            .add(height, 0, down.stride(), 0)
            .add(width, 0, 0, across.stride())
            .add(channels, plane(layout), 0, 0)
            .add(down.kernel(), 0, down.dilation(), 0)
            .add(across.kernel(), 0, 0, across.dilation())
            .merge();
    launch(kernel, walk, down.padding(), across.padding(), x, out, stream);
  }

  /**
   * Enlarges or shrinks images by taking the nearest element above and left: that of row {@code
   * floor(i * height / outHeight)} for row i, in exact arithmetic, and of the column likewise.
   *
   * @param x images or rows of any type, with at least one element each
   * @param out of the same type and number of images and channels
   * @param stream where to launch
   */
  public void upsampleNearest(DeviceTensor x, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    Checks checks = upsampleChecks;
    checks.rank("x", x, x.layout().rank() == 3 ? 3 : 4);
    long[] wanted = scratch.get().shapeOf(x.layout());
    for (int d = 2; d < Math.min(wanted.length, out.layout().rank()); d++) {
      wanted[d] = out.layout().extent(d);
    }
    check(checks, x, out);
    checks.shape("out", out, wanted);
    if (plane(x.layout()) == 0) {
      throw checks.failure("x has no elements to repeat: " + x.layout());
    }
    Layout enlarged = out.layout();
    // The kernel multiplies them.
    long unused = checks.product(height(x.layout()), height(enlarged));
    unused = checks.product(width(x.layout()), width(enlarged));
    LoadedKernel kernel = upsample.get(Copies.word(x.type()));
    Walk walk =
        scratch
            .get()
            .walk(3)
            .add(planes(enlarged), plane(x.layout()), 0, 0)
            .add(height(enlarged), 0, height(x.layout()), 0)
            .add(width(enlarged), 0, 0, width(x.layout()))
            .merge();
    launch(kernel, walk, height(enlarged), width(enlarged), x, out, stream);
  }

  private void launch(
      LoadedKernel kernel,
      Walk walk,
      long down,
      long across,
      DeviceTensor x,
      DeviceTensor out,
      HipStream stream) {
    ByteBuffer struct = scratch.get().struct();
    KernelArguments arguments =
        kernel
            .arguments(5)
            .set(0, walk.argument())
            .set(1, struct.putLong(height(x.layout())).putLong(width(x.layout())).flip())
            .set(2, struct.clear().putLong(down).putLong(across).flip())
            .set(3, x.start())
            .set(4, out.start());
    kernel.launch(out.layout().count(), BLOCK_SIZE, stream, arguments);
  }

  /**
   * Takes the largest element of each window: NaN if one is, and -0 is less than 0. The padding
   * does not count; a window without any element gives -infinity.
   *
   * @param x images of F32, F64, F16 or BF16
   * @param window where the elements are
   * @param out of the same type and number of images and channels, with an element for each window
   * @param stream where to launch
   */
  public void maxPool(DeviceTensor x, Window2d window, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(window, "window");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    pool(4, window.down(), window.across(), null, x, out, stream);
  }

  /**
   * Takes the largest element of each window of rows, as the other method of this name does.
   *
   * @param x rows of F32, F64, F16 or BF16
   * @param window where the elements are
   * @param out of the same type and number of images and channels, with an element for each window
   * @param stream where to launch
   */
  public void maxPool(DeviceTensor x, Window1d window, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(window, "window");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    pool(3, Window1d.ONE, window, null, x, out, stream);
  }

  /**
   * Takes the average of each window. Sums are of F64 for F64 and of F32 for the other types, and
   * are divided and rounded to the type once. A window without any element gives 0.
   *
   * @param x images of F32, F64, F16 or BF16
   * @param window where the elements are
   * @param padding what sums are divided by
   * @param out of the same type and number of images and channels, with an element for each window
   * @param stream where to launch
   */
  public void averagePool(
      DeviceTensor x, Window2d window, Padding padding, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(window, "window");
    requireNonNull(padding, "padding");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    pool(4, window.down(), window.across(), padding, x, out, stream);
  }

  /**
   * Takes the average of each window of rows, as the other method of this name does.
   *
   * @param x rows of F32, F64, F16 or BF16
   * @param window where the elements are
   * @param padding what sums are divided by
   * @param out of the same type and number of images and channels, with an element for each window
   * @param stream where to launch
   */
  public void averagePool(
      DeviceTensor x, Window1d window, Padding padding, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(window, "window");
    requireNonNull(padding, "padding");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    pool(3, Window1d.ONE, window, padding, x, out, stream);
  }

  /**
   * Launches a kernel of pools.
   *
   * @param padding what averages are divided by; null for the largest elements
   */
  private void pool(
      int rank,
      Window1d down,
      Window1d across,
      @Nullable Padding padding,
      DeviceTensor x,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = padding == null ? maxPoolChecks : averagePoolChecks;
    checks.floats("x", x);
    checks.rank("x", x, rank);
    Layout layout = x.layout();
    long height = down.outputLength(height(layout));
    long width = across.outputLength(width(layout));
    check(checks, x, out);
    long[] wanted = scratch.get().shapeOf(x.layout());
    wanted[rank - 1] = width;
    if (rank == 4) {
      wanted[2] = height;
    }
    checks.shape("out", out, wanted);
    LoadedKernel kernel = (padding == null ? maxPool : averagePool).get(x.type());
    Walk walk =
        scratch
            .get()
            .walk(3)
            .add(planes(layout), plane(layout), 0, 0)
            .add(height, 0, down.stride(), 0)
            .add(width, 0, 0, across.stride())
            .merge();
    KernelArguments arguments = kernel.arguments(padding == null ? 4 : 5);
    arguments.set(0, walk.argument()).set(1, struct(layout, down, across));
    int next = 2;
    if (padding != null) {
      arguments.set(next++, padding == Padding.COUNTED ? 1 : 0);
    }
    arguments.set(next++, x.start()).set(next, out.start());
    kernel.launch(out.layout().count(), BLOCK_SIZE, stream, arguments);
  }

  private static void check(Checks checks, DeviceTensor x, DeviceTensor out) {
    checks.type("out", out, x.type());
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.contiguous("x", x);
    checks.contiguous("out", out);
    checks.disjoint("x", x, out);
  }

  /** Returns the struct {@code Window} of {@code pool.hip}. */
  private ByteBuffer struct(Layout layout, Window1d down, Window1d across) {
    return scratch
        .get()
        .struct()
        .putLong(height(layout))
        .putLong(width(layout))
        .putLong(down.padding())
        .putLong(across.padding())
        .putLong(down.kernel())
        .putLong(across.kernel())
        .putLong(down.dilation())
        .putLong(across.dilation())
        .flip();
  }

  private static long planes(Layout layout) {
    return layout.extent(0) * layout.extent(1);
  }

  /** Returns the elements of one channel of an image. */
  private static long plane(Layout layout) {
    return height(layout) * width(layout);
  }

  /** Returns the height of images; rows are images of one row. */
  private static long height(Layout layout) {
    return layout.rank() == 4 ? layout.extent(2) : 1;
  }

  private static long width(Layout layout) {
    return layout.extent(layout.rank() - 1);
  }
}
