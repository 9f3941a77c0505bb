// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.TargetId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The option {@code --arch} of the verbs that take any number of targets. */
final class TargetsOption {
  static final String OF_ENTRIES = "Only the entries for these targets. Repeatable.";

  private final Argument<List<Group>> groups;

  /** What one {@code --arch} stands for. picocli would flatten a list. */
  private record Group(List<TargetId> targets) {}

  TargetsOption(Arguments arguments, String description) {
    groups =
        arguments.options(
            "--arch", "TARGET", text -> new Group(Converters.targets(text)), description);
  }

  /** Returns the targets, each once, in the order given; none if the option isn't. */
  Set<TargetId> targets() {
    Set<TargetId> targets = new LinkedHashSet<>();
    groups.value().forEach(group -> targets.addAll(group.targets()));
    return targets;
  }

  /** Returns the targets of a source: the option's, else its manifest's, else one more. */
  Set<TargetId> targets(Task.Source source, Supplier<TargetId> other) {
    Set<TargetId> targets = targets();
    if (targets.isEmpty()) {
      targets.addAll(source.targets());
    }
    if (targets.isEmpty()) {
      targets.add(other.get());
    }
    return targets;
  }
}
