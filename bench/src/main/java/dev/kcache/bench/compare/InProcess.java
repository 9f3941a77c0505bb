// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Hits within a process, beside the least that anybody could do in their place, by JMH. */
final class InProcess implements Measurement {
  private static final String BARE_GET = "Caffeine's get";
  private static final String READ = "read and SHA-256";
  private static final int THREADS = 64;

  private final Tools tools;
  private final int iterations;

  InProcess(Tools tools, int iterations) {
    this.tools = tools;
    this.iterations = iterations;
  }

  @Override
  public List<Line> measure() {
    List<JmhResult> results = new ArrayList<>();
    results.addAll(jmh("MemoryHit", 1));
    results.addAll(jmh("MemoryHit.(getOrCompile|bareGet)$", THREADS));
    results.addAll(jmh("DiskHit", 1));
    return lines(results, Runtime.getRuntime().availableProcessors());
  }

  private List<JmhResult> jmh(String benchmarks, int threads) {
    Path file = tools.work().resolve("jmh.json");
    List<String> words = new ArrayList<>(List.of(Tools.java(), "-cp"));
    words.add(System.getProperty("java.class.path"));
    words.addAll(List.of("org.openjdk.jmh.Main", "dev.kcache.bench.hits." + benchmarks));
    words.addAll(List.of("-rf", "json", "-rff", file.toString(), "-prof", "gc", "-foe", "true"));
    words.addAll(List.of("-f", "1", "-wi", "5", "-w", "1", "-r", "1"));
    words.addAll(List.of("-i", Integer.toString(iterations), "-t", Integer.toString(threads)));
    tools.command(words.toArray(String[]::new)).run();
    try {
      return JmhResult.parse(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the lines of what JMH measured on so many cores. */
  static List<Line> lines(List<JmhResult> results, int cores) {
    List<Line> lines = new ArrayList<>();
    JmhResult hit = result(results, "MemoryHit.getOrCompile", "", 1);
    JmhResult bare = result(results, "MemoryHit.bareGet", "", 1);
    lines.add(cost("a memory hit", Unit.NANOSECONDS, hit, BARE_GET, bare, 2));
    lines.add(allocation(hit));
    lines.add(scaling(hit, result(results, "MemoryHit.getOrCompile", "", THREADS), cores));
    lines.add(disk(results, "10000", "a disk hit of 10 kB", 2));
    lines.add(disk(results, "1000000", "a disk hit of 1 MB", 1.08));
    return lines;
  }

  private static Line allocation(JmhResult hit) {
    Samples bytes = hit.allocated().orElseThrow();
    // JMH shares out what its own threads allocate among the operations.
    return Line.of(Group.PROCESS, "allocated by a memory hit", Unit.BYTES, bytes, Bar.amount(0.01));
  }

  /** With more threads than cores, each operation takes as many times longer at least. */
  private static Line scaling(JmhResult one, JmhResult many, int cores) {
    double busy = (double) Math.min(cores, many.threads()) / many.threads();
    return Line.of(
        Group.PROCESS,
        "a memory hit, " + many.threads() + " threads on " + cores + " cores",
        Unit.NANOSECONDS,
        many.seconds().map(seconds -> seconds * busy),
        "one thread",
        one.seconds(),
        Bar.cost(1.25));
  }

  private static Line disk(List<JmhResult> results, String bytes, String what, double bar) {
    JmhResult hit = result(results, "DiskHit.hit", bytes, 1);
    JmhResult read = result(results, "DiskHit.readAndDigest", bytes, 1);
    return cost(what, Unit.MICROSECONDS, hit, READ, read, bar);
  }

  private static Line cost(
      String what, Unit unit, JmhResult ours, String other, JmhResult theirs, double bar) {
    return Line.of(
        Group.PROCESS, what, unit, ours.seconds(), other, theirs.seconds(), Bar.cost(bar));
  }

  private static JmhResult result(
      List<JmhResult> results, String benchmark, String parameter, int threads) {
    Optional<JmhResult> found =
        results.stream()
            .filter(each -> each.benchmark().equals(benchmark))
            .filter(each -> each.parameter().equals(parameter) && each.threads() == threads)
            .findFirst();
    return found.orElseThrow(
        () -> new CommandFailedException("JMH did not measure " + benchmark + " " + parameter));
  }
}
