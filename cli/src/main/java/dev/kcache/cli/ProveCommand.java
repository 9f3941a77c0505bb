// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CachePolicy;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Verification;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code kcache prove}: tells whether a cache has all that is wanted, without a compiler. */
final class ProveCommand extends Verb {
  private static final int SOURCE = 2;

  /** The variables that matter to an application that has no compiler. */
  private static final Set<String> VERSIONS =
      Set.of("KCACHE_ROCM_VERSION", "ROCM_VERSION", "KCACHE_CUDA_VERSION", "CUDA_VERSION");

  /** Whose signatures are asked for. */
  private static final Set<String> KEYS = Set.of("KCACHE_TRUSTED_KEYS", "KCACHE_SIGN_KEY");

  /** What keeps an entry from being served. */
  private static final Set<Finding.Kind> DAMAGE =
      Set.of(
          Finding.Kind.DAMAGED,
          Finding.Kind.INCOMPLETE,
          Finding.Kind.PERMISSIONS,
          Finding.Kind.UNREADABLE);

  private final SourceOptions sourceOptions = new SourceOptions(arguments);

  private final TargetsOption targets =
      new TargetsOption(
          arguments,
          "Target IDs, families or products. Repeatable. Default: those of the manifest, else"
              + " $KCACHE_ARCH.");

  private final Argument<List<Path>> layers =
      arguments.options(
          "--layer",
          "DIR|FILE",
          Converters::path,
          "Look into this directory or pack, after that of --cache-dir, and in no other."
              + " Repeatable.");

  private final Argument<List<String>> classPath =
      arguments.options(
          "--class-path",
          "JARS",
          Converters::text,
          "Look into these jars and folders instead, which carry kernels in META-INF/kcache; separated"
              + " as in a class path. Repeatable.");

  private final Argument<String> image =
      arguments.option(
          "--image",
          "IMAGE",
          Converters::text,
          "Look into this image instead: REGISTRY/NAME:TAG or FILE.tar.");

  private final Argument<ToolchainLabel> label =
      arguments.option(
          "--label",
          "LABEL",
          ToolchainLabel::new,
          "Only what a toolchain with this label made counts, such as 6.4 or llvm20.1. Default: the"
              + " version that a variable sets, else any.");

  private final Argument<Digest> toolchain =
      arguments.option(
          "--toolchain",
          "DIGEST",
          Digest::parse,
          "Only what the toolchain with this digest made counts, as with KCACHE_POLICY=auto.");

  private final WideOption wide = new WideOption(arguments);

  ProveCommand(CliContext context) {
    super(
        context,
        "prove",
        "Proves that a cache has every kernel that is wanted.",
        "Tells for each request and target whether it would be a hit for a process without a"
            + " compiler, or with KCACHE_POLICY=prefer-cache or sealed, and if not, in what the"
            + " nearest entry differs. Then checks all that the directories hold. Runs neither a"
            + " compiler nor anything else, needs no GPU and changes nothing. Exit code 0 if"
            + " nothing is missing, 1 if something is, 4 if something is damaged.");
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    List<Task.Source> sources = sourceOptions.read();
    if (!classPath.value().isEmpty()) {
      return proveCarried(tasks(sources));
    }
    if (image.isGiven()) {
      return proveImage(sources);
    }
    try (CacheManager cache = reader(this::lookedInto)) {
      return prove(cache, sources, false);
    }
  }

  /** Proves a copy of what is sound in an image, and counts the rest as damage. */
  private int proveImage(List<Task.Source> sources) {
    if (namesDirectory() || !layers.value().isEmpty()) {
      throw new IllegalArgumentException("--image stands alone; leave --cache-dir and --layer out");
    }
    ImageCommand.requireEngine();
    try (PulledImage pulled = PulledImage.pull(context, image.value());
        CacheManager cache = reader(builder -> builder.layers(List.of(pulled.directory())))) {
      return prove(cache, sources, pulled.isDamaged());
    }
  }

  private int prove(CacheManager cache, List<Task.Source> sources, boolean isDamaged) {
    List<String> obstacles = new ArrayList<>();
    Verification verification = VerifyCommand.verify(this, cache, false, () -> false, obstacles);
    requireReadable(verification, obstacles);
    List<Finding> damage =
        verification.findings().stream().filter(each -> DAMAGE.contains(each.kind())).toList();
    List<Proof> proofs = tasks(sources).stream().map(task -> prove(cache, task)).toList();
    boolean isSound = !isDamaged && damage.isEmpty();
    boolean isComplete = proofs.stream().allMatch(Proof::isHit);
    show(
        json ->
            json.put("directories", image.isGiven() ? List.of() : verification.directories())
                .putIfPresent("image", Optional.ofNullable(image.valueOrNull()))
                .put("proven", isSound && isComplete)
                .objects("requests", proofs, Proof::writeTo)
                .objects("damage", damage, VerifyCommand::write),
        out ->
            print(
                proofs,
                damage,
                image.isGiven()
                    ? "'" + Text.oneLine(image.value()) + "'"
                    : Text.quoted(verification.directories()),
                out));
    return !isSound ? ExitCode.DAMAGED : isComplete ? ExitCode.OK : ExitCode.FAILED;
  }

