// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.KernelSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The kernels that ship with kcache.
 *
 * <p>There is one family so far, <b>binary</b>: {@code out[i] = left[i] op right[i]} for every
 * {@link BinaryOperation}, {@link ElementType} and {@link OperandLayout}. A contiguous kernel takes
 * {@code (int64 count, left, right, out)}; a strided one takes, by value and in the place of the
 * count, a struct of 26 {@code int64}: the count, the rank (at most {@value #MAX_RANK}), and
 * {@value #MAX_RANK} extents, strides of the left and strides of the right operand, in elements,
 * the outermost dimension first; a stride of 0 broadcasts. Any one-dimensional launch is right.
 * What the results are for NaN, zeros, overflow and division by zero is the same on every target
 * and stands in {@code binary.h}, beside the kernels.
 *
 * <pre>{@code
 * BinaryKernel add =
 *     new BinaryKernel(BinaryOperation.ADD, ElementType.F32, OperandLayout.CONTIGUOUS);
 * KernelSource source = KernelCatalog.load().sourceOf(add.name()).orElseThrow();
 * kernels
 *     .kernel(source, add.name())
 *     .launch(
 *         LaunchConfig.covering(n, 256), stream, KernelArguments.of((long) n, left, right, out));
 * }</pre>
 *
 * <p>A source is a unit of compilation: it holds the kernels of one family and one element type, so
 * that a program which computes with one type compiles one file.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class KernelCatalog {
  /** The most dimensions that a strided kernel takes: {@code max_rank} of {@code binary.h}. */
  public static final int MAX_RANK = 8;

  private final Map<ElementType, KernelSource> sources;
  private final Map<String, BinaryKernel> kernels;

  private KernelCatalog(Map<ElementType, KernelSource> sources, Map<String, BinaryKernel> kernels) {
    this.sources = sources;
    this.kernels = kernels;
  }

  /**
   * Reads the catalogue from this module's resources. Compiles nothing.
   *
   * @return a new catalogue, each of whose sources is read already
   */
  public static KernelCatalog load() {
    Map<ElementType, KernelSource> sources = new EnumMap<>(ElementType.class);
    Map<String, BinaryKernel> kernels = new LinkedHashMap<>();
    for (ElementType type : ElementType.values()) {
      String resource = "binary_" + type + ".hip";
      sources.put(type, KernelSource.resource(KernelCatalog.class, resource));
      for (BinaryKernel kernel : kernelsOf(type)) {
        kernels.put(kernel.name(), kernel);
      }
    }
    return new KernelCatalog(sources, kernels);
  }

  private static List<BinaryKernel> kernelsOf(ElementType type) {
    List<BinaryKernel> kernels = new ArrayList<>();
    for (BinaryOperation operation : BinaryOperation.values()) {
      for (OperandLayout layout : OperandLayout.values()) {
        kernels.add(new BinaryKernel(operation, type, layout));
      }
    }
    return kernels;
  }

  /** {@return every source: the units of compilation, in the order of {@link ElementType}} */
  public List<KernelSource> sources() {
    return List.copyOf(sources.values());
  }

  /** {@return every kernel, in the order of the sources} */
  public List<BinaryKernel> kernels() {
    return List.copyOf(kernels.values());
  }

  /**
   * {@return the source that holds a kernel, or empty if no shipped kernel has that name}
   *
   * @param kernel as {@link BinaryKernel#name} gives it
   */
  public Optional<KernelSource> sourceOf(String kernel) {
    requireNonNull(kernel, "kernel");
    return Optional.ofNullable(kernels.get(kernel)).map(found -> sources.get(found.type()));
  }
}
