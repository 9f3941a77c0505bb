// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.age;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.torture.Torture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Collections beside those who read and write, and ones that are killed. {@code
 * -Dkcache.tests.evictionSeconds=60} has the first take a minute and tell what it did.
 */
@Timeout(300)
class EvictionUnderLoadTest extends StoreTestBase {
  private static final int SIGKILLED = 128 + 9;
  private static final String SECONDS = "kcache.tests.evictionSeconds";
  private static final int READERS = 8;
  private static final int COLLECTORS = 2;
  private static final int IN_USE = 8;
  private static final int ALL = 40;

  /** A record with its directory, and a code object. */
  private static final long ENTRY_BYTES = 3 * 4096;

  /** Reads without a note of the use, so that what is old stays so. */
  private DiskStore bystander;

  @BeforeEach
  void openBystander() {
    bystander = DiskStore.open(root, Access.LAYER);
  }

  @Test
  void collections_besideReadersAndAWriter_failNoReadOfWhatIsInUse() throws Exception {
    for (int i = 0; i < ALL; i++) {
      put(i, i < IN_USE ? Duration.ofHours(2) : Duration.ofDays(1 + i));
    }
    int seconds = Integer.getInteger(SECONDS, 2);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    LongAdder hits = new LongAdder();
    LongAdder misses = new LongAdder();
    LongAdder evicted = new LongAdder();
    // A loaded machine may evict nothing for seconds.
    BooleanSupplier goesOn =
        () -> System.nanoTime() < end || misses.sum() == 0 || evicted.sum() == 0;
    ExecutorService threads = Executors.newCachedThreadPool();
    try (ChildJvm other = ChildJvm.start("read", root.toString(), Integer.toString(IN_USE))) {
      other.awaitLine("reads");
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        int first = i;
        tasks.add(() -> read(first, goesOn, hits, misses));
      }
      for (int i = 0; i < COLLECTORS; i++) {
        tasks.add(() -> collect(goesOn, evicted));
      }
      tasks.add(() -> write(goesOn));
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
      other.end();
      assertThat(other.awaitExit()).isZero();
    } finally {
      threads.shutdownNow();
    }
    assertThat(misses.sum()).as("misses of what was evicted").isPositive();
    assertThat(evicted.sum()).isPositive();
    assertThat(store.quarantined() + bystander.quarantined()).isZero();
    if (System.getProperty(SECONDS) != null) {
      System.out.printf(
          "%d s: %d hits, %d misses of what was evicted, %d entries evicted, no failed read%n",
          seconds, hits.sum(), misses.sum(), evicted.sum());
    }
  }

  /** Reads one that is in use and one that is not, in turns. */
  private Void read(int first, BooleanSupplier goesOn, LongAdder hits, LongAdder misses) {
    for (int i = first; goesOn.getAsBoolean(); i++) {
      int used = i % IN_USE;
      assertThat(serves(store, used)).as("an entry in use").isTrue();
      hits.increment();
      int other = IN_USE + i % (ALL - IN_USE);
      (serves(bystander, other) ? hits : misses).increment();
    }
    return null;
  }

  private Void collect(BooleanSupplier goesOn, LongAdder evicted) throws IOException {
    while (goesOn.getAsBoolean()) {
      evicted.add(collector().collect(limit(), List.of(), () -> false).entriesRemoved());
    }
    return null;
  }

  /** Compiles, so to speak, what was evicted, and lets it grow old at once. */
  private Void write(BooleanSupplier goesOn) throws IOException {
    for (int i = 0; goesOn.getAsBoolean(); i++) {
      int number = IN_USE + i % (ALL - IN_USE);
      try {
        put(number, Duration.ofDays(1 + number));
      } catch (NoSuchFileException e) {
        // It was evicted before it could grow old.
        assertThat(e.getFile()).containsPattern("\\.(json|co)$");
      }
    }
    return null;
  }

  @Test
  @Tag(Torture.TAG)
  void collect_killedBeforeEachRemoval_leavesWhatHasARecordAndTheNextGoesOn() throws Exception {
    int kills = 0;
    int status = SIGKILLED;
    while (status == SIGKILLED) {
      for (int i = 0; i < 3; i++) {
        put(i, Duration.ofHours(2 + i));
      }
      Files.delete(record(2));
      Files.delete(record(2).getParent());
      age(image(2), Duration.ofDays(1));
      long limit = directories() + 2 * ENTRY_BYTES - 1;
      try (ChildJvm child = ChildJvm.start("collect", root.toString(), limit + "", kills + "")) {
        status = child.awaitExit();
      }
      assertEachRecordServes();
      assertThat(serves(bystander, 0)).isTrue();
      // What it was killed in is a block too much for this, and what is to stay nine tenths of it.
      long limitOfOne = (directories() + ENTRY_BYTES) / 9 * 10 + 10;
      collector().collect(limit(limitOfOne), List.of(), () -> false);
      assertThat(serves(bystander, 0)).isTrue();
      assertThat(List.of(record(1), image(1), image(2))).noneMatch(Files::exists);
      kills++;
    }
    assertThat(status).isZero();
    assertThat(kills)
        .as("record, its directory, clock, two code objects, target's directory, and to the end")
        .isEqualTo(7);
  }

  /** Returns what the target's directory and the list take. */
  private static long directories() {
    return 2 * 4096;
  }

  private void assertEachRecordServes() {
    for (int i = 0; i < 3; i++) {
      assertThat(serves(bystander, i)).isEqualTo(Files.exists(record(i)));
      if (Files.exists(record(i))) {
        assertThat(store.dependencies(kernel(i).entry())).isPresent();
      }
    }
    assertThat(store.quarantined() + bystander.quarantined()).isZero();
  }

  private Evictor collector() {
    FileOperations files = new FileOperations();
    EntryRemover remover = new EntryRemover(directory, files, Access.PRIVATE, Thread::yield);
    return new Evictor(directory, files, Access.PRIVATE, remover);
  }

  /** Room for what is in use and for a few more. */
  private static EvictionPolicy limit() {
    return limit((IN_USE + 12) * ENTRY_BYTES);
  }

  private static EvictionPolicy limit(long bytes) {
    return new EvictionPolicy(OptionalLong.of(bytes), Optional.empty());
  }
}
