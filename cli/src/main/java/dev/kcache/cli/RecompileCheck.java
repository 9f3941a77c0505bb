// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.Recompiler;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.Recompilation;
import dev.kcache.toolchain.CrateOptions;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/** The part of a verification that compiles a sample of the entries again. Use one once. */
final class RecompileCheck {
  private final Argument<Double> share;
  private final Argument<Path> manifest;

  private final List<KernelSource> sources = new ArrayList<>();
  private final List<Recompilation> results = new ArrayList<>();

  /** One line for each, since many entries may have the same one. */
  private final Set<String> problems = new LinkedHashSet<>();

  private final Argument<Boolean> buildScripts;
  private boolean interrupted;
  private int exitCode = ExitCode.OK;
  private int candidates;
  private long others;

  RecompileCheck(Arguments arguments) {
    share =
        arguments.option(
            "--recompile",
            "SHARE",
            Converters::share,
            "Compile a random sample of the entries again, such as 5% or all, and compare the bytes."
                + " An entry that differs though its compiler is the same goes to the cache"
                + " directory's quarantine. Needs --manifest.");
    manifest =
        arguments.option(
            "--manifest",
            "PATH",
            Converters::path,
            "Where the sources for --recompile are: a file that lists them, or the directory that"
                + " KCACHE_TRACE named when an application ran.");
    buildScripts =
        arguments.flag(
            CrateOptions.BUILD_SCRIPTS,
            "Let crates of a trace run their build scripts and procedural macros on this machine.");
  }

  /** Returns whether anything is to be compiled. */
  boolean isWanted() {
    return share.isGiven();
  }

  /** Reads the manifest, before anything else is done. */
  void readSources() {
    if (isWanted() != manifest.isGiven()) {
      throw new IllegalArgumentException(
          isWanted()
              ? "--recompile needs the sources: name a trace or a file that lists them by --manifest"
              : "--manifest is for --recompile, which is not given");
    }
    for (Task.Source source :
        isWanted()
            ? Manifest.read(manifest.value(), buildScripts.value())
            : List.<Task.Source>of()) {
      if (source instanceof Task.Refused refused) {
        fail(Problem.of(refused.refusal()), source.label() + ": ");
      } else {
        sources.add(source.source());
      }
    }
  }

  /**
   * Compiles a sample of the entries that have a source. If it is stopped, closes the cache, which
   * ends the compilers, and keeps what was compared by then.
   */
  void run(CacheManager cache, ProgressBar bar, Stop stop) {
    Recompiler recompiler = cache.recompiler();
    Recompiler.Selection selection = recompiler.select(sources);
    candidates = selection.candidates().size();
    others = selection.others();
    List<Recompiler.Candidate> sample = sample(selection.candidates());
    List<CompletableFuture<Recompilation>> futures =
        sample.stream().map(recompiler::recompile).toList();
    try {
      for (int i = 0; i < sample.size() && !interrupted; i++) {
        String name = sample.get(i).entry().source();
        bar.update(new ProgressBar.Progress(i, 0, sample.size(), null, name));
        interrupted = !stop.await(futures.get(i));
      }
    } finally {
      bar.clear();
    }
    if (interrupted) {
      cache.close();
    }
    for (int i = 0; i < sample.size(); i++) {
      CacheEntry entry = sample.get(i).entry();
      add(futures.get(i), entry.source() + " for " + entry.target() + ": ");
    }
    judge();
  }

