// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import dev.kcache.kernels.BinaryOperation;
import dev.kcache.kernels.DType;
import dev.kcache.kernels.DeviceTensor;
import dev.kcache.kernels.KernelManager;
import dev.kcache.kernels.Layout;
import dev.kcache.kernels.Operations;
import dev.kcache.kernels.Overflow;
import dev.kcache.kernels.QuantFormat;
import dev.kcache.kernels.QuantizedMatrix;
import dev.kcache.kernels.Reduction;
import dev.kcache.kernels.UnaryOperation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Operations on tensors beside a copy within the device that moves as many bytes. What they compute
 * is the tests' concern; the operands are zeros.
 */
final class OperationSpeeds implements AutoCloseable {
  private static final Bar ELEMENTWISE = Bar.speed(0.95);
  private static final Bar TRANSPOSE = Bar.speed(0.8);
  private static final Bar REDUCTION = Bar.speed(0.9);
  private static final Bar ROWS = Bar.speed(0.85);
  private static final Bar QUANTIZED = Bar.speed(0.75);
  private static final Bar BROADCAST = Bar.speed(0.85);
  private static final Set<UnaryOperation> UNARY =
      EnumSet.of(
          UnaryOperation.NEG,
          UnaryOperation.SQRT,
          UnaryOperation.EXP,
          UnaryOperation.LOG,
          UnaryOperation.SIN,
          UnaryOperation.TANH,
          UnaryOperation.GELU);

  private final HipDevice device;
  private final Operations operations;
  private final Effort effort;
  private final Consumer<String> progress;
  private final List<Row> rows = new ArrayList<>();
  private final StreamTimer timer;

  /** Memory of the group of rows that is being measured. */
  private final List<DeviceBuffer> buffers = new ArrayList<>();

  OperationSpeeds(KernelManager kernels, Effort effort, Consumer<String> progress) {
    device = kernels.device();
    operations = Operations.on(kernels);
    timer = new StreamTimer(device);
    this.effort = effort;
    this.progress = progress;
  }

  /** Measures everything; returns the lines of the table. */
  List<Row> run() {
    elementwise();
    broadcast();
    casts();
    matrices();
    for (long columns : new long[] {512, 2048, 8192, 32_768}) {
      rowsOf(columns);
    }
    quantized();
    return List.copyOf(rows);
  }

  private void elementwise() {
    long n = effort.elements();
    for (DType type : List.of(DType.F32, DType.F16)) {
      DeviceTensor x = tensor(type, n);
      DeviceTensor y = tensor(type, n);
      DeviceTensor out = tensor(type, n);
      row(
          "mul " + type,
          bytes(x, y, out),
          ELEMENTWISE,
          stream -> operations.mul(x, y, out, stream));
      DeviceTensor mask = tensor(DType.U8, n);
      row(
          "lt " + type,
          bytes(x, y, mask),
          ELEMENTWISE,
          stream -> operations.compare(dev.kcache.kernels.Comparison.LT, x, y, mask, stream));
      row(
          "where " + type,
          bytes(mask, x, y, out),
          ELEMENTWISE,
          stream -> operations.where(mask, x, y, out, stream));
      for (UnaryOperation operation : UNARY) {
        row(
            operation + " " + type,
            bytes(x, out),
            ELEMENTWISE,
            stream -> operations.unary(operation, x, out, stream));
      }
      free();
    }
  }

  private void casts() {
    DeviceTensor x = tensor(DType.F32, effort.elements());
    DeviceTensor half = tensor(DType.F16, effort.elements());
    row(
        "cast f32 to f16",
        bytes(x, half),
        ELEMENTWISE,
        stream -> operations.cast(x, half, Overflow.SATURATE, stream));
    row(
        "cast f16 to f32",
        bytes(x, half),
        ELEMENTWISE,
        stream -> operations.cast(half, x, Overflow.SATURATE, stream));
    free();
  }

  /** A square matrix. */
  private void matrices() {
    long side = (long) Math.sqrt((double) effort.elements());
    DeviceTensor x = tensor(DType.F32, side, side);
    DeviceTensor out = tensor(DType.F32, side, side);
    DeviceTensor turned = x.withLayout(x.layout().transpose(0, 1));
    row("transpose f32", bytes(x, out), TRANSPOSE, stream -> operations.copy(turned, out, stream));
    DeviceTensor line = tensor(DType.F32, side);
    DeviceTensor places = tensor(DType.I64, side);
    reduce("sum all f32", Reduction.SUM, x, tensor(DType.F32));
    reduce("sum rows f32", Reduction.SUM, x, line, 1);
    reduce("sum columns f32", Reduction.SUM, x, line, 0);
    reduce("max rows f32", Reduction.MAX, x, line, 1);
    reduce("argmax rows f32", Reduction.ARGMAX, x, places, 1);
    row(
        "cumsum rows f32",
        bytes(x, out),
        Bar.none(),
        stream -> operations.reductions().cumsum(x, out, stream, 1));
    free();
  }

