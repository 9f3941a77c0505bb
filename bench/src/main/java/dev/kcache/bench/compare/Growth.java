// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import dev.kcache.bench.hits.ManyEntries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The cost of the command with few and with many entries in the cache. */
final class Growth implements Measurement {
  private static final int FEW = 100;
  private static final String PEAK = "peak memory of a warm prewarm";

  private final Tools tools;
  private final Turns turns;
  private final Jmh jmh;
  private final Pairs pair;
  private final Path caches;
  private final int many;

  /**
   * Creates the measurement.
   *
   * @param caches the directory of the filled caches, which are created if missing
   * @param many the number of entries in the large one
   */
  Growth(Tools tools, Turns turns, Jmh jmh, Pairs pair, Path caches, int many) {
    this.tools = tools;
    this.turns = turns;
    this.jmh = jmh;
    this.pair = pair;
    this.caches = caches;
    this.many = many;
  }

  @Override
  public List<Line> measure() {
    Path few = filled(FEW);
    Path great = filled(many);
    List<Line> lines = new ArrayList<>(List.of(diskHit(), list(great)));
    Optional<String> time = tools.find("time");
    if (time.isEmpty()) {
      lines.add(Line.absent(Group.GROWTH, PEAK, "", "no GNU time on the PATH"));
      return lines;
    }
    Samples small = peaks(time.get(), few);
    Samples large = peaks(time.get(), great);
    String what = PEAK + ", " + entries(many);
    lines.add(Line.of(Group.GROWTH, what, Unit.MEGABYTES, large, Bar.amount(200e6)));
    lines.add(
        Line.of(Group.GROWTH, what, Unit.MEGABYTES, large, entries(FEW), small, Bar.cost(1.1)));
    return lines;
  }

  private Line diskHit() {
    String both = FEW + "," + many;
    List<JmhResult> results = jmh.run("DiskHit.hit$", "-p", "bytes=10000", "-p", "entries=" + both);
    return Line.of(
        Group.GROWTH,
        "a disk hit of 10 kB, " + entries(many),
        Unit.MICROSECONDS,
        diskHit(results, many).seconds(),
        entries(FEW),
        diskHit(results, FEW).seconds(),
        Bar.cost(1.1));
  }

  private static JmhResult diskHit(List<JmhResult> results, int entries) {
    return JmhResult.find(results, "DiskHit.hit", Map.of("entries", Integer.toString(entries)), 1);
  }

  private Path filled(int entries) {
    Path cache = caches.resolve("entries-" + entries);
    prewarm(cache).run();
    new ManyEntries(cache).fill(entries);
    return cache;
  }

  private Command prewarm(Path cache) {
    return tools.kcache(cache, pair.prewarm());
  }

  private Line list(Path cache) {
    Command list = tools.kcache(cache, List.of("list"));
    list.run();
    Runnable complete = () -> Checks.lines(list.run(), many);
    Map<String, Samples> seconds = turns.measure(List.of(Side.of("kcache", complete)));
    return Line.of(
        Group.GROWTH,
        "kcache list, " + entries(many),
        Unit.SECONDS,
        Line.samples(seconds, "kcache"),
        Bar.amount(5));
  }

  private static String entries(int count) {
    return String.format(Locale.ROOT, "%,d entries", count);
  }

  private Samples peaks(String time, Path cache) {
    List<Double> bytes = new ArrayList<>();
    for (int i = 0; i < turns.rounds(); i++) {
      bytes.add(peak(time, prewarm(cache)));
    }
    return new Samples(bytes);
  }

  private double peak(String time, Command command) {
    Path file = tools.work().resolve("peak");
    List<String> words = new ArrayList<>(List.of(time, "-f", "%M", "-o", file.toString()));
    words.addAll(command.words());
    new Command(words, command.environment()).run();
    try {
      return 1024 * Double.parseDouble(Files.readString(file).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
