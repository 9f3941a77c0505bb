// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.TargetId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The option {@code --arch} of the verbs that take any number of targets. */
final class TargetsOption {
  private final Argument<List<Group>> groups;

  /** What one {@code --arch} stands for. picocli would flatten a list. */
  private record Group(List<TargetId> targets) {}

  TargetsOption(String... description) {
    groups =
        Argument.options(
            "--arch", "TARGET", text -> new Group(Converters.targets(text)), description);
  }

  /** Returns the option of the verbs that look only at some entries. */
  static TargetsOption ofEntries() {
    return new TargetsOption("Only the entries for these targets. Repeatable.");
  }

  /** Returns the option as the command line has it. */
  Argument<?> argument() {
    return groups;
  }

  /** Returns the targets, each once, in the order given; none if the option isn't. */
  Set<TargetId> targets() {
    Set<TargetId> targets = new LinkedHashSet<>();
    groups.value().forEach(group -> targets.addAll(group.targets()));
    return targets;
  }
}
