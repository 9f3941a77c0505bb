// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.KernelSource;
import dev.kcache.cache.Trace;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which kernels are wanted, and for which targets. */
final class Manifest {
  private Manifest() {}

  /**
   * Reads a trace.
   *
   * @return the sources, each once, with their targets
   * @throws IllegalArgumentException if something in it is wrong
   */
  static List<Task.Source> read(Path path) {
    Map<KernelSource, Set<TargetId>> sources = new LinkedHashMap<>();
    for (Trace.Request request : Trace.read(path)) {
      sources
          .computeIfAbsent(request.source(), added -> new LinkedHashSet<>())
          .add(request.fields().target());
    }
    if (sources.isEmpty()) {
      throw new IllegalArgumentException(
          "trace '" + path + "' has no request; run the application with KCACHE_TRACE first");
    }
    return sources.entrySet().stream()
        .<Task.Source>map(
            each -> new Task.Accepted(each.getKey().name(), each.getKey(), each.getValue()))
        .toList();
  }
}
