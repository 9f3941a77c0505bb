// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheHealth;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.driver.Toolchains;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The check of {@code kcache doctor} of what the cache and its layers have where nothing compiles.
 *
 * @param targets the targets to look up, last the one to compile for; none if unknown
 * @param label the label that is looked under; empty if none is set and no compiler has one
 * @param variable the variable that sets a label
 */
record CachedCheck(
    CacheManager cache,
    Map<String, String> environment,
    CacheHealth health,
    Platform platform,
    List<TargetId> targets,
    Optional<ToolchainLabel> label,
    String variable) {
  private static final String NAME = "cached";

  /** Returns the check; empty if there is nothing to look for. */
  Optional<Check> check() {
    List<CacheEntry> entries = entries();
    return label.isEmpty() && entries.isEmpty() ? Optional.empty() : Optional.of(check(entries));
  }

  private Check check(List<CacheEntry> entries) {
    List<ToolchainLabel> labels = label.map(List::of).orElseGet(() -> withoutCompiler(entries));
    if (labels.isEmpty()) {
      Stream<CacheEntry> own =
          entries.stream().filter(each -> each.target().processor().platform() == platform);
      return Check.fail(
          NAME,
          "without a compiler nothing says which label to look for",
          "set " + variable + "; the cache has " + among(own.map(CachedCheck::label)));
    }
    String held = among(entries.stream().map(each -> each.target() + " with " + each.label()));
    if (targets.isEmpty()) {
      return Check.fail(
          NAME,
          "without a compiler only the cache serves, and it is unknown for which target",
          "set KCACHE_ARCH; the cache has " + held);
    }
    String target = " for " + targets.get(targets.size() - 1);
    List<CacheEntry> serving =
        entries.stream()
            .filter(each -> targets.contains(each.target()) && labels.contains(each.label()))
            .toList();
    return serving.isEmpty()
        ? Check.fail(
            NAME,
            "nothing"
                + target
                + label.map(set -> " with label " + set).orElse("")
                + ", and nothing can be compiled; the cache and its layers have "
                + held,
            "prewarm it where there is a compiler, and name that directory in KCACHE_PATH")
        : Check.note(
            NAME,
            Text.entries(serving.size())
                + target
                + " with label "
                + among(serving.stream().map(CachedCheck::label))
                + "; nothing else can be had");
  }

  /** Returns the labels that serve where none is set; none if a compiler is asked for by name. */
  private List<ToolchainLabel> withoutCompiler(List<CacheEntry> entries) {
    String wanted = cache.wantedToolchain().orElse(null);
    try (Toolchains none =
        new Toolchains(null, wanted, null, environment, CachedCheck::neverUsed)) {
      return none.withoutCompiler(
          platform,
          Language.HIP,
          entries.stream().map(CacheEntry::label).collect(Collectors.toSet()));
    }
  }

  private static ToolchainContext neverUsed() {
    throw new IllegalStateException("no compiler is asked");
  }

  private List<CacheEntry> entries() {
    return Stream.concat(health.directory().stream(), health.layers().stream())
        .filter(directory -> directory.counts().entries() > 0)
        .map(DirectoryHealth::root)
        .flatMap(root -> cache.maintenance().entries(root).stream())
        .toList();
  }

  private static String label(CacheEntry entry) {
    return entry.label().toString();
  }

  private static String among(Stream<String> names) {
    String all = names.distinct().sorted().collect(Collectors.joining(", "));
    return all.isEmpty() ? "no entries" : all;
  }
}
