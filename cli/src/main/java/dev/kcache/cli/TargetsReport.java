// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.ProcessorFamily;
import dev.kcache.codeobject.TargetId;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Some processors, and what is known of them on this machine.
 *
 * @param processors the processors, in the order to show them
 * @param compiled the processors that the compiler of each platform compiles for; none for a
 *     platform without a compiler
 * @param devices the target of each GPU of this machine; empty if they are unknown
 */
record TargetsReport(
    List<Processor> processors,
    Map<Platform, Set<Processor>> compiled,
    Optional<List<TargetId>> devices)
    implements Report {
  /** They tell the kind of machine and nothing of the processor. */
  private static final Set<String> KINDS = Set.of("dgpu-all", "igpu-all", "dcgpu-all");

  /** Returns whether the compiler makes code for a processor, if that is known. */
  private Optional<Boolean> compiles(Processor processor) {
    return Optional.ofNullable(compiled.get(processor.platform()))
        .map(set -> set.contains(processor));
  }

  /** Returns how many GPUs have a processor, if that is known. */
  private Optional<Long> present(Processor processor) {
    return devices.map(
        all -> all.stream().filter(device -> device.processor() == processor).count());
  }

  /** Returns the families, whole, to which any of the processors belongs. */
  private List<ProcessorFamily> families() {
    return ProcessorFamily.all().stream()
        .filter(family -> !Collections.disjoint(family.processors(), processors))
        .toList();
  }

  @Override
  public void writeTo(Json json) {
    json.objects("processors", processors, this::write)
        .objects(
            "families",
            families(),
            (family, each) ->
                each.put("name", family.name()).put("processors", family.processors()));
  }

  private void write(Processor processor, Json json) {
    json.put("processor", processor)
        .put("features", processor.features())
        .put("generic", processor.generic())
        .put("members", processor.members())
        .put("families", ProcessorFamily.of(processor).stream().map(ProcessorFamily::name).toList())
        .put("products", ProcessorFamily.products(processor))
        .put("compiles", compiles(processor))
        .put("present", present(processor));
  }

  @Override
  public void print(PrintStream out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("processor", "features", "compiles", "present", "families", "products"));
    processors.forEach(processor -> rows.add(row(processor)));
    Text.table(rows).forEach(out::println);
    List<List<String>> families = new ArrayList<>();
    families.add(List.of("family", "processors"));
    families().forEach(family -> families.add(List.of(family.name(), words(family.processors()))));
    if (families.size() > 1) {
      out.println();
      Text.table(families).forEach(out::println);
    }
  }

  private List<String> row(Processor processor) {
    return List.of(
        processor.toString(),
        words(processor.features()),
        compiles(processor).map(compiles -> compiles ? "yes" : "no").orElse("?"),
        present(processor).map(Object::toString).orElse("-"),
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
