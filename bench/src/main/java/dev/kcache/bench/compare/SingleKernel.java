// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A hit of one pair by one process. The comparison with other tools has no bar, since kcache has to
 * start a JVM: once as it is, and once without the cost of an empty program, an empty main for
 * kcache and {@code true} for the others.
 */
final class SingleKernel implements Measurement {
  private static final String PROCESS = "one hit, whole process";

  private final Tools tools;
  private final Turns turns;
  private final Pairs pair;
  private final Path caches;

  SingleKernel(Tools tools, Turns turns, Pairs pair, Path caches) {
    this.tools = tools;
    this.turns = turns;
    this.pair = pair;
    this.caches = caches;
  }

  @Override
  public List<Line> measure() {
    try (Hits hits = new Hits(tools, pair, caches)) {
      List<Side> sides = new ArrayList<>(List.of(hits.kcache()));
      sides.addAll(hits.others());
      sides.add(Side.of("java", StartJar.in(tools).emptyMain()::run));
      sides.add(Side.of("true", tools.command("true")::run));
      Map<String, Samples> seconds = turns.measure(sides);
      List<Line> lines = new ArrayList<>();
      Samples kcache = Line.samples(seconds, "kcache");
      lines.add(Line.of(Group.SINGLE, PROCESS, Unit.MILLISECONDS, kcache, Bar.amount(0.180)));
      lines.addAll(lines(PROCESS, seconds));
      lines.addAll(lines("one hit, over an empty program", overNothing(seconds)));
      return lines;
    }
  }

  private static Map<String, Samples> overNothing(Map<String, Samples> seconds) {
    Map<String, Samples> over = new LinkedHashMap<>();
    seconds.forEach(
        (name, samples) -> {
          Samples empty = seconds.get(name.equals("kcache") ? "java" : "true");
          if (empty != null) {
            over.put(name, Turns.over(samples, empty));
          }
        });
    return over;
  }

  private static List<Line> lines(String what, Map<String, Samples> seconds) {
    return List.of(line(what, seconds, "ccache"), line(what, seconds, "sccache"));
  }

  private static Line line(String what, Map<String, Samples> seconds, String other) {
    return Line.ofSides(
        Group.SINGLE, what, Unit.MILLISECONDS, seconds, other, "not on the PATH", Bar.none());
  }
}
