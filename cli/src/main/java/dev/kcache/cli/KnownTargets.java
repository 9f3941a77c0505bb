// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.ProcessorFamily;
import dev.kcache.codeobject.TargetId;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Some processors, and what is known of them on this machine.
 *
 * @param processors the processors, in the order to show them
 * @param compiled those that the compiler makes code for; empty if there is none to ask
 * @param devices the target of each GPU of this machine; empty if they can't be told
 */
record KnownTargets(
    List<Processor> processors,
    Optional<Set<Processor>> compiled,
    Optional<List<TargetId>> devices) {

  /** Returns whether the compiler makes code for a processor, if that is known. */
  Optional<Boolean> compiles(Processor processor) {
    return compiled.map(set -> set.contains(processor));
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
}
