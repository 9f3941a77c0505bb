// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.toUnmodifiableSet;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * One of several equal parts of the work, for machines that share it.
 *
 * <p>Which part a task is in depends on the sources' contents and the targets only, and neither on
 * the order of arguments nor on where the files lie. The parts of one list are disjoint, together
 * they are the list, and their sizes differ by one at most.
 *
 * @param number which part, from 1
 * @param count how many parts there are
 */
record Shard(int number, int count) {
  /** All of the work. */
  static final Shard ALL = new Shard(1, 1);

  /** Returns the tasks of this part, in the order of {@code tasks}. */
  List<Task> of(List<Task> tasks) {
    if (count == 1) {
      return tasks;
    }
    List<Task> sorted =
        tasks.stream()
            .sorted(
                comparing((Task task) -> task.source().digest())
                    .thenComparing(task -> task.target().toString()))
            .toList();
    Set<Task> part =
        IntStream.range(0, sorted.size())
            .filter(i -> i % count == number - 1)
            .mapToObj(sorted::get)
            .collect(toUnmodifiableSet());
    return tasks.stream().filter(part::contains).toList();
  }

  /** Returns the part as a user writes it, such as {@code 2/8}. */
  @Override
  public String toString() {
    return number + "/" + count;
  }
}
