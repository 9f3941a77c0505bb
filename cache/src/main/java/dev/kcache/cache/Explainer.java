// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import dev.kcache.cache.classpath.ClassPathLayer;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.Difference.Kind;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.cache.explain.NearEntry;
import dev.kcache.cache.explain.RequestFields;
import dev.kcache.cache.explain.ResourceLookup;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.ResourceNames;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Explains what a request finds, on the class path and in the directories. It reads every directory
 * as a layer, so that nothing is counted as used or moved aside.
 *
 * <p>Safe for use by any number of threads.
 */
final class Explainer {
  private static final int MOST_NEAR = 3;

  /** Of many files, those that come first are enough to tell that a compiler is another. */
  private static final int MOST_FILES = 5;

  /** Who asks about one request often asks about a thousand. */
  private static final Duration FRESH = Duration.ofSeconds(2);

  private final Directories directories;
  private final RequestResolver resolver;
  private final Map<Path, SoftReference<Listing>> listings = new ConcurrentHashMap<>();

  Explainer(Directories directories, RequestResolver resolver) {
    this.directories = directories;
    this.resolver = resolver;
  }

  /** What is looked up, and where. */
  private record Search(RequestFields request, @Nullable RequestKey key, List<Layer> layers) {}

  /**
   * The entries of a directory, with those in quarantine that are revoked, as they were at an
   * instant of {@link System#nanoTime}.
   */
  private record Listing(List<CacheEntry> entries, long read) {}

  Explanation explain(KernelSource source, TargetId target) {
    resolver.awaitRevocations();
    RequestFields request = RequestKey.describe(source, target);
    List<Layer> layers = directories.asLayers();
    Optional<String> carried =
        resolver.classPath().locate(source, target).map(ClassPathLayer.Located::record);
    RequestKey key = key(source, target);
    Search search = new Search(request, key, layers);
    List<NearEntry> hits = key == null ? List.of() : hits(key, layers);
    if (hits.isEmpty()) {
      hits =
          resolver.standIns(source, target).stream()
              .flatMap(other -> hits(other, layers).stream())
              .toList();
    }
    return new Explanation(
        request,
        RequestKey.encoding(source, target),
        Optional.ofNullable(key).map(known -> known.request().label()),
        Optional.ofNullable(key).map(RequestKey::toolchain),
        Optional.ofNullable(key).flatMap(this::path),
        new ResourceLookup(ResourceNames.record(target, request.digest()), carried),
        hits,
        hits.isEmpty() && carried.isEmpty() ? nearest(search) : List.of());
  }

  /**
   * Returns what the entry that is most like a request has that the request has not. Looks for no
   * entry of the request, since a lookup has done that.
   */
  Lack lack(KernelSource source, TargetId target) {
    RequestKey key = key(source, target);
    RequestFields request = RequestKey.describe(source, target);
    return new Lack(
        Optional.ofNullable(key).map(known -> known.request().label()),
        nearest(new Search(request, key, directories.asLayers())).stream().findFirst());
  }

  /**
   * What is told of a request that was not found.
   *
   * @param label that of the toolchain, if there is one
   * @param nearest the entry that is most like it, if one is
   */
  record Lack(Optional<ToolchainLabel> label, Optional<NearEntry> nearest) {}

  /** Returns that nothing is near, and in which directories; a misspelt name shows there. */
  String nothingNear() {
    return directories.all().isEmpty()
        ? "no entry is like it: no directory is looked into"
        : directories.all().stream()
            .map(this::described)
            .collect(Collectors.joining(", ", "no entry is like it in ", ""));
  }

  private String described(EntryDirectory place) {
    String state =
        Files.notExists(place.root())
            ? " (does not exist)"
            : place.isReadable() && entries(place).isEmpty() ? " (has no entries)" : "";
    return "'" + place.root() + "'" + state;
  }

  private Optional<Path> path(RequestKey key) {
    return directories.own().map(own -> own.path(key.request(), key.toolchain()));
  }

  private @Nullable RequestKey key(KernelSource source, TargetId target) {
    try {
      return resolver.key(source, target);
    } catch (ToolchainNotFoundException e) {
      return null;
    }
  }

  private List<NearEntry> hits(RequestKey key, List<Layer> layers) {
    return layers.stream()
        .flatMap(
            layer ->
                resolver
                    .serving(key, layer)
                    .filter(entry -> layer.load(entry).isPresent())
                    .map(entry -> new NearEntry(layer.root(), entry, List.of())))
        .toList();
  }

  private List<NearEntry> nearest(Search search) {
    return search.layers().stream()
        .flatMap(layer -> entries(layer).stream().flatMap(each -> near(search, layer, each)))
        .sorted(
            comparing((NearEntry near) -> near.differences().size())
                .thenComparing(near -> !near.entry().target().equals(search.request().target()))
                .thenComparing(near -> near.entry().created(), reverseOrder()))
        .limit(MOST_NEAR)
        .toList();
  }

  private List<CacheEntry> entries(EntryDirectory layer) {
    SoftReference<Listing> known = listings.get(layer.root());
    Listing listing = known == null ? null : known.get();
    if (listing == null || System.nanoTime() - listing.read() > FRESH.toNanos()) {
      List<CacheEntry> entries =
          Stream.concat(layer.entries().stream(), layer.revoked().stream()).toList();
      listing = new Listing(entries, System.nanoTime());
      listings.put(layer.root(), new SoftReference<>(listing));
    }
    return listing.entries();
  }

