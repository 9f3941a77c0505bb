// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Hits within a process, beside the minimal work in their place, by JMH. */
final class InProcess implements Measurement {
  private static final String BARE_GET = "Caffeine's get";
  private static final String READ = "read and SHA-256";
  private static final String LAYER = "in a directory";
  private static final int THREADS = 64;

  private final Jmh jmh;

  InProcess(Jmh jmh) {
    this.jmh = jmh;
  }

  @Override
  public List<Line> measure() {
    List<JmhResult> results = new ArrayList<>();
    results.addAll(jmh.run("MemoryHit.(getOrCompile|bareGet)$", "-t", "1"));
    results.addAll(jmh.run("MemoryHit.getOrCompile$", "-t", Integer.toString(THREADS)));
    results.addAll(jmh.run("DiskHit", "-t", "1"));
    results.addAll(jmh.run("PackHit", "-t", "1"));
    return lines(results, Runtime.getRuntime().availableProcessors());
  }

  /** Returns the lines for the results of JMH on a number of cores. */
  static List<Line> lines(List<JmhResult> results, int cores) {
    List<Line> lines = new ArrayList<>();
    JmhResult hit = JmhResult.find(results, "MemoryHit.getOrCompile", Map.of(), 1);
    JmhResult bare = JmhResult.find(results, "MemoryHit.bareGet", Map.of(), 1);
    lines.add(
        Line.of(
            Group.PROCESS,
            "a memory hit",
            Unit.NANOSECONDS,
            hit.seconds(),
            BARE_GET,
            bare.seconds(),
            Bar.amount(1e-6)));
    lines.add(allocation(hit));
    lines.add(
        scaling(hit, JmhResult.find(results, "MemoryHit.getOrCompile", Map.of(), THREADS), cores));
    lines.add(disk(results, "10000", "a disk hit of 10 kB", 2));
    lines.add(disk(results, "1000000", "a disk hit of 1 MB", 1.08));
    JmhResult pack = JmhResult.find(results, "PackHit.fromPack", Map.of(), 1);
    JmhResult layer = JmhResult.find(results, "PackHit.fromDirectory", Map.of(), 1);
    lines.add(cost("a hit in a pack", Unit.MICROSECONDS, pack, LAYER, layer, 1.3));
    return lines;
  }

  private static Line allocation(JmhResult hit) {
    Samples bytes = hit.allocated().orElseThrow();
    // JMH attributes the allocations of its own threads to the operations.
    return Line.of(Group.PROCESS, "allocated by a memory hit", Unit.BYTES, bytes, Bar.none());
  }

  /** With more threads than cores, each operation takes longer by at least that factor. */
  private static Line scaling(JmhResult one, JmhResult many, int cores) {
    double busy = (double) Math.min(cores, many.threads()) / many.threads();
    return Line.of(
        Group.PROCESS,
        "a memory hit, " + many.threads() + " threads on " + cores + " cores",
        Unit.NANOSECONDS,
        many.seconds().map(seconds -> seconds * busy),
        "one thread",
        one.seconds(),
        Bar.none());
  }

  private static Line disk(List<JmhResult> results, String bytes, String what, double bar) {
    Map<String, String> size = Map.of("bytes", bytes);
    JmhResult hit = JmhResult.find(results, "DiskHit.hit", size, 1);
    JmhResult read = JmhResult.find(results, "DiskHit.readAndDigest", size, 1);
    return cost(what, Unit.MICROSECONDS, hit, READ, read, bar);
  }

  private static Line cost(
      String what, Unit unit, JmhResult ours, String other, JmhResult theirs, double bar) {
    return Line.of(
        Group.PROCESS, what, unit, ours.seconds(), other, theirs.seconds(), Bar.cost(bar));
  }
}
