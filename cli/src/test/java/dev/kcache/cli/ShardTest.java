// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ShardTest {
  private static final List<TargetId> TARGETS = TargetId.parseAll("dgpu-all");

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 200})
  void parts_areDisjointCompleteAndEqual(int count) {
    List<Task> tasks = tasks("a/");
    Set<Task> seen = new HashSet<>();
    for (int number = 1; number <= count; number++) {
      List<Task> part = new Shard(number, count).of(tasks);

      assertThat(part).hasSizeBetween(tasks.size() / count, tasks.size() / count + 1);
      assertThat(tasks.stream().filter(part::contains).toList()).isEqualTo(part);
      part.forEach(task -> assertThat(seen.add(task)).isTrue());
    }

    assertThat(seen).hasSameSizeAs(tasks);
  }

  @Test
  void part_isTheSameWhateverTheOrderAndThePlace() {
    List<Task> elsewhere = new ArrayList<>(tasks("/somewhere/else/"));
    Collections.shuffle(elsewhere, new Random(1));

    assertThat(work(new Shard(2, 8).of(elsewhere)))
        .isEqualTo(work(new Shard(2, 8).of(tasks("a/"))))
        .hasSizeGreaterThan(10);
  }

  private static Set<String> work(List<Task> tasks) {
    Set<String> work = new HashSet<>();
    tasks.forEach(task -> work.add(task.source().digest() + " " + task.target()));
    return work;
  }

  private static List<Task> tasks(String directory) {
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      KernelSource source =
          KernelSource.of("k" + i + ".hip", "extern \"C\" __global__ void k" + i + "() {}\n");
      Task.Source named = new Task.Accepted(directory + source.name(), source);
      TARGETS.forEach(target -> tasks.add(new Task(named, target)));
    }
    return tasks;
  }
}
