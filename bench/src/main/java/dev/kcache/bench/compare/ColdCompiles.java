// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compiles of everything from scratch: kcache with a new cache directory, so that it also has to
 * probe the toolchain, beside loops over hipcc and hiprtc; and kcache with the embedded LLVM beside
 * hipcc.
 */
final class ColdCompiles implements Measurement {
  private static final String OPTIONS = "-O3 -std=c++17";
  private static final String LOOP = "hipcc, one after the other";
  private static final String XARGS = "hipcc, xargs -P2";
  private static final String HIPRTC = "hiprtc, one process";
  private static final String EMBEDDED = "kcache, embedded LLVM";

  private final Tools tools;
  private final Turns turns;
  private final Pairs pairs;
  private final Path out;

  ColdCompiles(Tools tools, Turns turns, Pairs pairs) {
    this.tools = tools;
    this.turns = turns;
    this.pairs = pairs;
    this.out = tools.work().resolve("cold");
  }

  @Override
  public List<Line> measure() {
    List<Side> sides = new ArrayList<>(List.of(kcache(), hipccLoop()));
    xargs().ifPresent(sides::add);
    hiprtc().ifPresent(sides::add);
    EmbeddedLlvm embedded = new EmbeddedLlvm(tools);
    sides.add(embedded.side(EMBEDDED, pairs));
    Map<String, Samples> seconds = turns.measure(sides);
    return List.of(
        line(seconds, LOOP, "no hipcc on the PATH", 5.5),
        line(seconds, XARGS, "no xargs on the PATH", 2.7),
        line(seconds, HIPRTC, "no libhiprtc, or no cc for the program that calls it", 1.6),
        Line.of(
            Group.COLD,
            pairs.count() + " compiles by the embedded LLVM",
            Unit.SECONDS,
            Line.samples(seconds, EMBEDDED),
            LOOP,
            Line.samples(seconds, LOOP),
            Bar.speed(8)),
        Line.of(
            Group.COLD,
            "a small kernel by the embedded LLVM",
            Unit.MILLISECONDS,
            embedded.smallKernels(),
            Bar.amount(0.1)));
  }

  private Line line(Map<String, Samples> seconds, String other, String missing, double bar) {
    String what = pairs.count() + " compiles";
    return Line.ofSides(Group.COLD, what, Unit.SECONDS, seconds, other, missing, Bar.speed(bar));
  }

  private Side kcache() {
    return side("kcache", tools.kcache(out, pairs.prewarm()));
  }

  private Side hipccLoop() {
    Path script = pairs.write(tools.work().resolve("hipcc.sh"), pair -> "hipcc " + hipcc(pair));
    return side(LOOP, tools.command("sh", "-e", script.toString()));
  }

  private Optional<Side> xargs() {
    Path list = pairs.write(tools.work().resolve("hipcc.args"), this::hipcc);
    return tools
        .find("xargs")
        .map(
            xargs ->
                side(XARGS, tools.command(xargs, "-a", list.toString(), "-P2", "-L1", "hipcc")));
  }

  private String hipcc(Pairs.Pair pair) {
    return "--genco %s --offload-arch=%s --no-gpu-bundle-output '%s' -o '%s'"
        .formatted(OPTIONS, pair.target(), pair.source(), Pairs.output(out, pair));
  }

  private Optional<Side> hiprtc() {
    Optional<Path> library = tools.hiprtcLibrary();
    Optional<String> compiler = tools.find("cc");
    if (library.isEmpty() || compiler.isEmpty()) {
      return Optional.empty();
    }
    String program = tools.work().resolve("hiprtc").toString();
    String source = tools.inCheckout("bench/src/main/c/hiprtc.c").toString();
    tools.command(compiler.get(), "-O2", "-o", program, source, "-ldl").run();
    Path list =
        pairs.write(
            tools.work().resolve("hiprtc.list"),
            pair -> pair.target() + " " + pair.source() + " " + Pairs.output(out, pair));
    List<String> words =
        new ArrayList<>(List.of(program, library.get().toString(), list.toString()));
    words.addAll(List.of(OPTIONS.split(" ")));
    return Optional.of(side(HIPRTC, tools.command(words, Map.of())));
  }

  private Side side(String name, Command command) {
    return new Side(
        name,
        () -> tools.emptyDirectory("cold"),
        command::run,
        () -> Checks.codeObjects(out, pairs.count()));
  }
}
