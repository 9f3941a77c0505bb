// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.torture.KillStep.Role;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything at once for a long time, at a pace that leaves the machine usable: threads of this
 * process and other processes share a directory, one of those is killed now and then, a clock is
 * set. Memory, file descriptors and threads of this process stay flat, and the judge content.
 */
@Tag(Torture.TAG)
class SoakTest {
  private static final int SHORT_FORM_SECONDS = 5;
  private static final int THREADS = 4;
  private static final int CREW = 3;
  private static final int SAMPLES = 360;
  private static final long SHORTEST_SAMPLE_MILLIS = 100;
  private static final long SHORTEST_ROUND_MILLIS = 1000;

  /** How long a thread rests after each operation, so that the machine stays usable. */
  private static final Duration PACE = Duration.ofMillis(20);

  /** In one of so many rounds the judge is asked. */
  private static final int JUDGE_EVERY = 3;

  /** In one of so many rounds, and not in the first ones, a real compiler runs. */
  private static final int COMPILE_EVERY = 10;

  private static final long MIB = 1 << 20;

  private final Flatness heap = new Flatness("bytes of heap", 4 * MIB);
  private final Flatness resident = new Flatness("kB resident", 32 << 10);
  private final Flatness descriptors = new Flatness("file descriptors", 5);
  private final Flatness threads = new Flatness("threads", 5);
  private final int seconds = Torture.seconds(SHORT_FORM_SECONDS);
  private final List<Future<?>> working = new ArrayList<>();

  @TempDir Path place;
  private Path root;
  private Judge judge;
  private volatile boolean over;
  private int kills;
  private int compiles;

  @BeforeEach
  void prepare() throws IOException {
    root = place.resolve("cache");
    judge = new Judge(root, place);
    KnownCompiler.describe(place.resolve("known"));
  }

  @Test
  void everythingAtOnce_staysRightAndFlat() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try (Crew crew = new Crew(root, place, PACE.multipliedBy(2), CREW);
        SoakLoad load = new SoakLoad(root, place.resolve("served").resolve("soak"));
        CacheManager real = manager(place.resolve("real"))) {
      for (int i = 0; i < THREADS; i++) {
        Random random = Torture.random(i);
        working.add(executor.submit(() -> work(load, random)));
      }
      soak(crew, load, real, Torture.random(THREADS));
      over = true;
      for (Future<?> each : working) {
        each.get();
      }
      sweep();
      assertThat(judge.faults()).as("a day later").isEmpty();
      Torture.report(
          "%d s, %d operations of %d threads, %d other processes killed, %d real compiles; %s, %s,"
              + " %s, %s",
          seconds,
          load.operations(),
          THREADS,
          kills,
          compiles,
          heap,
          resident,
          descriptors,
          threads);
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed " + Torture.seed() + ", round " + kills + ": " + e, e);
    } finally {
      over = true;
      executor.shutdown();
    }
    assertThat(List.of(heap, resident, descriptors, threads)).allMatch(Flatness::isFlat);
  }

  private Void work(SoakLoad load, Random random) throws Exception {
    while (!over) {
      load.work(random);
      TimeUnit.NANOSECONDS.sleep(PACE.toNanos());
    }
    return null;
  }

  /** Kills one of the crew in each round. */
  private void soak(Crew crew, SoakLoad load, CacheManager real, Random random) throws Exception {
    long sampleMillis = Math.max(SHORTEST_SAMPLE_MILLIS, seconds * 1000L / SAMPLES);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int round = 0; System.nanoTime() < end; round++) {
      load.stepClock(random);
      Worker victim = crew.next();
      victim.go(Role.any(random));
      crew.go(victim, true);
      for (long spent = 0; spent < SHORTEST_ROUND_MILLIS; spent += sampleMillis) {
        // Flat is what stays so over time.
        Thread.sleep(sampleMillis);
        sample();
      }
      if (round % COMPILE_EVERY == COMPILE_EVERY - 1) {
        compile(real);
      }
      victim.kill();
      kills++;
      crew.replace(victim);
      if (round % JUDGE_EVERY == 0) {
        assertThat(judge.faultsButLeftovers()).as(crew.errors()).isEmpty();
        crew.forgetServed();
      }
      for (Future<?> each : working) {
        if (each.isDone()) {
          each.get();
        }
      }
    }
  }

  private void sample() throws IOException {
    System.gc();
    heap.add(liveHeap());
    threads.add(Thread.getAllStackTraces().keySet().stream().filter(SoakTest::isCounted).count());
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      descriptors.add(open.count());
    }
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        resident.add(Long.parseLong(line.replaceAll("\\D", "")));
      }
    }
  }

  /** What the collection left: the heap in use has what other threads have allocated since. */
  private static long liveHeap() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .map(MemoryPoolMXBean::getCollectionUsage)
        .filter(Objects::nonNull)
        .mapToLong(MemoryUsage::getUsed)
        .sum();
  }

  /**
   * Java keeps the threads that wait for processes a minute longer than those: there are as many as
   * ran at once in the busiest moment, which in the short form may be its last.
   */
  private static boolean isCounted(Thread thread) {
    return !thread.getName().startsWith("process reaper");
  }

  private void compile(CacheManager real) {
    String text = "__global__ void k(int *x) { *x = " + compiles++ + "; }\n";
    assertThat(real.getOrCompile(KernelSource.of("real.hip", text), TargetId.parse("gfx90a")))
        .isNotNull();
  }

  /** A day later somebody else compiles something. */
  private void sweep() throws IOException {
    new TorturedDirectory(root).age();
    KnownCompiler.compileAnew(root);
  }

  private static CacheManager manager(Path root) {
    return CacheManager.builder()
        .environment(Map.of("KCACHE_DIR", root.toString(), "PATH", System.getenv("PATH")))
        .build();
  }
}
