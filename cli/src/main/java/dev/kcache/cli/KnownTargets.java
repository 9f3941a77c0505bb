// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.ProcessorFamily;
import dev.kcache.codeobject.TargetId;
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
record KnownTargets(
    List<Processor> processors,
    Map<Platform, Set<Processor>> compiled,
    Optional<List<TargetId>> devices) {

  /** Returns whether the compiler makes code for a processor, if that is known. */
  Optional<Boolean> compiles(Processor processor) {
    return Optional.ofNullable(compiled.get(processor.platform()))
        .map(set -> set.contains(processor));
  }

  /** Returns how many GPUs have a processor, if that is known. */
  Optional<Long> present(Processor processor) {
    return devices.map(
        all -> all.stream().filter(device -> device.processor() == processor).count());
  }

  /** Returns the families, whole, to which any of the processors belongs. */
  List<ProcessorFamily> families() {
    return ProcessorFamily.all().stream()
        .filter(family -> !Collections.disjoint(family.processors(), processors))
        .toList();
  }

  /** Writes everything that is known of the processors, then their families. */
  void writeTo(Json json) {
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
}
