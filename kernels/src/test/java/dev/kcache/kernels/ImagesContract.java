// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Operations on images, compared with plain loops. */
abstract class ImagesContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16);

  private static final List<Window2d> WINDOWS =
      List.of(
          Window2d.square(1, 1, 0),
          Window2d.square(3, 1, 1),
          Window2d.square(2, 2, 0),
          new Window2d(new Window1d(3, 2, 1, 1), new Window1d(2, 1, 0, 2)),
          new Window2d(new Window1d(2, 1, 0, 3), new Window1d(3, 3, 4, 1)),
          // Of some windows, no element is within the image.
          new Window2d(new Window1d(2, 1, 2, 1), new Window1d(2, 1, 3, 1)));

  private static final long[][] SHAPES = {{1, 1, 4, 3}, {2, 3, 7, 5}, {3, 2, 5, 33}, {0, 2, 5, 5}};

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.IMAGE, Family.POOL)).units().stream()
        .filter(
            unit ->
                SAMPLES.stream()
                    .map(type -> unit.family() == Family.POOL ? type : Copies.word(type))
                    .anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  private boolean isTried(DType type) {
    return isRealGpu() || SAMPLES.contains(type);
  }

  /** An image's elements, of which each knows its place. */
  @SuppressWarnings("ArrayRecordComponent") // Nothing compares them.
  private record Image(DType type, long[] shape, long[] bits) {
    static Image random(DType type, long[] shape) {
      long mask = -1L >>> (64 - 8 * type.bytes());
      List<Long> awkward = AwkwardValues.of(type);
      Random random = new Random(Arrays.hashCode(shape));
      long[] bits =
          LongStream.range(0, Layout.of(shape).count())
              .map(
                  i ->
                      type.isFloatingPoint()
                          ? random.nextInt(12) == 0
                              ? awkward.get(random.nextInt(awkward.size()))
                              : OperationsContract.bits(type, random.nextGaussian())
                          : random.nextLong() & mask)
              .toArray();
      return new Image(type, shape, bits);
    }

    /** Returns an image of 0 and -0. */
    static Image zeros(DType type, long... shape) {
      long sign = OperationsContract.bits(type, -0.0);
      Random random = new Random(1);
      int count = Math.toIntExact(Layout.of(shape).count());
      return new Image(type, shape, random.longs(count, 0, 2).map(i -> i * sign).toArray());
    }

    boolean has(long y, long x) {
      return y >= 0 && y < shape[2] && x >= 0 && x < shape[3];
    }

    long at(long plane, long y, long x) {
      return bits[Math.toIntExact((plane * shape[2] + y) * shape[3] + x)];
    }

    long planes() {
      return shape[0] * shape[1];
    }

    /** Returns the shape without the height, which is 1. */
    long[] row() {
      return new long[] {shape[0], shape[1], shape[3]};
    }
  }

  private DeviceTensor tensor(Image image, long... shape) {
    return tensor(image.type, i -> image.bits[(int) i], shape);
  }

  private static long height(Image image, Window2d window) {
    return window.down().outputLength(image.shape[2]);
  }

  private static long width(Image image, Window2d window) {
    return window.across().outputLength(image.shape[3]);
  }

  private static long y(Window2d window, long step, int tap) {
    return step * window.down().stride()
        - window.down().padding()
        + (long) tap * window.down().dilation();
  }

  private static long x(Window2d window, long step, int tap) {
    return step * window.across().stride()
        - window.across().padding()
        + (long) tap * window.across().dilation();
  }

  @ParameterizedTest
  @EnumSource
  void im2col_anyWindow_movesBits(DType type) {
    if (!isTried(type)) {
      return;
    }
    for (long[] shape : SHAPES) {
      Image image = Image.random(type, shape);
      for (Window2d window : WINDOWS) {
        long rows = height(image, window) * width(image, window);
        long columns = shape[1] * window.down().kernel() * window.across().kernel();
        ResultTensor out = result(type, shape[0], rows, columns);
        operations.images().im2col(tensor(image, shape), window, out.tensor(), stream);
        assertThat(bits(out)).as("%s %s", out.tensor(), window).isEqualTo(columns(image, window));
      }
    }
    Image image = Image.random(type, new long[] {2, 3, 1, 40});
    Window1d window = new Window1d(3, 2, 1, 2);
    Window2d inRow = new Window2d(new Window1d(1, 1, 0, 1), new Window1d(3, 2, 1, 2));
    ResultTensor out = result(type, 2, window.outputLength(40), 9);
    operations.images().im2col(tensor(image, image.row()), window, out.tensor(), stream);
    assertThat(bits(out)).isEqualTo(columns(image, inRow));
  }

  private static long[] columns(Image image, Window2d window) {
    LongStream.Builder columns = LongStream.builder();
    for (long n = 0; n < image.shape[0]; n++) {
      for (long down = 0; down < height(image, window); down++) {
        for (long across = 0; across < width(image, window); across++) {
          for (long plane = n * image.shape[1]; plane < (n + 1) * image.shape[1]; plane++) {
            for (int tapY = 0; tapY < window.down().kernel(); tapY++) {
              for (int tapX = 0; tapX < window.across().kernel(); tapX++) {
                long y = y(window, down, tapY);
                long x = x(window, across, tapX);
                columns.add(image.has(y, x) ? image.at(plane, y, x) : 0);
              }
            }
          }
        }
      }
    }
    return columns.build().toArray();
  }

  @ParameterizedTest
  @EnumSource
  void upsampleNearest_anySize_takesTheElementAboveAndLeft(DType type) {
    if (!isTried(type)) {
      return;
    }
    long[][] sizes = {{1, 1}, {7, 5}, {14, 10}, {3, 11}, {0, 4}, {65, 49}};
    for (long[] size : sizes) {
      Image image = Image.random(type, new long[] {2, 3, 7, 5});
      ResultTensor out = result(type, 2, 3, size[0], size[1]);
      operations.images().upsampleNearest(tensor(image, image.shape), out.tensor(), stream);
      assertThat(bits(out)).isEqualTo(enlarged(image, size[0], size[1]));
    }
    Image row = Image.random(type, new long[] {2, 2, 1, 49});
    ResultTensor out = result(type, 2, 2, 147);
    operations.images().upsampleNearest(tensor(row, row.row()), out.tensor(), stream);
    assertThat(bits(out)).isEqualTo(enlarged(row, 1, 147));
  }

  private static long[] enlarged(Image image, long height, long width) {
    return LongStream.range(0, image.planes() * height * width)
        .map(
            i ->
                image.at(
                    i / (height * width),
                    i / width % height * image.shape[2] / height,
                    i % width * image.shape[3] / width))
        .toArray();
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void maxPool_anyWindow_isTheLargestOrNaN(DType type) {
    if (!isTried(type)) {
      return;
    }
    List<Image> images = new ArrayList<>(List.of(Image.zeros(type, 2, 2, 9, 9)));
    Arrays.stream(SHAPES).map(shape -> Image.random(type, shape)).forEach(images::add);
    for (Image image : images) {
      long[] shape = image.shape;
      for (Window2d window : WINDOWS) {
        ResultTensor out =
            result(type, shape[0], shape[1], height(image, window), width(image, window));
        operations.images().maxPool(tensor(image, shape), window, out.tensor(), stream);
        assertThat(specified(out))
            .as("%s %s", out.tensor(), window)
            .isEqualTo(largest(image, window));
      }
    }
    Image row = Image.random(type, new long[] {2, 3, 1, 40});
    ResultTensor out = result(type, 2, 3, 20);
    Window1d window = new Window1d(2, 2, 0, 1);
    operations.images().maxPool(tensor(row, row.row()), window, out.tensor(), stream);
    assertThat(specified(out))
        .isEqualTo(largest(row, new Window2d(new Window1d(1, 1, 0, 1), new Window1d(2, 2, 0, 1))));
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void averagePool_anyWindow_isTheSumDivided(DType type) {
    if (!isTried(type)) {
      return;
    }
    for (long[] shape : SHAPES) {
      Image image = Image.random(type, shape);
      for (Window2d window : WINDOWS) {
        for (boolean whole : new boolean[] {false, true}) {
          ResultTensor out =
              result(type, shape[0], shape[1], height(image, window), width(image, window));
          operations
              .images()
              .averagePool(
                  tensor(image, shape),
                  window,
                  whole ? Padding.COUNTED : Padding.LEFT_OUT,
                  out.tensor(),
                  stream);
          assertThat(specified(out))
              .as("%s %s %s", out.tensor(), window, whole)
              .isEqualTo(averages(image, window, whole));
        }
      }
    }
    Image row = Image.random(type, new long[] {2, 3, 1, 40});
    ResultTensor out = result(type, 2, 3, 14);
    Window1d window = new Window1d(3, 3, 1, 1);
    operations
        .images()
        .averagePool(tensor(row, row.row()), window, Padding.COUNTED, out.tensor(), stream);
    Window2d inRow = new Window2d(new Window1d(1, 1, 0, 1), new Window1d(3, 3, 1, 1));
    assertThat(specified(out)).isEqualTo(averages(row, inRow, true));
  }

  private long[] specified(ResultTensor out) {
    // What of a NaN is quiet is not specified of the largest, which is an element.
    FloatingPoint format = (FloatingPoint) Arithmetic.of(out.tensor().type());
    return LongStream.of(bits(out))
        .map(bits -> Double.isNaN(format.decode(bits)) ? format.quietNaN() : bits)
        .toArray();
  }

  private static long[] largest(Image image, Window2d window) {
    FloatingPoint format = (FloatingPoint) Arithmetic.of(image.type);
    return windows(
        image,
        window,
        elements ->
            format.encode(Arrays.stream(elements).reduce(Double.NEGATIVE_INFINITY, Math::max)));
  }

  private static long[] averages(Image image, Window2d window, boolean whole) {
    FloatingPoint format = (FloatingPoint) Arithmetic.of(image.type);
    int kernel = window.down().kernel() * window.across().kernel();
    return windows(
        image,
        window,
        elements -> {
          double sum = 0;
          for (double element : elements) {
            sum = image.type == DType.F64 ? sum + element : (float) sum + (float) element;
          }
          double count = whole ? kernel : elements.length;
          double average = image.type == DType.F64 ? sum / count : (float) sum / (float) count;
          return format.encode(count == 0 ? 0 : average);
        });
  }

  private interface Reduction {
    long of(double[] elements);
  }

  private static long[] windows(Image image, Window2d window, Reduction reduction) {
    FloatingPoint format = (FloatingPoint) Arithmetic.of(image.type);
    LongStream.Builder results = LongStream.builder();
    for (long plane = 0; plane < image.planes(); plane++) {
      for (long down = 0; down < height(image, window); down++) {
        for (long across = 0; across < width(image, window); across++) {
          double[] elements = new double[window.down().kernel() * window.across().kernel()];
          int count = 0;
          for (int tap = 0; tap < elements.length; tap++) {
            long y = y(window, down, tap / window.across().kernel());
            long x = x(window, across, tap % window.across().kernel());
            if (image.has(y, x)) {
              elements[count++] = format.decode(image.at(plane, y, x));
            }
          }
          results.add(reduction.of(Arrays.copyOf(elements, count)));
        }
      }
    }
    return results.build().toArray();
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"F32", "F64", "F16", "BF16"})
  void pools_ofIntegers_areRefused(DType type) {
    DeviceTensor x = numbers(type, new double[4], 1, 1, 2, 2);
    DeviceTensor out = numbers(type, new double[1], 1, 1, 1, 1);
    Window2d window = Window2d.square(2, 2, 0);
    assertThatThrownBy(() -> operations.images().maxPool(x, window, out, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxPool: x is %s and must be f32, f64, f16 or bf16", type);
  }

  @Test
  void images_whatDoesNotFit_isRefused() {
    DeviceTensor x = numbers(DType.F32, new double[4], 1, 1, 2, 2);
    DeviceTensor out = numbers(DType.F32, new double[4], 1, 1, 2, 2);
    Images images = operations.images();
    assertThatThrownBy(() -> images.maxPool(x, Window2d.square(3, 1, 0), out, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a window of 3 elements does not fit 2, padding included");
    assertThatThrownBy(() -> images.maxPool(x, Window2d.square(2, 1, 0), out, stream))
        .hasMessage("maxPool: out has the shape [1, 1, 2, 2] and must have [1, 1, 1, 1]");
    assertThatThrownBy(() -> images.maxPool(x, Window2d.square(3, 1, 1), x, stream))
        .hasMessage("maxPool: out overlaps x");
    assertThatThrownBy(() -> images.maxPool(x, new Window1d(1, 1, 0, 1), out, stream))
        .hasMessage("maxPool: x must have 3 dimensions, and the layout is [1, 1, 2, 2]");
    DeviceTensor nothing = numbers(DType.F32, new double[0], 1, 0, 1);
    // 2^32 windows down and across: 2^64, which is 0 in a long.
    Window2d sparse = Window2d.square(1, 1, Integer.MAX_VALUE);
    assertThatThrownBy(() -> images.im2col(x, sparse, nothing, stream))
        .hasMessage("im2col: 4294967296 times 4294967296 is more than 2^63 - 1");
    DeviceTensor none = numbers(DType.F32, new double[0], 1, 1, 0, 2);
    assertThatThrownBy(() -> images.upsampleNearest(none, out, stream))
        .hasMessage("upsampleNearest: x has no elements to repeat: [1, 1, 0, 2]");
    assertThatThrownBy(() -> Window2d.square(2, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 2, 0, 1 and 1");
  }
}
