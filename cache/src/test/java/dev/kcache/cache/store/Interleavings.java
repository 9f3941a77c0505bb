// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.Turns.Schedule;
import dev.kcache.cache.store.Turns.Switch;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Runs a scenario in many interleavings, each on a directory of its own, and has each judged. */
final class Interleavings {
  private final Path root;
  private final StoreScenario scenario;
  private final List<List<Integer>> orders;
  private int runs;
  private int longest;
  private int overlooked;

  /** Fills the directory. */
  interface Before {
    void fill(StoreRun run) throws IOException;
  }

  Interleavings(Path root, StoreScenario scenario) {
    this.root = root;
    this.scenario = scenario;
    orders = orders(scenario.scripts().size());
  }

  /** Runs all interleavings in which at most that many steps go to another actor unasked. */
  void runAll(int switches) throws Exception {
    for (List<Integer> order : orders) {
      runAll(new Schedule(order, List.of()), switches);
    }
  }

  private void runAll(Schedule schedule, int more) throws Exception {
    List<BitSet> others = run(schedule);
    if (more == 0) {
      return;
    }
    List<Switch> done = schedule.switches();
    int from = done.isEmpty() ? 0 : done.get(done.size() - 1).step() + 1;
    for (int step = from; step < others.size(); step++) {
      for (int other : others.get(step).stream().toArray()) {
        List<Switch> switches = new ArrayList<>(done);
        switches.add(new Switch(step, other));
        runAll(new Schedule(schedule.order(), switches), more - 1);
      }
    }
  }

  /** Runs one interleaving with any number of switches. */
  void runAny(Random random) throws Exception {
    List<Integer> order = orders.get(random.nextInt(orders.size()));
    List<Switch> switches = new ArrayList<>();
    int step = -1;
    int likely = 1 + random.nextInt(longest);
    while (step < longest) {
      step += 1 + random.nextInt(likely);
      switches.add(new Switch(step, random.nextInt(order.size())));
    }
    run(new Schedule(order, switches));
  }

  private List<BitSet> run(Schedule schedule) throws Exception {
    Turns turns = Turns.of(schedule);
    StoreRun run = new StoreRun(root, turns);
    scenario.fill(run);
    run.run(scenario.scripts());
    runs++;
    longest = Math.max(longest, turns.others().size());
    Optional<String> broken = run.broken();
    if (broken.isPresent()) {
      throw new AssertionError("run " + runs + " of " + scenario + ":\n" + broken.get());
    }
    overlooked += run.overlooked();
    delete(root);
    return turns.others();
  }

  private static List<List<Integer>> orders(int actors) {
    List<List<Integer>> orders = new ArrayList<>(List.of(List.of()));
    for (int i = 0; i < actors; i++) {
      List<List<Integer>> longer = new ArrayList<>();
      for (List<Integer> order : orders) {
        for (int at = 0; at <= order.size(); at++) {
          List<Integer> with = new ArrayList<>(order);
          with.add(at, i);
          longer.add(with);
        }
      }
      orders = longer;
    }
    return orders;
  }

  @Override
  public String toString() {
    return "%d runs of up to %d steps, %d overlooked".formatted(runs, longest, overlooked);
  }

  /** Deletes a directory with all that is in it. */
  static void delete(Path directory) throws IOException {
    Files.walkFileTree(directory, new Cleaner());
  }

  private static final class Cleaner extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
        throws IOException {
      Files.delete(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
