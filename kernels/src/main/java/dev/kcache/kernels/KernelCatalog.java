// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.KernelSource;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The kernels that ship with kcache, which {@link Operations} launches. Each {@link Family} is a
 * file of HIP, and each {@link KernelUnit} of it a unit of compilation for one element type, so
 * that a program which computes with one type compiles little.
 *
 * <p>The kernels can be launched by hand, too:
 *
 * <pre>{@code
 * KernelSource source = KernelCatalog.load().sourceOf("binary_add_f32").orElseThrow();
 * kernels
 *     .kernel(source, "binary_add_f32")
 *     .launch(
 *         LaunchConfig.covering(n, 256), stream, KernelArguments.of((long) n, left, right, out));
 * }</pre>
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class KernelCatalog {
  private final List<KernelUnit> units;
  private final Map<String, KernelUnit> unitsByKernel = new LinkedHashMap<>();

  private KernelCatalog(List<KernelUnit> units) {
    this.units = units;
    for (KernelUnit unit : units) {
      unit.kernels().forEach(kernel -> unitsByKernel.put(kernel, unit));
    }
  }

  /**
   * Reads the whole catalogue from this module's resources. Compiles nothing.
   *
   * @return a new catalogue, each of whose sources is read already
   */
  public static KernelCatalog load() {
    return load(EnumSet.allOf(Family.class));
  }

  /**
   * Reads some families from this module's resources. Compiles nothing.
   *
   * @param families which ones
   * @return a new catalogue of these families, each of whose sources is read already
   */
  public static KernelCatalog load(Collection<Family> families) {
    requireNonNull(families, "families");
    return new KernelCatalog(
        families.stream().distinct().sorted().flatMap(family -> family.units().stream()).toList());
  }

  /** {@return the units of compilation, in the order of {@link Family} and then of types} */
  public List<KernelUnit> units() {
    return units;
  }

  /**
   * {@return the unit that holds a kernel, or empty if none has one of that name}
   *
   * @param kernel such as {@code binary_add_f32}
   */
  public Optional<KernelUnit> unitOf(String kernel) {
    requireNonNull(kernel, "kernel");
    return Optional.ofNullable(unitsByKernel.get(kernel));
  }

  /**
   * {@return the source that holds a kernel, or empty if none has one of that name}
   *
   * @param kernel such as {@code binary_add_f32}
   */
  public Optional<KernelSource> sourceOf(String kernel) {
    return unitOf(kernel).map(KernelUnit::source);
  }
}
