// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The cost of a program that gets one prewarmed kernel over an empty program, from a cache
 * directory and from its own jar, without and with a class-data archive.
 */
final class StartUp implements Measurement {
  private static final String EMPTY = "empty main";
  private static final String OVER = ", over an empty main";
  private static final String PLAIN = "a program's first kernel";
  private static final String ARCHIVED = "a program's first kernel, with an archive";
  private static final String CARRIED = "a first kernel from the class path";
  private static final String CARRIED_ARCHIVED =
      "a first kernel from the class path, with an archive";

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
    Pairs.Pair kernel = pair.all().get(0);
    Path cache = tools.emptyDirectory("start");
    Path resources = tools.emptyDirectory("start-resources");
    List<String> prewarm = new ArrayList<>(pair.prewarm());
    prewarm.addAll(List.of("--resources", resources.toString()));
    tools.kcache(cache, prewarm).run();
    StartJar jar = StartJar.in(tools);
    StartJar carrying = StartJar.carrying(tools, resources);
    Path none = tools.emptyDirectory("start-none");
    Archive archive = archive("start", made -> jar.oneKernel(cache, kernel, made));
    Archive carried = archive("start-carried", made -> carrying.oneKernel(none, kernel, made));
    Map<String, Samples> seconds =
        turns.measure(
            List.of(
                Side.of(EMPTY, jar.emptyMain()::run),
                Side.of(PLAIN, jar.oneKernel(cache, kernel, List.of())::run),
                Side.of(ARCHIVED, jar.oneKernel(cache, kernel, List.of(archive.using()))::run),
                Side.of(CARRIED, carrying.oneKernel(none, kernel, List.of())::run),
                Side.of(
                    CARRIED_ARCHIVED,
                    carrying.oneKernel(none, kernel, List.of(carried.using()))::run)));
    // Every hit was one of the class path: a miss would have been compiled into the directory.
    Checks.codeObjects(none, 0);
    return List.of(
        line(seconds, ARCHIVED, 0.110),
        line(seconds, PLAIN, 0.240),
        beside(seconds, CARRIED_ARCHIVED, ARCHIVED),
        beside(seconds, CARRIED, PLAIN));
  }

  /** Makes an archive of what a program loads, and returns it. */
  private Archive archive(String name, Function<List<String>, Command> program) {
    Archive archive = new Archive(tools.work().resolve(name + ".archive"));
    program.apply(List.of(archive.making())).run();
    return archive;
  }

  private static Line line(Map<String, Samples> seconds, String what, double bar) {
    Samples over = over(seconds, what);
    return Line.of(Group.START, what + OVER, Unit.MILLISECONDS, over, Bar.amount(bar));
  }

  private static Line beside(Map<String, Samples> seconds, String what, String directory) {
    return Line.of(
        Group.START,
        what + OVER,
        Unit.MILLISECONDS,
        over(seconds, what),
        "from a directory",
        over(seconds, directory),
        Bar.cost(1));
  }

  private static Samples over(Map<String, Samples> seconds, String what) {
    return Turns.over(Line.samples(seconds, what), Line.samples(seconds, EMPTY));
  }
}