  /** Returns a random part, at least one if there is any, in the order of the whole. */
  private List<Recompiler.Candidate> sample(List<Recompiler.Candidate> all) {
    List<Recompiler.Candidate> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled);
    int size = (int) Math.ceil(all.size() * share.value() / 100);
    Set<Recompiler.Candidate> chosen = new HashSet<>(shuffled.subList(0, size));
    return all.stream().filter(chosen::contains).toList();
  }

  private void add(CompletableFuture<Recompilation> future, String name) {
    if (interrupted && (!future.isDone() || future.isCompletedExceptionally())) {
      return;
    }
    try {
      results.add(future.join());
    } catch (CompletionException e) {
      Problem problem = Problem.of(e);
      fail(problem, problem.exitCode() == ExitCode.FAILED ? name : "");
    }
  }

  private void fail(Problem problem, String prefix) {
    problems.add(prefix + problem.line());
    exitCode = ExitCode.worse(exitCode, problem.exitCode());
  }

  private void judge() {
    if (count(Recompilation::isWrong) > 0) {
      problems.add("an entry does not have the bytes that its source gives");
      exitCode = ExitCode.DAMAGED;
    } else if (interrupted) {
      return; // What is left may be sound or not.
    } else if (candidates == 0) {
      problems.add(
          "nothing was compiled again: no entry has its source in '"
              + shownManifest()
              + "'; trace the application again, or list the sources as they were compiled");
      exitCode = ExitCode.worse(exitCode, ExitCode.UNAVAILABLE);
    } else if (count(each -> each.isSame() || each.gone()) == 0 && problems.isEmpty()) {
      problems.add(
          "nothing could be compared: the compiler here made none of these entries; name the one"
              + " that did by KCACHE_TOOLCHAIN, or verify where it is");
      exitCode = ExitCode.UNAVAILABLE;
    }
  }

  private long count(Predicate<Recompilation> predicate) {
    return results.stream().filter(predicate).count();
  }

  private String shownManifest() {
    return Text.oneLine(manifest.value().toString());
  }

  /** Returns a line for everything that is wrong. */
  Set<String> problems() {
    return problems;
  }

  /** Returns the exit code, by this part alone. */
  int exitCode() {
    return exitCode;
  }

  /** Prints a line for each entry that is not the same, and a summary. */
  void print(PrintStream out) {
    Text.table(results.stream().filter(each -> !each.isSame()).map(RecompileCheck::row).toList())
        .forEach(out::println);
    out.println(
        "%d of %s compiled again: %d the same, %d wrong, %d not comparable"
            .formatted(
                results.size(),
                Text.entries(candidates),
                count(Recompilation::isSame),
                count(Recompilation::isWrong),
                count(each -> !each.isSame() && !each.isWrong())));
    if (others > 0) {
      out.println(
          Text.entries(others)
              + (others == 1 ? " has" : " have")
              + " no source in '"
              + shownManifest()
              + "'");
    }
  }

  private static List<String> row(Recompilation result) {
    return List.of(
        result.isWrong() ? "wrong" : result.gone() ? "gone" : "not comparable",
        result.entry().target().toString(),
        Text.oneLine(result.entry().source()),
        Text.digits(result.entry().codeObject()),
        Text.oneLine(
            result.isWrong()
                ? fate(result)
                : result.gone()
                    ? "removed or moved to quarantine meanwhile"
                    : differences(result)));
  }

  private static String fate(Recompilation result) {
    return "the same compiler gives other bytes; "
        + (result.quarantined()
            ? "moved to quarantine"
            : "not moved out of '" + result.directory() + "'");
  }

  private static String differences(Recompilation result) {
    return result.differences().stream().map(Difference::text).collect(joining("; "));
  }

  /** Adds what was compiled, if that was wanted. */
  void writeTo(Json json) {
    if (isWanted()) {
      json.object(
          "recompiled",
          each ->
              each.put("manifest", manifest.value())
                  .put("candidates", candidates)
                  .put("withoutSource", others)
                  .put("interrupted", interrupted)
                  .objects("entries", results, RecompileCheck::write)
                  .put("problems", List.copyOf(problems)));
    }
  }

  private static void write(Recompilation result, Json json) {
    json.put("directory", result.directory())
        .put("target", result.entry().target())
        .put("label", result.entry().label())
        .put("source", result.entry().source())
        .put("request", result.entry().request())
        .put("toolchain", result.entry().toolchain())
        .put("codeObject", result.entry().codeObject())
        .put("outcome", result.isSame() ? "same" : result.isWrong() ? "wrong" : "notComparable")
        .put("compiled", result.codeObject())
        .put("quarantined", result.quarantined())
        .put("gone", result.gone())
        .objects(
            "differences",
            result.differences(),
            (difference, each) ->
                each.put("kind", Text.lower(difference.kind())).put("text", difference.text()));
  }
}
