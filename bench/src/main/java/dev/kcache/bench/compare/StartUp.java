// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The cost of a program that gets one prewarmed kernel over an empty program, without and with a
 * class-data archive.
 */
final class StartUp implements Measurement {
  private static final String EMPTY = "empty main";
  private static final String PLAIN = "a program's first kernel";
  private static final String ARCHIVED = "a program's first kernel, with an archive";

  private final Tools tools;
  private final Turns turns;
  private final Pairs pair;

  StartUp(Tools tools, Turns turns, Pairs pair) {
    this.tools = tools;
    this.turns = turns;
    this.pair = pair;
  }

  @Override
  public List<Line> measure() {
    Path cache = tools.emptyDirectory("start");
    tools.kcache(cache, pair.prewarm()).run();
    StartJar jar = StartJar.in(tools);
    Pairs.Pair kernel = pair.all().get(0);
    Path archive = tools.work().resolve("start.archive");
    jar.oneKernel(cache, kernel, List.of(making(archive))).run();
    Map<String, Samples> seconds =
        turns.measure(
            List.of(
                Side.of(EMPTY, jar.emptyMain()::run),
                Side.of(PLAIN, jar.oneKernel(cache, kernel, List.of())::run),
                Side.of(ARCHIVED, jar.oneKernel(cache, kernel, List.of(using(archive)))::run)));
    return List.of(line(seconds, ARCHIVED, 0.110), line(seconds, PLAIN, 0.240));
  }

  private static Line line(Map<String, Samples> seconds, String what, double bar) {
    Samples over = Turns.over(Line.samples(seconds, what), Line.samples(seconds, EMPTY));
    return Line.of(
        Group.START, what + ", over an empty main", Unit.MILLISECONDS, over, Bar.amount(bar));
  }

  /** Returns whether Java has the successor of class-data archives: since 25, JEP 514. */
  private static boolean hasAotCache() {
    return Runtime.version().feature() >= 25;
  }

  private static String making(Path archive) {
    return (hasAotCache() ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + archive;
  }

  private static String using(Path archive) {
    return (hasAotCache() ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + archive;
  }
}
