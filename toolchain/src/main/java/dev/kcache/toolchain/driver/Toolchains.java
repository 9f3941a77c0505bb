// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.RequestedLabel;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainCandidate;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import dev.kcache.toolchain.probe.CompilerVariables;
import dev.kcache.toolchain.rust.FoundRustc;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The compiler of each platform: the builder's for all, else what {@code KCACHE_TOOLCHAIN} names,
 * else for AMD's targets that of {@code KCACHE_EXECUTOR}'s machines, else the platform's own,
 * {@code hipcc} or {@code nvcc}, else the first {@linkplain ToolchainProvider provider's} that can
 * be had. Looked for when a request first needs it.
 *
 * <p>A version that is set for a platform says which compiler is meant: no provider's of another
 * version takes the place of one that is not there. One that was asked for by name is taken
 * whatever version of ROCm or CUDA is set.
 *
 * <p>Safe for use by any number of threads, of which one looks; a failure is thrown and not
 * remembered. Closing it ends the compilers that were found here.
 */
public final class Toolchains implements AutoCloseable {
  /** A toolchain with the name that asks for it. */
  private record Named(String name, Toolchain toolchain) {}

  private final @Nullable Toolchain given;
  private final @Nullable ToolchainLabel runtime;
  private final Map<String, String> environment;
  private final Supplier<ToolchainContext> context;
  private final Optional<String> wanted;
  private final Map<Platform, List<Named>> found = new ConcurrentHashMap<>();
  private final FoundRustc rustc;
  private final Map<Platform, Optional<RequestedLabel>> requested = new ConcurrentHashMap<>();

  /**
   * Finds nothing yet.
   *
   * @param given compiles for every platform, unless it is null
   * @param wanted the name of the toolchain that is asked for, if one is
   * @param runtime the release of the GPU runtime that is loaded; null if that is not known
   * @param environment the environment variables by name
   * @param context returns what a toolchain may use, once one is needed
   * @throws IllegalArgumentException if a variable for ROCm's version holds none; one for CUDA's is
   *     looked at when it is needed, since others set it too
   */
  public Toolchains(
      @Nullable Toolchain given,
      @Nullable String wanted,
      @Nullable ToolchainLabel runtime,
      Map<String, String> environment,
      Supplier<ToolchainContext> context) {
    this.given = given;
    this.wanted = Optional.ofNullable(wanted);
    this.runtime = runtime;
    this.environment = requireNonNull(environment, "environment");
    this.context = requireNonNull(context, "context");
    rustc = new FoundRustc(context);
    requested(Platform.AMD);
  }

  /**
   * {@return the compiler for a platform}
   *
   * @param platform the one that is compiled for
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  public Toolchain of(Platform platform) {
    requireNonNull(platform, "platform");
    return given != null ? given : named(platform).toolchain();
  }

  /**
   * {@return what is compiled for a device where nobody names a target; the device's own if nothing
   * is}
   *
   * @param device the target that the device reports
   */
  public TargetId targetFor(TargetId device) {
    requireNonNull(device, "device");
    try {
      return of(device.processor().platform()).targetFor(device);
    } catch (ToolchainNotFoundException e) {
      // What is kept may do; who compiles says what is missing.
      return device;
    }
  }

  /**
   * {@return the first compiler to ask for a language} Rust's is rustc alone, for which no version
   * of ROCm and no name of another compiler counts.
   *
   * @param platform the one that is compiled for
   * @param language what the source is written in
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment names something else
   */
  public Toolchain of(Platform platform, Language language) {
    requireNonNull(platform, "platform");
    requireNonNull(language, "language");
    return given == null && language == Language.RUST ? rustc.get() : of(platform);
  }

  private Named named(Platform platform) {
    List<Named> known = found.get(platform);
    return (known != null ? known : find(platform)).get(0);
  }

  private synchronized List<Named> find(Platform platform) {
    List<Named> named = found.get(platform);
    if (named == null) {
      named = List.of(chosen(platform));
      found.put(platform, named);
    }
    return named;
  }

  private Named chosen(Platform platform) {
    Optional<String> unknown = CompilerVariables.unknownPlatform(environment);
    if (unknown.isPresent()) {
      throw new ToolchainNotFoundException(unknown.get());
    }
    if (!isOwn()) {
      return provided(wanted.get(), platform);
    }
    if (wanted.isPresent() || !ExecutorChoice.isMade(platform, environment)) {
      return own(platform);
    }
    Toolchain chosen =
        ExecutorChoice.open(platform, context.get(), () -> driver(DriverKind.of(platform)));
    return chosen instanceof DriverToolchain here
        ? new Named(FoundDriver.kindOf(platform, here.program()).toString(), here)
        : new Named(ExecutorChoice.NAME, chosen);
  }

  /**
   * {@return the toolchain that comes after one of a platform's, for what that one can't do; empty
   * if there is no other, or if the compiler was chosen by name: that one is never replaced}
   *
   * @param platform the one that is compiled for
   * @param toolchain one of the platform's
   */
  public synchronized Optional<Toolchain> after(Platform platform, Toolchain toolchain) {
    requireNonNull(platform, "platform");
    requireNonNull(toolchain, "toolchain");
    if (given != null
        || wanted.isPresent()
        || CompilerVariables.name(platform, environment)
        || rustc.is(toolchain)) {
      return Optional.empty();
    }
    List<Named> known = find(platform);
    List<Toolchain> toolchains = known.stream().map(Named::toolchain).toList();
    int next = toolchains.indexOf(toolchain) + 1;
    if (next < known.size()) {
      return Optional.of(toolchains.get(next));
    }
    Optional<Named> more = more(platform, known);
    more.ifPresent(
        named -> found.put(platform, Stream.concat(known.stream(), more.stream()).toList()));
    return more.map(Named::toolchain);
  }

  /** Opens the first provider's toolchain beside those that are known. */
  private Optional<Named> more(Platform platform, List<Named> known) {
    Optional<RequestedLabel> set = requested(platform);
    List<String> names = known.stream().map(Named::name).toList();
    for (ToolchainProvider provider : Providers.of(platform)) {
      if (!names.contains(provider.name()) && provider.isUsable(environment)) {
        Toolchain toolchain = provider.open(platform, context.get());
        if (set.isEmpty() || provider.standsInFor(set.get().label(), toolchain.label())) {
          return Optional.of(new Named(provider.name(), toolchain));
        }
        toolchain.close();
      }
    }
    return Optional.empty();
  }

  /**
   * {@return which of some labels may be looked up where there is no compiler, in order: a version
   * that is set, and what stands in for it; if none is set, the runtime's release takes its place,
   * and then come all others, the newest of each compiler first} None if a compiler is asked for
   * that is not there, since that is an error.
   *
   * @param platform the one that is looked up
   * @param language what the source is written in
   * @param present the labels that the cache has entries of
   */
  public List<ToolchainLabel> withoutCompiler(
      Platform platform, Language language, Set<ToolchainLabel> present) {
    requireNonNull(platform, "platform");
    requireNonNull(language, "language");
    requireNonNull(present, "present");
    if (language == Language.RUST) {
      return rustc.usable(present);
    }
    if (wanted.isPresent() || CompilerVariables.askForOne(platform, environment)) {
      return List.of();
    }
    Optional<ToolchainLabel> set = requested(platform).map(RequestedLabel::label);
    List<ToolchainLabel> newest =
        present.stream().sorted(ToolchainLabel.NEWEST_OF_EACH_COMPILER).toList();
    Set<ToolchainLabel> found = new LinkedHashSet<>();
    ToolchainLabel meant = set.orElse(runtime);
    if (meant != null) {
      found.add(meant);
    }
    if (meant != null && !found.containsAll(newest)) {
      for (ToolchainProvider provider : Providers.of(platform)) {
        newest.stream().filter(label -> provider.standsInFor(meant, label)).forEach(found::add);
      }
    }
    if (set.isEmpty()) {
      found.addAll(newest);
    }
    return List.copyOf(found);
  }

  /**
   * {@return the platform that a compiler is for, if it has one of those names that {@link
   * #candidates} lists for a single platform and that need no provider}
   *
   * @param name a compiler's name, as {@code KCACHE_TOOLCHAIN} takes it
   */
  public static Optional<Platform> platformOf(String name) {
    requireNonNull(name, "name");
    return DriverKind.named(name).map(DriverKind::platform);
  }

  /** Returns whether the platform's own compiler is meant. */
  private boolean isOwn() {
    return wanted.isEmpty() || DriverKind.named(wanted.get()).isPresent();
  }

  /** {@return where the compiles are, if other machines run those of a toolchain in use} */
  public Optional<ExecutorLoad> load() {
    return found.values().stream()
        .flatMap(List::stream)
        .flatMap(named -> named.toolchain().load().stream())
        .findFirst();
  }

  /** {@return the name of the toolchain that is asked for, if one is} */
  public Optional<String> wanted() {
    return wanted;
  }

  /**
   * {@return what there is for a platform, in the order in which it is taken}
   *
   * @param platform the one that is compiled for
   */
  public List<ToolchainCandidate> candidates(Platform platform) {
    requireNonNull(platform, "platform");
    Optional<String> used = used(platform);
    List<ToolchainCandidate> all = new ArrayList<>();
    for (DriverKind kind : DriverKind.of(platform)) {
      String name = kind.toString();
      all.add(
          Candidates.of(name, used, () -> describe(name, platform, () -> driver(List.of(kind)))));
    }
    for (ToolchainProvider each : Providers.of(platform)) {
      Optional<String> asked = wanted.filter(each::answersTo);
      if (each.isListed(environment) || asked.isPresent()) {
        String name = asked.orElse(each.name());
        Supplier<Toolchain> open = () -> each.open(platform, asking(name));
        boolean usable =
            each.isUsable(asked.isPresent() ? asking(name).environment() : environment);
        all.add(
            Candidates.of(
                name,
                usable,
                used,
                () -> describe(name, platform, open),
                () -> each.pending(context.get())));
      }
    }
    return List.copyOf(all);
  }

  /** Asks a toolchain what it is: one that is in use already, or another, which is closed again. */
  private String describe(String name, Platform platform, Supplier<Toolchain> open) {
    for (Named known : found.getOrDefault(platform, List.of())) {
      if (known.name().equals(name)) {
        return known.toolchain().describe();
      }
    }
    try (Toolchain toolchain = open.get()) {
      return toolchain.describe();
    }
  }

  /** Returns the name of the one that is in use, if that is none of the builder's. */
  private Optional<String> used(Platform platform) {
    if (given != null) {
      return Optional.empty();
    }
    if (!isOwn()) {
      return wanted;
    }
    try {
      Named named = named(platform);
      // Throws if it can't be run.
      ToolchainLabel unused = named.toolchain().label();
      return Optional.of(named.name());
    } catch (ToolchainNotFoundException | IllegalArgumentException e) {
      // There is none to compile with.
      return Optional.empty();
    }
  }

  private DriverToolchain driver(List<DriverKind> kinds) {
    return DriverToolchain.find(kinds, context.get(), InstantSource.system());
  }

  /** A kind that is asked for is one of a single platform; the others' own do without it. */
  private Named own(Platform platform) {
    List<DriverKind> all = DriverKind.of(platform);
    List<DriverKind> asked =
        wanted.flatMap(DriverKind::named).filter(all::contains).map(List::of).orElse(all);
    try {
      DriverToolchain toolchain = driver(asked);
      DriverKind kind = FoundDriver.kindOf(platform, toolchain.program());
      return new Named(kind.toString(), toolchain);
    } catch (ToolchainNotFoundException e) {
      // What was asked for is not replaced, whether by the name of a compiler or by its place.
      if (wanted.isPresent() || CompilerVariables.askForOne(platform, environment)) {
        throw e;
      }
      return instead(platform, requested(platform), e);
    }
  }

  /**
   * Returns the first toolchain that can be had instead of the platform's own compiler.
   *
   * @param set the version that is set for the platform's compiler; only one of that version will
   *     do
   * @param missing what is said of the platform's own compiler
   * @throws ToolchainNotFoundException if there is none
   */
  private Named instead(
      Platform platform, Optional<RequestedLabel> set, ToolchainNotFoundException missing) {
    StringBuilder lacking = new StringBuilder(String.valueOf(missing.getMessage()));
    List<String> others = new ArrayList<>();
    for (ToolchainProvider provider : Providers.of(platform)) {
      if (provider.isUsable(environment)) {
        Toolchain toolchain;
        try {
          toolchain = provider.open(platform, context.get());
        } catch (ToolchainNotFoundException e) {
          lacking.append("; ").append(e.getMessage());
          continue;
        }
        if (set.isEmpty() || set.get().label().equals(toolchain.label())) {
          System.getLogger(Toolchains.class.getName())
              .log(Level.DEBUG, "{0}; using {1}", missing.getMessage(), toolchain.describe());
          return new Named(provider.name(), toolchain);
        }
        others.add(provider.name());
      }
    }
    if (!others.isEmpty()) {
      lacking.append(
          "; %s=%s is set: to compile by another version, set KCACHE_TOOLCHAIN to %s"
              .formatted(
                  set.orElseThrow().variable(),
                  set.orElseThrow().value(),
                  String.join(" or ", others)));
    }
    Providers.lost().ifPresent(lost -> lacking.append("; ").append(lost));
    ToolchainNotFoundException none = new ToolchainNotFoundException(lacking.toString());
    none.initCause(missing);
    throw none;
  }

  /** It looks elsewhere for what a variable says in vain. */
  private Named provided(String name, Platform platform) {
    List<ToolchainProvider> providers = Providers.of(platform);
    for (ToolchainProvider provider : providers) {
      if (provider.answersTo(name)) {
        Toolchain toolchain = provider.open(platform, asking(name));
        // CUDA's directories concern nvcc only.
        if (platform == Platform.AMD) {
          CompilerVariables.fault(platform, environment).ifPresent(Toolchains::warn);
        }
        return new Named(name, toolchain);
      }
    }
    List<String> names = new ArrayList<>();
    DriverKind.of(platform).forEach(kind -> names.add(kind.toString()));
    providers.stream()
        .filter(each -> each.isListed(environment))
        .forEach(each -> names.add(each.name()));
    throw new IllegalArgumentException(
        "there is no toolchain '%s' for %s here; KCACHE_TOOLCHAIN and --toolchain take %s; others come with an artifact kcache-NAME on the class path"
                .formatted(name, platform, String.join(", ", names))
            + Providers.lost().map("; "::concat).orElse(""));
  }

  /** Returns the context for the provider that a name asks for, which an option may have set. */
  private ToolchainContext asking(String name) {
    ToolchainContext given = context.get();
    Map<String, String> variables = new HashMap<>(given.environment());
    variables.put("KCACHE_TOOLCHAIN", name);
    return new ToolchainContext(
        variables,
        given.stagingParent(),
        given.directory(),
        given.memoDirectory(),
        given.batch(),
        given.timeout());
  }

  /**
   * Warns of variables with flags, which compiles here ignore.
   *
   * @param platform the one that is compiled for
   */
  public void warnOfIgnoredFlags(Platform platform) {
    requireNonNull(platform, "platform");
    if (given == null && isOwn()) {
      CompilerVariables.ignoredFlags(platform, environment).ifPresent(Toolchains::warn);
    }
  }

  private static void warn(String problem) {
    Notices.warn(System.getLogger(Toolchains.class.getName()), problem);
  }

  /**
   * As {@link #requested(Platform)}; none for a language that another compiler compiles.
   *
   * @param platform the one that is compiled for
   * @param language what the source is written in
   * @return the label that a variable sets, if one does and it counts
   */
  public Optional<RequestedLabel> requested(Platform platform, Language language) {
    requireNonNull(platform, "platform");
    requireNonNull(language, "language");
    return language == Language.RUST ? Optional.empty() : requested(platform);
  }

  /**
   * {@return the label that a variable sets for a platform, if one does and it counts}
   *
   * @param platform the one that is compiled for
   * @throws IllegalArgumentException if it holds no version
   */
  public Optional<RequestedLabel> requested(Platform platform) {
    requireNonNull(platform, "platform");
    if (!isOwn()) {
      return Optional.empty();
    }
    Optional<RequestedLabel> label = requested.get(platform);
    if (label == null) {
      label = RequestedLabel.in(environment, platform);
      requested.put(platform, label);
    }
    return label;
  }

  @Override
  public synchronized void close() {
    for (List<Named> toolchains : found.values()) {
      toolchains.forEach(named -> named.toolchain().close());
    }
    rustc.close();
  }
}
