// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.ResourceWriter;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code kcache prewarm}: fills the cache before the first use of kernels. */
final class PrewarmCommand extends Verb {
  /** From this many compiles for a target on, it pays to prepare what makes each of them faster. */
  private static final int BATCH = 4;

  private static final String NO_DIRECTORY =
      "there is no cache directory, since there is no home directory; set KCACHE_DIR or pass"
          + " --cache-dir";

  private static final String EXECUTOR = "KCACHE_EXECUTOR";

  /** How many compiles to ask an executor for at once. How many run, it decides. */
  private static final int ON_EXECUTOR = 64;

  /** As many as a cache has under way at once. */
  private static final int LOOKUPS = 64;

  private final SourceOptions sourceOptions = new SourceOptions(arguments);

  private final TargetsOption targets =
      new TargetsOption(
          arguments,
          "Target IDs such as gfx90a or gfx942:xnack+, families such as gfx110X-all, products such"
              + " as MI300X. Repeatable. Default: those of the manifest, else $KCACHE_ARCH, $ARCH or the GPU of"
              + " this machine.");

  private final ToolchainOption toolchain = new ToolchainOption(arguments);

  private final Argument<String> executor =
      arguments.option(
          "--executor",
          "URL",
          Converters::text,
          "Compile for AMD's targets on the machines of this server of the Remote Execution API, such"
              + " as grpc://HOST:PORT. KCACHE_EXECUTOR_PLATFORM names their image. Default:"
              + " $KCACHE_EXECUTOR, else here.");

  private final Argument<Shard> shard =
      arguments.option(
          "--shard",
          "N/COUNT",
          Converters::shard,
          "Do only the N-th of COUNT equal parts of the work, the same part on every machine"
              + " that is given the same work.");

  private final Argument<Path> resources =
      arguments.option(
          "--resources",
          "DIR",
          Converters::path,
          "Also write each kernel below DIR/META-INF/kcache, for a jar to carry, and remove what an"
              + " earlier run wrote there and this one does not want. DIR is such as target/classes.");

  private final Argument<Path> resourcesList =
      arguments.option(
          "--resources-list",
          "FILE",
          Converters::path,
          "Where several runs write into one DIR: remove only what FILE names, a list of this run's"
              + " own files. The lists of the other runs lie beside it; their names end with .list.");

  private final Argument<Integer> jobs =
      arguments.option(
          "-j",
          "N",
          Converters::jobs,
          "Compiles at once. Default: as cores and memory allow, and with an executor "
              + ON_EXECUTOR
              + ".");

  private final Argument<Duration> timeout =
      arguments.optionOr(
          "10m",
          "--timeout",
          "TIME",
          Converters::timeLimit,
          "How long one compile may take, such as 90s. Default: ${DEFAULT-VALUE}.");

  private final Argument<Boolean> failFast =
      arguments.flag("--fail-fast", "Stop at the first kernel that fails.");

  private final Argument<Boolean> force =
      arguments.flag("--force", "Compile what the cache has, too.");

  private final Argument<Boolean> dryRun =
      arguments.flag("--dry-run", "Only tell what would be compiled.");

  private final WaitUploadsOption uploads = new WaitUploadsOption(arguments);

  private final WideOption wide = new WideOption(arguments);

  private final CiReports reports = new CiReports(arguments);

  PrewarmCommand(CliContext context) {
    super(context, "prewarm", "Compiles kernels ahead of their first use; needs no GPU.", "");
  }

  @Override
  public Integer call() {
    return Stop.during(
        context, "what is finished is kept, run it again to do the rest", this::prewarm);
  }

  private int prewarm(Stop stop) {
    uploads.check(this);
    reports.check();
    List<Task.Source> sources = sourceOptions.read();
    int parallelism = parallelism();
    CacheManager cache = builder(sources.size()).parallelism(parallelism).build();
    List<Task> tasks;
    ResourceWriter writer;
    try {
      if (namesDirectory()) {
        checkDirectory(cache);
      }
      tasks = tasks(sources, cache);
      toolchain.check(tasks.stream().map(Task::target).toList(), context);
      if (!dryRun.value() && !resources.isGiven() && !hasRemote()) {
        checkKeeping(cache, tasks);
      }
      writer = writer(cache);
    } catch (RuntimeException e) {
      cache.close();
      throw e;
    }
    return run(cache, tasks, parallelism, writer, stop);
  }

