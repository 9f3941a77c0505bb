// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.kernels.Family;
import dev.kcache.kernels.KernelCatalog;
import dev.kcache.kernels.KernelUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The option {@code --catalog[=FAMILY,…]}: all that ships with kcache, or some families of it. */
final class CatalogOption {
  static final String NAME = "--catalog";

  private static final List<String> NAMES =
      Stream.of(Family.values()).map(Family::toString).toList();

  private final Argument<Set<Family>> families;

  CatalogOption(Arguments arguments, String description) {
    families =
        arguments.optionWithOptionalValue(NAME, "FAMILY,…", CatalogOption::families, description);
  }

  boolean isGiven() {
    return families.isGiven();
  }

  /** Returns the units of the families that are meant, none if the option is not given. */
  List<KernelUnit> units() {
    return families.isGiven() ? KernelCatalog.load(families.value()).units() : List.of();
  }

  /** Returns the option with a text as its value, if that names nothing but families. */
  static Optional<String> meantBy(String text) {
    return NAMES.containsAll(List.of(text.split(",", -1)))
        ? Optional.of(NAME + "=" + text)
        : Optional.empty();
  }

  private static Set<Family> families(Optional<String> text) {
    return text.map(CatalogOption::families).orElseGet(() -> EnumSet.allOf(Family.class));
  }

  private static Set<Family> families(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(
          "it names no family; write --catalog for all of them, or --catalog=binary for one");
    }
    return Stream.of(text.split(",", -1))
        .map(CatalogOption::family)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Family.class)));
  }

  private static Family family(String name) {
    return Stream.of(Family.values())
        .filter(family -> family.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'%s' is not a family of kernels; %s"
                        .formatted(
                            name,
                            Text.closest(name, NAMES)
                                .map(closest -> "did you mean " + closest + "?")
                                .orElse("there are " + String.join(", ", NAMES)))));
  }
}