  private void reduce(
      String what, Reduction reduction, DeviceTensor x, DeviceTensor out, int... axes) {
    row(
        what,
        bytes(x),
        REDUCTION,
        stream -> operations.reductions().reduce(reduction, x, out, stream, axes));
  }

  private void rowsOf(long columns) {
    DeviceTensor x = tensor(DType.F32, effort.elements() / columns, columns);
    DeviceTensor out = tensor(DType.F32, effort.elements() / columns, columns);
    DeviceTensor weight = tensor(DType.F32, columns);
    DeviceTensor bias = tensor(DType.F32, columns);
    String type = columns + " f32";
    row(
        "softmax " + type,
        bytes(x, out),
        ROWS,
        stream -> operations.rows().softmax(x, out, stream));
    row(
        "log-softmax " + type,
        bytes(x, out),
        ROWS,
        stream -> operations.rows().logSoftmax(x, out, stream));
    row(
        "layer norm " + type,
        bytes(x, out),
        ROWS,
        stream -> operations.rows().layerNorm(x, weight, bias, 1e-5, out, stream));
    row(
        "RMS norm " + type,
        bytes(x, out),
        ROWS,
        stream -> operations.rows().rmsNorm(x, weight, 1e-5, out, stream));
    free();
  }

  /** A square matrix of as many weights as a copy has elements, and one that no cache holds. */
  private void quantized() {
    for (long weights : new long[] {effort.elements(), 4 * effort.elements()}) {
      for (QuantFormat format : QuantFormat.values()) {
        quantized(format, weights);
      }
    }
  }

  private void quantized(QuantFormat format, long count) {
    long side = (long) Math.sqrt((double) count);
    DeviceBuffer weights = device.allocate(count / format.blockElements() * format.blockBytes());
    weights.fill((byte) 0);
    buffers.add(weights);
    QuantizedMatrix matrix = new QuantizedMatrix(weights, format, side, side);
    DeviceTensor x = tensor(DType.F32, side);
    DeviceTensor y = tensor(DType.F32, side);
    row(
        "matrix of " + side + " times vector " + format,
        matrix.bytes() + bytes(x, y),
        QUANTIZED,
        stream -> operations.quantized().matVec(matrix, x, y, stream));
    free();
  }

  private void broadcast() {
    long columns = 1 << 10;
    long count = effort.elements() / columns;
    DeviceTensor x = tensor(DType.F32, count, columns);
    DeviceTensor out = tensor(DType.F32, count, columns);
    DeviceTensor row = tensor(DType.F32, columns);
    DeviceTensor column = tensor(DType.F32, count, 1);
    row("add a row f32", bytes(x, out), BROADCAST, stream -> operations.add(x, row, out, stream));
    row(
        "add a column f32",
        bytes(x, out),
        BROADCAST,
        stream -> operations.binary(BinaryOperation.ADD, x, column, out, stream));
    free();
  }

  private DeviceTensor tensor(DType type, long... shape) {
    DeviceBuffer buffer = device.allocate(Layout.of(shape).count() * type.bytes());
    buffer.fill((byte) 0);
    buffers.add(buffer);
    return DeviceTensor.of(buffer, type, shape);
  }

  private static long bytes(DeviceTensor... tensors) {
    long bytes = 0;
    for (DeviceTensor tensor : tensors) {
      bytes += tensor.layout().count() * tensor.type().bytes();
    }
    return bytes;
  }

  private void free() {
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }

  /** Measures an operation that reads and writes so many bytes. */
  private void row(String what, long bytes, Bar bar, Consumer<HipStream> operation) {
    progress.accept(what);
    try (CopyWithin copy = new CopyWithin(device, bytes / 2, effort)) {
      Comparison seconds =
          new Alternation(effort.rounds())
              .compare(
                  () -> List.of(timer.seconds(effort.kernels(), operation::accept)),
                  Optional.of(copy))
              .get(0);
      rows.add(
          new Row(
              what + "; C: kcache's copy",
              Unit.BYTES_PER_SECOND,
              seconds.map(time -> bytes / time),
              bar));
    }
  }

  @Override
  public void close() {
    free();
    timer.close();
  }
}