  private int parallelism() {
    boolean onExecutor =
        executor.isGiven() || KcacheVariables.isSet(EXECUTOR, context.environment());
    return jobs.isGiven() ? jobs.value() : onExecutor ? ON_EXECUTOR : Parallelism.ofThisMachine();
  }

  private CacheManagerBuilder builder(int sources) {
    CacheManagerBuilder builder = toolchain.applyTo(cache()).compileTimeout(timeout.value());
    if (executor.isGiven()) {
      Map<String, String> variables = new HashMap<>(context.environment());
      variables.put(EXECUTOR, executor.value());
      builder = builder.environment(variables);
    }
    if (force.value()) {
      builder = builder.recompiling();
    }
    return sources / shard().count() >= BATCH ? builder.batching() : builder;
  }

  /** Refuses to compile anything if the named directory, which is to be filled, cannot be used. */
  private static void checkDirectory(CacheManager cache) {
    requireNone(cache.maintenance().readFault());
    if (cache.maintenance().directory().filter(Files::notExists).isPresent()) {
      requireNone(cache.maintenance().writeFault());
    }
  }

  /** Refuses to compile anything that could not be kept. What cannot be written can have it all. */
  private void checkKeeping(CacheManager cache, List<Task> tasks) {
    boolean isOff = KcacheVariables.isSet("KCACHE_DISABLE", context.environment());
    Optional<String> fault =
        cache.maintenance().directory().isEmpty() && !isOff
            ? Optional.of(NO_DIRECTORY)
            : cache.maintenance().writeFault();
    if (fault.isPresent()
        && (force.value() || tasks.stream().anyMatch(task -> isMiss(cache, task)))) {
      requireNone(fault);
    }
  }

  /** What cannot be looked up is no miss: its own problem is told when its turn comes. */
  private static boolean isMiss(CacheManager cache, Task task) {
    try {
      return cache.getIfPresent(task.source(), task.target()).isEmpty();
    } catch (KcacheException e) {
      return false;
    }
  }

  private Shard shard() {
    return shard.isGiven() ? shard.value() : Shard.ALL;
  }

  private int run(
      CacheManager cache,
      List<Task> tasks,
      int parallelism,
      @Nullable ResourceWriter writer,
      Stop stop) {
    long begin = context.nanoTime().getAsLong();
    int columns = wide.columns(context.console());
    PrewarmReport report =
        new PrewarmReport(this, tasks.size(), parallelism, cache::executorLoad, columns);
    PrewarmRun run =
        new PrewarmRun(
            tasks, resolver(cache, writer), underWay(parallelism), failFast.value(), report, stop);
    Map<Task, Outcome> outcomes = new HashMap<>();
    try (cache) {
      run.run().forEach(outcome -> outcomes.put(outcome.task(), outcome));
      uploads.await(cache, stop);
    }
    Counts counts = cache.statistics();
    Duration elapsed = Duration.ofNanos(context.nanoTime().getAsLong() - begin);
    report.tellTargetProblems();
    if (writer != null && isDone(tasks, outcomes)) {
      removeOthers(writer);
    }
    show(
        json ->
            json.put("directory", cache.maintenance().directory())
                .putIfPresent("resources", Optional.ofNullable(writer).map(ResourceWriter::folder))
                .put("dryRun", dryRun.value())
                .put("interrupted", stop.getAsBoolean())
                .objects(
                    "results",
                    tasks.stream().filter(outcomes::containsKey).map(outcomes::get).toList(),
                    Outcome::writeTo)
                .object(
                    "summary",
                    each -> {
                      report.summary().writeTo(each, elapsed);
                      each.put("uploads", counts.uploads())
                          .put("droppedUploads", counts.droppedUploads());
                    }),
        out -> {
          out.println(report.summary().line(elapsed));
          report.summary().toolchains().ifPresent(out::println);
          if (!uploads.summary(counts).isEmpty()) {
            out.println(uploads.summary(counts));
          }
          if (writer != null && writer.files() > 0) {
            out.println(
                "%s, %s in %s"
                    .formatted(
                        Text.count(writer.files(), "resource"),
                        Text.bytes(writer.bytes()),
                        Text.quoted(List.of(writer.folder()))));
          }
        });
    int exitCode = uploads.exitCode(report.end(), counts);
    try {
      reports.write(tasks, outcomes, report.summary().line(elapsed), elapsed);
    } catch (UncheckedIOException e) {
      context.problem(Problem.of(e).line());
      return ExitCode.worse(exitCode, ExitCode.UNAVAILABLE);
    }
    return exitCode;
  }

