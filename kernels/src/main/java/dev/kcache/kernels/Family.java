// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.kcache.cache.KernelSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A family of shipped kernels: one file of HIP, compiled for each element type by itself. The file
 * says in its first lines what its kernels take and compute.
 */
public enum Family {
  /** {@code out = left op right}, by {@link BinaryOperation}. */
  BINARY(EnumSet.allOf(DType.class), type -> elementwise("binary", BinaryOperation.values(), type)),
  /** {@code out = left op right ? 1 : 0}, by {@link Comparison}. */
  COMPARE(EnumSet.allOf(DType.class), type -> elementwise("compare", Comparison.values(), type)),
  /** {@code out = condition ? left : right}. */
  WHERE(EnumSet.allOf(DType.class), type -> elementwise("where", type)),
  /**
   * Matrices of quantized weights, by {@link DType} and {@link QuantFormat}: see {@link Quantized}.
   */
  QUANTIZED(Quantized.types(), Quantized::kernelsOf),
  /** The {@link UnaryOperation}s of all types. */
  UNARY(
      EnumSet.allOf(DType.class),
      type -> elementwise("unary", UnaryOperation.NEG, UnaryOperation.RELU, type)),
  /** Rounding, inverses and roots. */
  ALGEBRAIC(
      floatingPoint(),
      type -> elementwise("algebraic", UnaryOperation.FLOOR, UnaryOperation.RSQRT, type)),
  /** {@code exp} and its like, and powers. */
  TRANSCENDENTAL(
      floatingPoint(),
      type ->
          Stream.concat(
              elementwise("transcendental", UnaryOperation.EXP, UnaryOperation.ERF, type),
              elementwise("transcendental_pow", type))),
  /** The sine and the cosine. */
  TRIGONOMETRIC(
      floatingPoint(),
      type -> elementwise("trigonometric", UnaryOperation.SIN, UnaryOperation.COS, type)),
  /** What neural networks put between their layers. */
  ACTIVATION(
      floatingPoint(),
      type -> elementwise("activation", UnaryOperation.SIGMOID, UnaryOperation.GELU_TANH, type)),
  /** Elements at places that indices name. */
  INDEX(EnumSet.allOf(DType.class), type -> Stream.of("index_take_" + type, "index_add_" + type)),
  /** Rotary position embedding, by {@link RotaryPairs}. */
  ROPE(
      EnumSet.range(DType.F32, DType.BF16),
      type -> Stream.of(RotaryPairs.values()).map(pairs -> "rope_" + pairs + "_" + type)),
  /** The places of the elements of rows, in their order. */
  ARGSORT(
      EnumSet.allOf(DType.class),
      type -> Stream.of("argsort_tiles_" + type, "argsort_step_" + type)),
  /** {@code out} = a value of each line, by {@link Reduction}. */
  REDUCE(
      EnumSet.allOf(DType.class),
      type ->
          Stream.of("reduce_sum_", "reduce_extreme_", "reduce_arg_")
              .flatMap(stem -> Stream.of(stem + type, stem + type + "_partials"))),
  /** Sums of a line's elements up to each. */
  CUMSUM(EnumSet.allOf(DType.class), type -> Stream.of("cumsum_" + type)),
  /** Rows of exponentials over their sum, and their logarithms. */
  SOFTMAX(
      EnumSet.range(DType.F32, DType.BF16),
      type -> Stream.of("softmax_" + type, "softmax_log_" + type)),
  /** Rows of variance 1, or of mean square 1. */
  NORM(
      EnumSet.range(DType.F32, DType.BF16),
      type -> Stream.of("norm_layer_" + type, "norm_rms_" + type)),
  /** {@code out = x} in another type, where integers wrap. */
  CAST(EnumSet.allOf(DType.class), type -> elementwise("cast_to", DType.values(), type)),
  /** {@code out = x} in an integer type, with its limits for what lies beyond. */
  SATURATE(
      EnumSet.complementOf(EnumSet.of(DType.U8)),
      type -> elementwise("saturate_to", DType.integers().toArray(), type)),
  /** {@code out = x * scale + shift}. */
  AFFINE(EnumSet.allOf(DType.class), type -> elementwise("affine", type)),
  /** {@code out = x} and {@code out = value}, each unit for all types of its size. */
  COPY(
      List.of(DType.U8, DType.F16, DType.U32, DType.I64),
      type ->
          Stream.of(
              "copy_" + type,
              "copy_" + type + "_strided",
              "copy_" + type + "_transposed",
              "fill_" + type,
              "fill_" + type + "_strided")),
  /** Elements of images that are moved, each unit for all types of its size, by {@link Images}. */
  IMAGE(
      List.of(DType.U8, DType.F16, DType.U32, DType.I64),
      type -> Stream.of("im2col_" + type, "upsample_" + type)),
  /** The largest elements and the averages of windows of images, by {@link Images}. */
  POOL(
      EnumSet.range(DType.F32, DType.BF16),
      type -> Stream.of("pool_max_" + type, "pool_average_" + type));

