// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheResult.Origin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PrewarmRunTest {
  private final Map<Task, CompletableFuture<Outcome>> begun = new LinkedHashMap<>();
  private final List<String> heard = new ArrayList<>();
  private final Stop stop = new Stop();
  private Consumer<Task> whenBegun = task -> {};

  private final PrewarmRun.Observer observer =
      new PrewarmRun.Observer() {
        @Override
        public void started(Task task) {
          heard.add("started " + task.label());
        }

        @Override
        public void finished(Outcome outcome) {
          heard.add(outcome.status() + " " + outcome.task().label());
        }

        @Override
        public void waiting() {}
      };

  @Test
  void run_doesEveryTask() {
    whenBegun = this::complete;
    List<Task> tasks = tasks("a", "b", "c");

    List<Outcome> outcomes = run(tasks, 2, false).run();

    assertThat(outcomes).extracting(Outcome::task).containsExactlyElementsOf(tasks);
    assertThat(heard)
        .containsExactly(
            "started a", "started b", "COMPILED a", "started c", "COMPILED b", "COMPILED c");
  }

  @Test
  void run_neverHasMoreUnderWayThanAllowed() {
    List<Integer> underWay = new ArrayList<>();
    whenBegun =
        task -> {
          long unfinished = begun.values().stream().filter(f -> !f.isDone()).count();
          underWay.add((int) unfinished);
          if (unfinished == 2) {
            begun.keySet().forEach(this::complete);
          }
        };

    run(tasks("a", "b", "c", "d"), 2, false).run();

    assertThat(underWay).containsExactly(1, 2, 1, 2);
  }

  @Test
  void interrupt_keepsWhatIsFinishedAndWaitsForNothing() {
    List<Task> tasks = tasks("a", "b", "c");
    PrewarmRun run = run(tasks, 2, false);
    whenBegun =
        task -> {
          if (task.label().equals("b")) {
            complete(tasks.get(0));
            stop.make();
          }
        };

    List<Outcome> outcomes = run.run();

    assertThat(stop.getAsBoolean()).isTrue();
    assertThat(outcomes).extracting(o -> o.task().label()).containsExactly("a");
    assertThat(heard).containsExactly("started a", "started b", "COMPILED a");
  }

  @Test
  void interrupt_wakesUpARunThatWaits() throws InterruptedException {
    PrewarmRun run = run(tasks("a"), 1, false);
    Thread other = new Thread(stop::make);
    whenBegun = task -> other.start();

    assertThat(run.run()).isEmpty();
    other.join();
  }

  private PrewarmRun run(List<Task> tasks, int parallelism, boolean failFast) {
    return new PrewarmRun(tasks, this::begin, parallelism, failFast, observer, stop);
  }

  private CompletableFuture<Outcome> begin(Task task) {
    begun.put(task, new CompletableFuture<>());
    whenBegun.accept(task);
    return begun.get(task);
  }

  private void complete(Task task) {
    begun.get(task).complete(Fixtures.outcome(task, Origin.COMPILED, Duration.ofSeconds(1)));
  }

  private static List<Task> tasks(String... names) {
    return List.of(names).stream().map(Fixtures::task).toList();
  }
}
