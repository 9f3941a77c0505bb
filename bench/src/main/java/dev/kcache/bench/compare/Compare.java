// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures kcache beside its alternatives and prints a table. {@code docs/performance.md} explains
 * each figure.
 */
public final class Compare {
  private static final int ALL = 1000;
  private static final int VARIANTS = 250;
  private static final int ENTRIES = 100_000;

  private final CompareOptions options;
  private final Tools tools;
  private final Turns turns;
  private final Path caches;
  private final PrintStream err;

  private Compare(CompareOptions options, Tools tools, PrintStream err) {
    this.options = options;
    this.tools = tools;
    this.turns = new Turns(options.runs(), System::nanoTime);
    this.caches = options.keep().orElse(tools.work().resolve("caches"));
    this.err = err;
  }

  /** Measures and exits with a code that {@code --help} lists. */
  public static void main(String[] arguments) {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
    Path root = Path.of(System.getProperty("kcache.root", "")).toAbsolutePath();
    System.exit(run(List.of(arguments), root, System.getenv(), out, err));
  }

  /** As {@link #main}, for a checkout; returns the exit code. */
  static int run(
      List<String> arguments,
      Path root,
      Map<String, String> environment,
      PrintStream out,
      PrintStream err) {
    CompareOptions options;
    try {
      options = CompareOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      err.println("compare: " + e.getMessage());
      return 2;
    }
    if (options.help()) {
      out.print(CompareOptions.HELP);
      return 0;
    }
    try {
      return run(options, root, environment, out, err);
    } catch (IOException | UncheckedIOException e) {
      err.println("compare: " + e.getMessage());
      return 1;
    }
  }

  private static int run(
      CompareOptions options,
      Path root,
      Map<String, String> environment,
      PrintStream out,
      PrintStream err)
      throws IOException {
    Path work = Files.createTempDirectory("kcache-compare");
    try {
      Tools tools = new Tools(root, work, environment);
      if (tools.find("hipcc").isEmpty()) {
        err.println(
            "compare: no hipcc on the PATH; scripts/modern-rocm -- bench/compare brings one");
        return 3;
      }
      Report report = new Compare(options, tools, err).measure();
      report.print(out);
      options.json().ifPresent(file -> ReportJson.write(report, file));
      options.svg().ifPresent(file -> ReportSvg.write(report, file));
      return report.isGood() ? 0 : 1;
    } finally {
      Tools.deleteTree(work);
    }
  }

  private Report measure() throws IOException {
    Files.createDirectories(caches);
    List<Line> lines = new ArrayList<>();
    for (Group group : options.groups()) {
      err.println("measuring: " + group.title());
      try {
        lines.addAll(measurement(group).measure());
      } catch (CommandFailedException e) {
        lines.add(Line.failed(group, String.valueOf(e.getMessage())));
      }
    }
    return new Report(tools.facts(), lines);
  }

  private Measurement measurement(Group group) {
    Path kernels = tools.inCheckout("bench/kernels");
    Pairs frozen = Pairs.frozen(kernels, options.pairs());
    Pairs one = Pairs.frozen(kernels, ALL).only("vadd.hip", "gfx90a");
    Jmh jmh = new Jmh(tools, options.runs());
    return switch (group) {
      case COLD -> new ColdCompiles(tools, turns, frozen);
      case WARM -> new WarmBatch(tools, turns, variants(kernels), caches);
      case REMOTE -> new RemoteBatch(tools, turns, variants(kernels), caches);
      case TRACE -> new TracedBatch(tools, turns, variants(kernels), caches);
      case SINGLE -> new SingleKernel(tools, turns.times(4), one, caches);
      case START -> new StartUp(tools, turns.times(4), one);
      case PROCESS -> new InProcess(jmh);
      case GROWTH -> new Growth(tools, turns, jmh, one, caches, entries());
    };
  }

  /** Beside the caches, whose entries were made from these very files. */
  private Pairs variants(Path kernels) {
    return Pairs.variants(kernels, VARIANTS, caches.resolve("sources"), options.pairs());
  }

  private int entries() {
    return options.pairs() < ALL ? Math.min(ENTRIES, 100 * options.pairs()) : ENTRIES;
  }
}
