// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.TargetId;
import java.util.List;
import java.util.Optional;

/**
 * The targets whose code objects may serve a request.
 *
 * @param targets looked for in order, at least one; what is missing is compiled for the last
 * @param exact whether nothing else will do: otherwise code for a generic processor is a second
 *     chance where none of the targets is there and no compiler makes one
 */
record Candidates(List<TargetId> targets, boolean exact) {
  Candidates {
    targets = List.copyOf(targets);
  }

  /** Returns the candidates of a request that names its target. */
  static Candidates exactly(TargetId target) {
    return new Candidates(List.of(requireNonNull(target, "target")), true);
  }

  /** Returns the one that what is missing is compiled for. */
  TargetId last() {
    return targets.get(targets.size() - 1);
  }

  /** Returns the targets of the second chance, in order; often none. */
  List<TargetId> generic() {
    return exact
        ? List.of()
        : targets.stream().map(TargetId::generic).flatMap(Optional::stream).distinct().toList();
  }
}