  private static Stream<NearEntry> near(Search search, EntryDirectory layer, CacheEntry entry) {
    if (!isRelated(entry, search.request())) {
      return Stream.empty();
    }
    List<Difference> differences = new ArrayList<>(search.request().differences(entry));
    if (search.key() != null) {
      compareCompilers(search.key(), layer, entry, differences);
    }
    Optional<String> objection = layer.objection(entry);
    if (objection.isPresent()) {
      differences.add(new Difference(Kind.TRUST, objection.get()));
    } else if (layer.load(entry).isEmpty()) {
      differences.add(new Difference(Kind.CODE_OBJECT, "its code object is missing or damaged"));
    }
    return Stream.of(new NearEntry(layer.root(), entry, differences));
  }

  /** The same name or a file in common. */
  private static boolean isRelated(CacheEntry entry, RequestFields request) {
    Set<Digest> files = new HashSet<>();
    request.inputs().forEach(input -> files.add(input.digest()));
    return entry.source().equals(request.name())
        || entry.inputs().stream().anyMatch(input -> files.contains(input.digest()));
  }

  /**
   * Returns how the compiler of a key differs from the one that made an entry for the same request,
   * or else the headers of it that the entry's compile read.
   */
  static List<Difference> compilerDifferences(RequestKey key, Layer layer, CacheEntry entry) {
    List<Difference> differences = new ArrayList<>();
    compareCompilers(key, layer, entry, differences);
    return differences;
  }

  private static void compareCompilers(
      RequestKey key, EntryDirectory layer, CacheEntry entry, List<Difference> differences) {
    if (!entry.label().equals(key.request().label())) {
      differences.add(
          new Difference(
              Kind.LABEL, "compiler %s → %s".formatted(entry.label(), key.request().label())));
      return;
    }
    Toolchain compiler = key.compiler();
    if (compiler == null) {
      return;
    }
    if (!Objects.equals(key.toolchain(), entry.toolchain())) {
      compareIdentities(key.request().target(), compiler, layer, entry, differences);
    } else if (differences.isEmpty()) {
      compareDependencies(compiler, layer, entry, differences);
    }
  }

  /** Returns the headers of the compiler that a compile read and that of an entry did not. */
  static List<Difference> newDependencies(
      Toolchain.Output output, EntryDirectory layer, CacheEntry entry) {
    Set<String> had =
        layer.dependencies(entry).map(DependencyList::files).orElse(List.of()).stream()
            .map(Toolchain.File::path)
            .collect(Collectors.toSet());
    return output.dependencies().stream()
        .filter(file -> !had.contains(file.path()))
        .limit(MOST_FILES)
        .map(
            file ->
                new Difference(
                    Kind.DEPENDENCY, "compiler header '%s' is new".formatted(file.path())))
        .toList();
  }

  private static void compareIdentities(
      TargetId target,
      Toolchain compiler,
      EntryDirectory layer,
      CacheEntry entry,
      List<Difference> differences) {
    boolean same = differences.isEmpty();
    String present = compiler.describe();
    if (!entry.compiler().equals(present)) {
      differences.add(
          new Difference(
              Kind.TOOLCHAIN, "compiler '%s' → '%s'".formatted(entry.compiler(), present)));
    }
    Optional<List<Toolchain.File>> had = layer.toolchainFiles(entry).map(DependencyList::files);
    if (had.isPresent() && entry.target().equals(target)) {
      compareFiles(had.get(), compiler.identityFiles(target, entry.options()), differences);
    }
    if (same && differences.isEmpty()) {
      differences.add(
          new Difference(Kind.TOOLCHAIN, "the compiler's own flags or variables changed"));
    }
  }

  private static void compareFiles(
      List<Toolchain.File> had, List<Toolchain.File> now, List<Difference> differences) {
    Map<String, Digest> before = byPath(had);
    Map<String, Digest> after = byPath(now);
    Set<String> paths = new TreeSet<>(before.keySet());
    paths.addAll(after.keySet());
    paths.stream()
        .filter(path -> !Objects.equals(before.get(path), after.get(path)))
        .limit(MOST_FILES)
        .forEach(
            path ->
                differences.add(
                    new Difference(
                        Kind.TOOLCHAIN,
                        "compiler file '%s' %s"
                            .formatted(
                                path,
                                before.get(path) == null
                                    ? "is new"
                                    : after.get(path) == null ? "is gone" : "changed"))));
  }

  private static Map<String, Digest> byPath(List<Toolchain.File> files) {
    Map<String, Digest> byPath = new HashMap<>();
    files.forEach(file -> byPath.put(file.path(), file.digest()));
    return byPath;
  }

  private static void compareDependencies(
      Toolchain compiler, EntryDirectory layer, CacheEntry entry, List<Difference> differences) {
    Optional<List<Toolchain.File>> read = layer.dependencies(entry).map(DependencyList::files);
    if (read.isEmpty()) {
      differences.add(
          new Difference(
              Kind.DEPENDENCY, "the list of the compiler's files that it read is missing"));
      return;
    }
    read.get().stream()
        .filter(file -> !compiler.hasUnchanged(List.of(file)))
        .limit(MOST_FILES)
        .forEach(
            file ->
                differences.add(
                    new Difference(
                        Kind.DEPENDENCY, "compiler header '%s' changed".formatted(file.path()))));
  }
}
