// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Hits of an application that traces them, beside one that does not. */
final class TracedBatch implements Measurement {
  private static final String UNTRACED = "untraced";

  private final Tools tools;
  private final Turns turns;
  private final Pairs pairs;
  private final Path caches;

  TracedBatch(Tools tools, Turns turns, Pairs pairs, Path caches) {
    this.tools = tools;
    this.turns = turns;
    this.pairs = pairs;
    this.caches = caches;
  }

  /** What each run of one side took, in seconds: until the last kernel was there, and to close. */
  private record Times(List<Double> batches, List<Double> closings) {
    Times() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  @Override
  public List<Line> measure() {
    Path cache = caches.resolve("kcache");
    tools.kcache(cache, pairs.prewarm()).run();
    Path known = tools.emptyDirectory("known-trace");
    Path fresh = tools.work().resolve("new-trace");
    Times untraced = new Times();
    Times existing = new Times();
    Times traced = new Times();
    Command plain = application(cache, Map.of());
    Command again = application(cache, Map.of("KCACHE_TRACE", known.toString()));
    Command anew = application(cache, Map.of("KCACHE_TRACE", fresh.toString()));
    again.run();
    var unused =
        turns.measure(
            List.of(
                Side.of(UNTRACED, () -> add(plain.run(), untraced)),
                Side.of("an existing trace", () -> add(again.run(), existing)),
                new Side(
                    "a new trace",
                    () -> Tools.deleteTree(fresh),
                    () -> add(anew.run(), traced),
                    () -> {})));
    String batch = pairs.count() + " hits, ";
    Samples base = new Samples(untraced.batches());
    return List.of(
        line(batch + "to a new trace", traced.batches(), base),
        line(batch + "to an existing trace", existing.batches(), base),
        Line.of(
            Group.TRACE,
            "close() with a new trace",
            Unit.SECONDS,
            new Samples(traced.closings()),
            Bar.none()));
  }

  private static Line line(String what, List<Double> seconds, Samples base) {
    return Line.of(
        Group.TRACE, what, Unit.SECONDS, new Samples(seconds), UNTRACED, base, Bar.cost(1.1));
  }

  private Command application(Path cache, Map<String, String> more) {
    Map<String, String> variables = new TreeMap<>(more);
    variables.put("KCACHE_DIR", cache.toString());
    return tools.command(ManyKernels.words(pairs, 1), variables);
  }

  private void add(String output, Times times) {
    ManyKernels.Printed printed = ManyKernels.Printed.of(output, 0, pairs.count(), 0);
    times.batches().add(printed.seconds());
    times.closings().add(printed.closing());
  }
}