  private int proveCarried(List<Task> tasks) {
    if (namesDirectory() || !layers.value().isEmpty() || label.isGiven() || toolchain.isGiven()) {
      throw new IllegalArgumentException(
          "--class-path stands alone; leave --cache-dir, --layer, --label and --toolchain out");
    }
    List<Path> jars = classPath.value().stream().flatMap(ProveCommand::jars).toList();
    if (jars.isEmpty()) {
      throw new IllegalArgumentException("--class-path is empty; name a jar");
    }
    CarriedProof proof = CarriedProof.of(jars, context.environment(), tasks);
    show(
        proof::writeTo,
        out -> {
          print(proof.proofs(), out);
          proof.lines().forEach(out::println);
        });
    return proof.exitCode();
  }

  private static Stream<Path> jars(String text) {
    return Stream.of(text.split(Pattern.quote(File.pathSeparator)))
        .filter(each -> !each.isEmpty())
        .map(Converters::path);
  }

  private Proof prove(CacheManager cache, Task task) {
    return Proof.of(
        task,
        cache.explain(task.source(), task.target()),
        label.valueOrNull(),
        toolchain.valueOrNull());
  }

  private List<Task> tasks(List<Task.Source> sources) {
    Set<Object> known = new HashSet<>();
    return sources.stream()
        .flatMap(
            named ->
                targets.targets(named, this::target).stream()
                    .map(target -> new Task(named, target)))
        .filter(task -> known.add(task.identity()))
        .toList();
  }

  private TargetId target() {
    String named = context.environment().getOrDefault("KCACHE_ARCH", "");
    if (named.isEmpty()) {
      throw new IllegalArgumentException("no target is named; name it by --arch");
    }
    return Converters.device(named);
  }

  /** Returns a manager that finds what a process without a compiler would find. */
  private CacheManager reader(UnaryOperator<CacheManagerBuilder> place) {
    Map<String, String> variables = new HashMap<>(context.environment());
    variables
        .keySet()
        .removeIf(name -> !KEYS.contains(name) && (label.isGiven() || !VERSIONS.contains(name)));
    // Whoever proves an image wants it to hold all.
    CacheManager cache =
        place
            .apply(context.cache().environment(variables).remote())
            .toolchain(new NoCompiler())
            .policy(CachePolicy.PREFER_CACHE)
            .memoryLimit(0)
            .build();
    // What this machine knows to be revoked is revoked wherever it is.
    cache.takeRevocations(context.environment());
    cache.readOnly();
    return cache;
  }

  /**
   * Sets what is looked into: layers, which are only read. The own directory is one, too, unless
   * that makes a difference: what was compiled there needs no signature, and a group may share it.
   */
  private CacheManagerBuilder lookedInto(CacheManagerBuilder builder) {
    List<Path> directories = new ArrayList<>(layers.value());
    if (namedDirectory().stream().anyMatch(Path.of("")::equals)
        || directories.contains(Path.of(""))) {
      throw new IllegalArgumentException("--cache-dir or --layer is empty; name a directory");
    }
    if (namedDirectory().isPresent()) {
      return withOwn(builder, namedDirectory().get(), directories);
    }
    if (!directories.isEmpty()) {
      return builder.layers(directories);
    }
    try (CacheManager here = cache().toolchain(new NoCompiler()).build()) {
      directories.addAll(here.maintenance().layers());
      Optional<Path> own =
          here.maintenance()
              .directory()
              .filter(directory -> directories.isEmpty() || Files.exists(directory));
      if (own.isEmpty() && directories.isEmpty()) {
        throw new IllegalArgumentException("there is no cache directory; name it by --cache-dir");
      }
      if (own.isPresent() && isShared()) {
        builder.directory(own.get()).sharedWithGroup();
      } else if (own.isPresent()) {
        return withOwn(builder, own.get(), directories);
      }
    }
    return builder.layers(directories);
  }

  private CacheManagerBuilder withOwn(
      CacheManagerBuilder builder, Path own, List<Path> directories) {
    if (asksForSignatures() && Files.isDirectory(own)) {
      builder.directory(own);
    } else {
      directories.add(0, own);
    }
    return builder.layers(directories);
  }

  private boolean asksForSignatures() {
    return KEYS.stream().anyMatch(name -> !context.environment().getOrDefault(name, "").isEmpty());
  }

  private boolean isShared() {
    return !context.environment().getOrDefault("KCACHE_SHARED", "").isEmpty();
  }

  /** Ends the command if a directory is missing, cannot be read or is not trusted. */
  private static void requireReadable(Verification verification, List<String> obstacles) {
    verification.findings().stream()
        .filter(finding -> finding.kind() != Finding.Kind.DAMAGED)
        .filter(finding -> verification.directories().contains(finding.file()))
        .forEach(finding -> obstacles.add("'" + finding.file() + "' " + finding.problem()));
    if (!obstacles.isEmpty()) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          obstacles.stream().map(obstacle -> "not proven: " + Text.oneLine(obstacle)).toList());
    }
  }

  private void print(List<Proof> proofs, List<Finding> damage, String place, PrintStream out) {
    print(proofs, out);
    damage.forEach(finding -> out.println(VerifyCommand.line(finding)));
    long hits = proofs.stream().filter(Proof::isHit).count();
    out.println(
        "%s, %d missing, %s of damage in %s"
            .formatted(
                Text.count(hits, "hit"),
                proofs.size() - hits,
                Text.count(damage.size(), "finding"),
                place));
  }

  private void print(List<Proof> proofs, PrintStream out) {
    int columns = wide.columns(context.console());
    List<List<String>> rows =
        proofs.stream()
            .map(
                proof ->
                    List.of(
                        proof.isHit() ? "hit" : "miss",
                        proof.task().target().toString(),
                        Text.oneLine(proof.task().label()),
                        proof.text(columns == 0)))
            .toList();
    Text.wrap(rows, SOURCE, columns).forEach(out::println);
  }
}
