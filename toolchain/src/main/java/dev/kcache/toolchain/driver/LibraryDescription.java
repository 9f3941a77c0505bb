// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.stream.Collectors.toCollection;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the program of a {@link CompilerLibrary} says of it.
 *
 * @param version the version of HIP; empty if it told none
 * @param libraries the files that decide what it makes
 * @param processors those that it compiles for and that are known here
 * @param candidates those that it may compile for and that are known here
 * @param identifiers what else tells it from others
 */
record LibraryDescription(
    String version,
    List<String> libraries,
    Set<Processor> processors,
    Set<Processor> candidates,
    List<String> identifiers) {

  /** Reads what the program printed. Whatever else a library prints is passed over. */
  static LibraryDescription parse(String printed) {
    return new LibraryDescription(
        values(printed, "version").stream().findFirst().orElse(""),
        values(printed, "library"),
        processors(printed, "processor"),
        processors(printed, "candidate"),
        values(printed, "identifier"));
  }

  /** Returns the known ones of those that were printed as something. */
  static Set<Processor> processors(String printed, String key) {
    Set<String> names = Set.copyOf(values(printed, key));
    return Platform.AMD.processors().stream()
        .filter(processor -> names.contains(processor.toString()))
        .collect(toCollection(() -> EnumSet.noneOf(Processor.class)));
  }

  private static List<String> values(String printed, String key) {
    List<String> values = new ArrayList<>();
    printed
        .lines()
        .filter(line -> line.startsWith(key + "\t"))
        .forEach(line -> values.add(line.substring(key.length() + 1)));
    return values;
  }
}
