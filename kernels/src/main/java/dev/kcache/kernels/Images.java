// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

  private final KernelManager kernels;
  private final FunctionTable im2col;
  private final FunctionTable upsample;
  private final FunctionTable maxPool;
  private final FunctionTable averagePool;

  Images(KernelManager kernels) {
    this.kernels = kernels;
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
    Checks checks = new Checks("im2col", kernels.device());
    checkRank(checks, x, 4);
    im2col(checks, x, window, out, stream);
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
    Checks checks = new Checks("im2col", kernels.device());
    checkRank(checks, x, 3);
    im2col(checks, x, window.inRow(), out, stream);
  }

  private void im2col(
      Checks checks, DeviceTensor x, Window2d window, DeviceTensor out, HipStream stream) {
    Planes planes = Planes.of(x);
    long height = window.down().outputLength(planes.height);
    long width = window.across().outputLength(planes.width);
    long[] shape = {
      planes.images,
      height,
      width,
      planes.channels,
      window.down().kernel(),
      window.across().kernel()
    };
    check(checks, x, out);
    checks.shape("out", out, planes.images, height * width, planes.channels * shape[4] * shape[5]);
    long image = planes.channels * planes.size();
    Walk walk =
        walk(
            shape,
            new long[] {image, 0, 0, planes.size(), 0, 0},
            new long[] {0, window.down().stride(), 0, 0, window.down().dilation(), 0},
            new long[] {0, 0, window.across().stride(), 0, 0, window.across().dilation()});
    LoadedKernel kernel = im2col.get(Copies.word(x.type()));
    launch(
        kernel, walk, planes, window.down().padding(), window.across().padding(), x, out, stream);
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
    Checks checks = new Checks("upsampleNearest", kernels.device());
    checkRank(checks, x, x.layout().rank() == 3 ? 3 : 4);
    Planes planes = Planes.of(x);
    long[] wanted = x.layout().shape();
    for (int d = 2; d < Math.min(wanted.length, out.layout().rank()); d++) {
      wanted[d] = out.layout().extent(d);
    }
    check(checks, x, out);
    checks.shape("out", out, wanted);
    if (planes.size() == 0) {
      throw checks.failure("x has no elements to repeat: " + x.layout());
    }
    Planes enlarged = Planes.of(out);
    Walk walk =
        walk(
            enlarged.shape(),
            new long[] {planes.size(), 0, 0},
            new long[] {0, planes.height, 0},
            new long[] {0, 0, planes.width});
    LoadedKernel kernel = upsample.get(Copies.word(x.type()));
    launch(kernel, walk, planes, enlarged.height, enlarged.width, x, out, stream);
  }

  private void launch(
      LoadedKernel kernel,
      Walk walk,
      Planes planes,
      long down,
      long across,
      DeviceTensor x,
      DeviceTensor out,
      HipStream stream) {
    KernelArguments arguments =
        kernel
            .arguments(5)
            .set(0, walk.argument())
            .set(1, struct(planes.height, planes.width))
            .set(2, struct(down, across))
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
    pool(4, window, null, x, out, stream);
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
    pool(3, window.inRow(), null, x, out, stream);
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
    pool(4, window, padding, x, out, stream);
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
    pool(3, window.inRow(), padding, x, out, stream);
  }

  /**
   * Launches a kernel of pools.
   *
   * @param padding what averages are divided by; null for the largest elements
   */
  private void pool(
      int rank,
      Window2d window,
      @Nullable Padding padding,
      DeviceTensor x,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = new Checks(padding == null ? "maxPool" : "averagePool", kernels.device());
    checks.floats("x", x);
    checkRank(checks, x, rank);
    Planes planes = Planes.of(x);
    long height = window.down().outputLength(planes.height);
    long width = window.across().outputLength(planes.width);
    check(checks, x, out);
    long[] wanted = x.layout().shape();
    wanted[rank - 1] = width;
    if (rank == 4) {
      wanted[2] = height;
    }
    checks.shape("out", out, wanted);
    Walk walk =
        walk(
            new long[] {planes.images * planes.channels, height, width},
            new long[] {planes.size(), 0, 0},
            new long[] {0, window.down().stride(), 0},
            new long[] {0, 0, window.across().stride()});
    LoadedKernel kernel = (padding == null ? maxPool : averagePool).get(x.type());
    KernelArguments arguments = kernel.arguments(padding == null ? 4 : 5);
    arguments.set(0, walk.argument()).set(1, struct(planes, window));
    int next = 2;
    if (padding != null) {
      arguments.set(next++, padding == Padding.COUNTED ? 1 : 0);
    }
    arguments.set(next++, x.start()).set(next, out.start());
    kernel.launch(out.layout().count(), BLOCK_SIZE, stream, arguments);
  }

  private static void checkRank(Checks checks, DeviceTensor x, int rank) {
    if (x.layout().rank() != rank) {
      throw checks.failure("x must have %d dimensions, and is %s".formatted(rank, x.layout()));
    }
  }

  private static void check(Checks checks, DeviceTensor x, DeviceTensor out) {
    checks.type("out", out, x.type());
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.contiguous("x", x);
    checks.contiguous("out", out);
    checks.disjoint("x", x, out);
  }

  private static Walk walk(long[] shape, long[]... strides) {
    Layout[] operands = new Layout[strides.length];
    for (int k = 0; k < strides.length; k++) {
      operands[k] = Layout.strided(shape, strides[k], 0);
    }
    return new Walk(operands);
  }

  /** Returns the struct {@code Window} of {@code pool.hip}. */
  private static ByteBuffer struct(Planes planes, Window2d window) {
    return struct(
        planes.height,
        planes.width,
        window.down().padding(),
        window.across().padding(),
        window.down().kernel(),
        window.across().kernel(),
        window.down().dilation(),
        window.across().dilation());
  }

  private static ByteBuffer struct(long... numbers) {
    ByteBuffer struct =
        ByteBuffer.allocate(numbers.length * Long.BYTES).order(ByteOrder.nativeOrder());
    for (long number : numbers) {
      struct.putLong(number);
    }
    return struct.flip();
  }

  /** The shape of images; rows are images of one row. */
  private record Planes(long images, long channels, long height, long width) {
    static Planes of(DeviceTensor tensor) {
      Layout layout = tensor.layout();
      int last = layout.rank() - 1;
      long height = last == 3 ? layout.extent(2) : 1;
      return new Planes(layout.extent(0), layout.extent(1), height, layout.extent(last));
    }

    long size() {
      return height * width;
    }

    long[] shape() {
      return new long[] {images * channels, height, width};
    }
  }
}