  /** Lookups in a remote run ahead of the compiles, of which the cache bounds the number. */
  private int underWay(int parallelism) {
    return hasRemote() ? Math.max(parallelism, LOOKUPS) : parallelism;
  }

  private boolean hasRemote() {
    return namesRemote() || KcacheVariables.isSet("KCACHE_REMOTE", context.environment());
  }

  /** Returns what writes resources; null if none are asked for. */
  private @Nullable ResourceWriter writer(CacheManager cache) {
    if (resourcesList.isGiven() && !resources.isGiven()) {
      throw new IllegalArgumentException("--resources-list needs --resources; name both");
    }
    if (!resources.isGiven() || dryRun.value()) {
      return null;
    }
    try {
      return resourcesList.isGiven()
          ? ResourceWriter.into(cache, resources.value(), resourcesList.value())
          : ResourceWriter.into(cache, resources.value());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read " + resourcesList.value() + ": " + e.getMessage(), e);
    }
  }

  /** What failed or was not tried is wanted, too. */
  private static boolean isDone(List<Task> tasks, Map<Task, Outcome> outcomes) {
    return outcomes.keySet().containsAll(tasks)
        && outcomes.values().stream().noneMatch(each -> each.failure() != null);
  }

  private static void removeOthers(ResourceWriter writer) {
    try {
      writer.removeOthers();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot remove old resources from " + writer.folder() + ": " + e.getMessage(), e);
    }
  }

  private Function<Task, CompletableFuture<Outcome>> resolver(
      CacheManager cache, @Nullable ResourceWriter writer) {
    if (writer != null) {
      return task ->
          writer
              .write(task.source(), task.target())
              .thenApply(result -> Outcome.of(task, result).keptAsResource());
    }
    if (dryRun.value()) {
      cache.readOnly();
      return task ->
          CompletableFuture.completedFuture(
              Outcome.ofLookup(task, cache.getIfPresent(task.source(), task.target())));
    }
    Function<Task, CompletableFuture<Outcome>> resolver =
        task ->
            cache
                .resolveAsync(task.source(), task.target())
                .thenApply(result -> Outcome.of(task, result));
    return uploads.isGiven()
        ? task ->
            resolver
                .apply(task)
                .thenApplyAsync(each -> uploaded(cache, each), PrewarmCommand::onAThread)
        : resolver;
  }

  /** A task ends when its result is uploaded, so that the queue of uploads never overflows. */
  private Outcome uploaded(CacheManager cache, Outcome outcome) {
    if (outcome.status() == Outcome.Status.COMPILED) {
      uploads.await(cache, () -> false);
    }
    return outcome;
  }

  private static void onAThread(Runnable task) {
    Thread thread = new Thread(task, "kcache-prewarm-uploads");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns what there is to do, in the order in which to begin it. */
  private List<Task> tasks(List<Task.Source> sources, CacheManager cache) {
    List<List<Task>> accepted = new ArrayList<>();
    List<Task> refused = new ArrayList<>();
    Set<Object> known = new HashSet<>();
    for (Task.Source named : sources) {
      List<Task> each =
          targets.targets(named, cache::target).stream()
              .map(target -> new Task(named, target))
              .toList();
      if (named instanceof Task.Refused) {
        refused.addAll(each);
        continue;
      }
      if (!named.source().hasKernel()) {
        context.warning(
            Text.oneLine(named.label())
                + " has no kernel, no "
                + kernel(named.source().language()));
      }
      accepted.add(each.stream().filter(task -> known.add(task.identity())).toList());
    }
    // Only one of the machines that share the work reports what none of them can do.
    List<Task> all = new ArrayList<>(shard().number() == 1 ? refused : List.of());
    all.addAll(TaskOrder.longestFirst(shard().of(TaskOrder.inRounds(accepted)), cache));
    return all;
  }

  /** Returns what makes a kernel in a language whose sources can lack one. */
  private static String kernel(Language language) {
    return switch (language) {
      case HIP -> "__global__ function";
      case LLVM_IR -> "amdgpu_kernel function";
      case ASSEMBLY -> ".amdhsa_kernel";
      case RUST -> "extern \"gpu-kernel\" function";
    };
  }
}
