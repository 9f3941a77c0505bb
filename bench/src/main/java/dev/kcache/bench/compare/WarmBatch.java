// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Hits of many pairs: one process of kcache beside a process of ccache or sccache for each. */
final class WarmBatch implements Measurement {
  private final Tools tools;
  private final Turns turns;
  private final Pairs pairs;
  private final Path caches;

  WarmBatch(Tools tools, Turns turns, Pairs pairs, Path caches) {
    this.tools = tools;
    this.turns = turns;
    this.pairs = pairs;
    this.caches = caches;
  }

  @Override
  public List<Line> measure() {
    try (Hits hits = new Hits(tools, pairs, caches)) {
      List<Side> sides = new ArrayList<>(List.of(hits.kcache()));
      sides.addAll(hits.others());
      sides.addAll(hits.othersInParallel());
      Map<String, Samples> seconds = turns.measure(sides);
      return List.of(
          line(seconds, "ccache", Bar.speed(8)),
          line(seconds, "sccache", Bar.speed(12)),
          line(seconds, Hits.parallel("ccache"), Bar.none()),
          line(seconds, Hits.parallel("sccache"), Bar.none()));
    }
  }

  private Line line(Map<String, Samples> seconds, String other, Bar bar) {
    String what = pairs.count() + " hits, whole process";
    return Line.ofSides(Group.WARM, what, Unit.SECONDS, seconds, other, "not on the PATH", bar);
  }
}
