// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.codeobject.TargetId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The arguments of the verbs that tell of requests, and what they find. */
final class Requests {
  private final Verb verb;
  private final SourceOptions sources;
  private final TargetsOption targets;
  private final ToolchainOption toolchain;
  private String places = "";
  private int exitCode = ExitCode.OK;

  /** A request of the command line, and what the cache says of it. */
  record Explained(Task task, Explanation explanation) {}

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
            explained.add(new Explained(task, cache.explain(source.source(), target)));
          } catch (RuntimeException e) {
            fail(Problem.of(e));
          }
        }
      }
    }
    return explained;
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
