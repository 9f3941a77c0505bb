// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The arguments of the verbs that tell of requests, and what they find. */
final class Requests {
  private final Verb verb;
  private final SourceOptions sources;
  private final TargetsOption targets;
  private final ToolchainOption toolchain;
  private String places = "";
  private int exitCode = ExitCode.OK;

  /**
   * A request of the command line, and what the cache says of it.
   *
   * @param lacking why there is no compiler for a miss, if so
   */
  record Explained(Task task, Explanation explanation, Optional<String> lacking) {}

  Requests(Verb verb) {
    this.verb = verb;
    sources = new SourceOptions(verb.arguments);
    targets =
        new TargetsOption(
            verb.arguments,
            "What to compile for. Repeatable. Default: $KCACHE_ARCH, $ARCH or the GPU of this"
                + " machine.");
    toolchain = new ToolchainOption(verb.arguments);
  }

  /**
   * Explains each source for each target. A request that cannot be explained costs one line on
   * standard error.
   */
  List<Explained> explain() {
    List<Explained> explained = new ArrayList<>();
    List<Task.Source> wanted = sources.read();
    try (CacheManager cache = toolchain.applyTo(verb.cache()).build()) {
      // Before a compiler is asked: what is remembered of it may be the first that a directory has.
      places = Text.places(LocatedEntry.directories(cache));
      Set<TargetId> all = targets(cache);
      toolchain.check(all, verb.context);
      for (Task.Source source : wanted) {
        for (TargetId target : all) {
          Task task = new Task(source, target);
          try {
            Explanation explanation = cache.explain(source.source(), target);
            explained.add(new Explained(task, explanation, lacking(cache, explanation, task)));
          } catch (RuntimeException e) {
            fail(Problem.of(e));
          }
        }
      }
    }
    return explained;
  }

  private static Optional<String> lacking(CacheManager cache, Explanation explanation, Task task) {
    if (explanation.isHit() || explanation.label().isPresent()) {
      return Optional.empty();
    }
    try {
      Toolchain unused =
          cache.toolchain(task.target().processor().platform(), task.source().language());
      return Optional.empty();
    } catch (ToolchainNotFoundException e) {
      return Optional.of(Problem.of(e).line());
    }
  }

  private Set<TargetId> targets(CacheManager cache) {
    Set<TargetId> given = targets.targets();
    return given.isEmpty() ? Set.of(cache.target()) : given;
  }

  private void fail(Problem problem) {
    verb.context.problem(problem.line());
    exitCode = ExitCode.worse(exitCode, problem.exitCode());
  }

  /** Returns the directories that were looked into, as {@link Text#places} names them. */
  String places() {
    return places;
  }

  /** Returns the exit code for the requests that could not be explained. */
  int exitCode() {
    return exitCode;
  }
}
