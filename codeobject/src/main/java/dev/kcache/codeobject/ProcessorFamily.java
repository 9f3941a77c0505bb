// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A named group of processors, such as {@code gfx94X-dcgpu} or {@code dgpu-all}: what TheRock,
 * AMD's build of ROCm, names its packages after.
 *
 * @param name as TheRock writes it
 * @param processors the members, in the order of {@link Processor}
 */
public record ProcessorFamily(String name, List<Processor> processors) {
  /**
   * Per processor the families that it belongs to, and the products that have it; from the calls of
   * {@code therock_add_amdgpu_target} in <a
   * href="https://github.com/ROCm/TheRock/blob/main/cmake/therock_amdgpu_targets.cmake">TheRock's
   * list of targets</a>. Not in it: {@code gpu-generic}, which is SPIR-V and not one processor's
   * code. The families {@code gfx90X-*} are those of its older releases.
   */
  private static final String TABLE =
      """
      gfx900:  dgpu-all gfx900-dgpu: Vega 10, MI25
      gfx906:  dgpu-all gfx906-dgpu gfx90X-all gfx90X-dgpu: Radeon VII, MI50
      gfx908:  dcgpu-all gfx908-dcgpu gfx90X-all gfx90X-dcgpu: MI100
      gfx90a:  dcgpu-all gfx90a-dcgpu gfx90X-all gfx90X-dcgpu: MI210, MI250
      gfx90c:  igpu-all gfx90c-igpu: Renoir, Lucienne, Cezanne
      gfx942:  dcgpu-all gfx94X-all gfx94X-dcgpu: MI300A, MI300X
      gfx950:  dcgpu-all gfx950-all gfx950-dcgpu: MI350X, MI355X
      gfx1010: dgpu-all gfx101X-all gfx101X-dgpu: RX 5700
      gfx1011: dgpu-all gfx101X-all gfx101X-dgpu: Pro V520
      gfx1012: dgpu-all gfx101X-all gfx101X-dgpu: RX 5500
      gfx1030: dgpu-all gfx103X-all gfx103X-dgpu: RX 6800, RX 6800 XT
      gfx1031: dgpu-all gfx103X-all gfx103X-dgpu: RX 6700, RX 6700 XT
      gfx1032: dgpu-all gfx103X-all gfx103X-dgpu: RX 6600
      gfx1033: igpu-all gfx103X-all gfx103X-igpu: Van Gogh
      gfx1034: dgpu-all gfx103X-all gfx103X-dgpu: RX 6500 XT
      gfx1035: igpu-all gfx103X-all gfx103X-igpu: 680M
      gfx1036: igpu-all gfx103X-all gfx103X-igpu: Raphael
      gfx1100: dgpu-all gfx110X-all gfx110X-dgpu: RX 7900 XTX
      gfx1101: dgpu-all gfx110X-all gfx110X-dgpu: RX 7800 XT
      gfx1102: dgpu-all gfx110X-all gfx110X-dgpu: RX 7700S, Framework Laptop 16
      gfx1103: igpu-all gfx110X-all gfx110X-igpu: 780M
      gfx1150: igpu-all gfx115X-all gfx115X-igpu: Strix Point
      gfx1151: igpu-all gfx115X-all gfx115X-igpu: Strix Halo
      gfx1152: igpu-all gfx115X-all gfx115X-igpu: Krackan 1
      gfx1153: igpu-all gfx115X-all gfx115X-igpu: 820M
      gfx1170: igpu-all gfx117X-all gfx117X-igpu:
      gfx1200: dgpu-all gfx120X-all: RX 9060, RX 9060 XT
      gfx1201: dgpu-all gfx120X-all: RX 9070, RX 9070 XT
      gfx1250: dcgpu-all gfx125X-all gfx125X-dcgpu: MI450, MI450X, MI455X
      """;

  private static final Map<Processor, List<String>> PRODUCTS = new LinkedHashMap<>();
  private static final List<ProcessorFamily> ALL;
  private static final Map<String, ProcessorFamily> BY_NAME;
  private static final Map<String, Processor> BY_PRODUCT = new LinkedHashMap<>();

  static {
    Map<String, List<Processor>> members = new LinkedHashMap<>();
    for (String line : TABLE.lines().toList()) {
      String[] columns = line.split(":", -1);
      Processor processor = Processor.named(columns[0]).orElseThrow();
      for (String family : columns[1].strip().split(" ", -1)) {
        members.computeIfAbsent(family, name -> new ArrayList<>()).add(processor);
      }
      String products = columns[2].strip();
      PRODUCTS.put(processor, products.isEmpty() ? List.of() : List.of(products.split(", ", -1)));
    }
    ALL =
        members.entrySet().stream()
            .map(e -> new ProcessorFamily(e.getKey(), e.getValue()))
            .toList();
    BY_NAME =
        ALL.stream()
            .collect(toUnmodifiableMap(family -> lowerCase(family.name), Function.identity()));
    PRODUCTS.forEach(
        (processor, products) ->
            products.forEach(product -> BY_PRODUCT.put(productKey(product), processor)));
  }

  /**
   * Copies the list.
   *
   * @param name as TheRock writes it
   * @param processors the members, in the order of {@link Processor}
   */
  public ProcessorFamily {
    processors = List.copyOf(processors);
  }

  /** {@return every family, in the order of their first members} */
  public static List<ProcessorFamily> all() {
    return ALL;
  }

  /**
   * {@return the family of that name, in any case, if there is one}
   *
   * @param name such as {@code gfx94X-dcgpu}
   */
  public static Optional<ProcessorFamily> named(String name) {
    requireNonNull(name, "name");
    return Optional.ofNullable(BY_NAME.get(lowerCase(name)));
  }

  /**
   * {@return the families that {@code processor} belongs to; often none}
   *
   * @param processor one of AMD's; NVIDIA's belong to none
   */
  public static List<ProcessorFamily> of(Processor processor) {
    requireNonNull(processor, "processor");
    return ALL.stream().filter(family -> family.processors.contains(processor)).toList();
  }

  /**
   * {@return the processor of a product such as {@code MI300X} or {@code AMD Radeon RX 7900 XTX},
   * if it is known; case, blanks, dashes and the maker's own words do not matter}
   *
   * @param product as its maker or a shop writes it
   */
  public static Optional<Processor> processorOf(String product) {
    requireNonNull(product, "product");
    return Optional.ofNullable(BY_PRODUCT.get(productKey(product)));
  }

  /**
   * {@return the products known to have {@code processor}; often not all of them, or none}
   *
   * @param processor one of AMD's; none are known for NVIDIA's
   */
  public static List<String> products(Processor processor) {
    requireNonNull(processor, "processor");
    return PRODUCTS.getOrDefault(processor, List.of());
  }

  /** Returns the names of all families, then those of all products. */
  static Stream<String> namesAndProducts() {
    return Stream.concat(
        ALL.stream().map(ProcessorFamily::name), PRODUCTS.values().stream().flatMap(List::stream));
  }

  private static String lowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static String productKey(String product) {
    return lowerCase(product).replaceAll("\\b(amd|radeon|instinct|graphics)\\b|[\\s_-]", "");
  }
}
