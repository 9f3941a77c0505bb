// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;

import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.ProcessorFamily;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Prints processors and families, for people. */
final class TargetsReport {
  /** They tell the kind of machine and nothing of the processor. */
  private static final Set<String> KINDS = Set.of("dgpu-all", "igpu-all", "dcgpu-all");

  private final PrintStream out;

  /** Creates a report that prints to {@code out}. */
  TargetsReport(PrintStream out) {
    this.out = out;
  }

  /** Prints a table of the processors, then one of their families. */
  void print(KnownTargets known) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("processor", "features", "compiles", "present", "families", "products"));
    known.processors().forEach(processor -> rows.add(row(known, processor)));
    Text.table(rows).forEach(out::println);
    List<List<String>> families = new ArrayList<>();
    families.add(List.of("family", "processors"));
    known
        .families()
        .forEach(family -> families.add(List.of(family.name(), words(family.processors()))));
    if (families.size() > 1) {
      out.println();
      Text.table(families).forEach(out::println);
    }
  }

  private static List<String> row(KnownTargets known, Processor processor) {
    return List.of(
        processor.toString(),
        words(processor.features()),
        known.compiles(processor).map(compiles -> compiles ? "yes" : "no").orElse("?"),
        known.present(processor).map(Object::toString).orElse("-"),
        words(
            ProcessorFamily.of(processor).stream()
                .map(ProcessorFamily::name)
                .filter(name -> !KINDS.contains(name))
                .toList()),
        processor.isGeneric()
            ? "members: " + words(processor.members())
            : joined(ProcessorFamily.products(processor), ", "));
  }

  private static String words(Collection<?> words) {
    return joined(words, " ");
  }

  private static String joined(Collection<?> parts, String separator) {
    return parts.isEmpty() ? "-" : parts.stream().map(Object::toString).collect(joining(separator));
  }
}
