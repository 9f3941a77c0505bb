// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The kernels that a fault can be blamed on: those that kcache launched and that were not known to
 * be over.
 *
 * @param kernels their names, each once
 * @param lost how many launches before those may not be over either; their names are lost
 */
public record Suspects(List<String> kernels, long lost) {
  /** Nothing to blame. */
  public static final Suspects NONE = new Suspects(List.of(), 0);

  /** Copies the list. */
  public Suspects {
    kernels = List.copyOf(kernels);
  }

  /** Returns whether there is none. */
  public boolean isEmpty() {
    return kernels.isEmpty() && lost == 0;
  }

  Suspects and(Suspects others) {
    Set<String> all = new LinkedHashSet<>(kernels);
    all.addAll(others.kernels);
    return new Suspects(List.copyOf(all), lost + others.lost);
  }

  /** Returns, in the words of a message, what was in flight. */
  public String describe() {
    if (isEmpty()) {
      return "kcache had no kernel in flight there";
    }
    String names = String.join(", ", kernels);
    if (lost > 0) {
      return "the kernels in flight were " + names + " and " + lost + " earlier launches";
    }
    return kernels.size() == 1
        ? "the kernel in flight was " + names
        : "the kernels in flight were " + names;
  }
}
