// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** In which order a prewarm begins its tasks. */
final class TaskOrder {
  private static final Duration UNKNOWN = Duration.ofDays(1);

  private TaskOrder() {}

  /**
   * Returns each source once, then each for another target. A compile for one target finds out
   * about its source what the compiles for the others use.
   *
   * @param bySource the tasks of each source
   */
  static List<Task> inRounds(List<List<Task>> bySource) {
    int most = bySource.stream().mapToInt(List::size).max().orElse(0);
    List<Task> tasks = new ArrayList<>();
    for (int round = 0; round < most; round++) {
      for (int i = 0; i < bySource.size(); i++) {
        List<Task> each = bySource.get(i);
        if (round < each.size()) {
          tasks.add(each.get((i + round) % each.size()));
        }
      }
    }
    return tasks;
  }

  /**
   * Returns first what took longest in an earlier run, so that no core waits for it at the end. An
   * unknown one may be the longest.
   */
  static List<Task> longestFirst(List<Task> tasks, CacheManager cache) {
    if (tasks.size() < 3) {
      return tasks;
    }
    Map<String, Duration> times = new HashMap<>();
    for (CacheUsage.Kernel kernel : cache.maintenance().usage().kernels()) {
      if (kernel.target().isPresent() && kernel.counts().meanCompileTime().isPresent()) {
        String name = kernel.target().get() + " " + kernel.source();
        times.put(name, kernel.counts().meanCompileTime().get());
      }
    }
    return tasks.stream()
        .sorted(
            comparing(
                (Task task) ->
                    times.getOrDefault(task.target() + " " + task.source().name(), UNKNOWN),
                reverseOrder()))
        .toList();
  }
}