  private static final String MAIN =
      """
      // SPDX-License-Identifier: Apache-2.0
      #include <hip/hip_runtime.h>

      #define KCACHE_TYPE %s
      #include "%s"
      """;

  private static final Pattern INCLUDE = Pattern.compile("(?m)^#include \"(.+)\"$");

  /** The names of the kernels of each unit, by its type. */
  @SuppressWarnings("ImmutableEnumChecker") // Only the constructor changes it.
  private final Map<String, List<String>> kernels = new LinkedHashMap<>();

  Family(Collection<?> types, Function<String, Stream<String>> kernelsOf) {
    for (Object type : types) {
      kernels.put(type.toString(), kernelsOf.apply(type.toString()).toList());
    }
  }

  private static EnumSet<DType> floatingPoint() {
    return EnumSet.of(DType.F32, DType.F64, DType.F16, DType.BF16);
  }

  private static Stream<String> elementwise(
      String family, UnaryOperation first, UnaryOperation last, String type) {
    return elementwise(family, EnumSet.range(first, last).toArray(), type);
  }

  private static Stream<String> elementwise(String family, Object[] operations, String type) {
    return Stream.of(operations).flatMap(operation -> elementwise(family + "_" + operation, type));
  }

  /** Returns the names of the kernels for contiguous and for strided operands. */
  private static Stream<String> elementwise(String stem, String type) {
    return Stream.of(stem + "_" + type, stem + "_" + type + "_strided");
  }

  /** {@return the name of the file, such as {@code binary.hip}} */
  public String file() {
    return this + ".hip";
  }

  /** Reads the file and what it includes, and returns the units. */
  List<KernelUnit> units() {
    Map<String, String> files = new TreeMap<>();
    read(file(), files);
    return kernels.keySet().stream().map(type -> unit(type, files)).toList();
  }

  /**
   * Reads the file and what it includes, and returns the unit that has a kernel.
   *
   * @throws IllegalArgumentException if none has
   */
  KernelUnit unitOf(String kernel) {
    String type =
        kernels.entrySet().stream()
            .filter(unit -> unit.getValue().contains(kernel))
            .findFirst()
            .map(Map.Entry::getKey)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "the family %s has no kernel %s".formatted(this, kernel)));
    Map<String, String> files = new TreeMap<>();
    read(file(), files);
    return unit(type, files);
  }

  /**
   * Returns the text of a unit's main file. It names the type, and no option does: so all units
   * have the same options, for which HIP's header is precompiled once. That serves files that begin
   * with its include, and of whose own headers none has the name of one that HIP's includes.
   */
  String mainFile(String type) {
    return MAIN.formatted(type, file());
  }

  private KernelUnit unit(String type, Map<String, String> files) {
    KernelSource main = KernelSource.of(this + "_" + type + ".hip", mainFile(type));
    return new KernelUnit(this, type, main.withHeaders(files), requireNonNull(kernels.get(type)));
  }

  private static void read(String name, Map<String, String> files) {
    if (!files.containsKey(name)) {
      String text = read(name);
      files.put(name, text);
      INCLUDE.matcher(text).results().forEach(include -> read(include.group(1), files));
    }
  }

  private static String read(String name) {
    try (InputStream file = Family.class.getResourceAsStream(name)) {
      return new String(requireNonNull(file, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the name as files and kernels carry it, such as {@code binary}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
