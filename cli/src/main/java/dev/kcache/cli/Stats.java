// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheUsage;
import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Kernel;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The data of {@code kcache stats}.
 *
 * @param directory the cache directory
 * @param usage what has been counted
 * @param entries the entries in the cache directory
 * @param diskBytes what {@code kcache clear} would free
 * @param memoBytes the size of what the cache remembers about compilers
 * @param toolchainBytes the size of compilers that were unpacked
 */
record Stats(
    Optional<Path> directory,
    CacheUsage usage,
    List<CacheEntry> entries,
    long diskBytes,
    long memoBytes,
    long toolchainBytes) {

  /**
   * What is known of a target.
   *
   * @param name the target ID, or what stands for the rest
   * @param counts what has been counted
   * @param entries how many entries there are
   * @param bytes the size of their code objects
   */
  record Target(String name, Counts counts, long entries, long bytes) {}

  /** Returns how a target is called; {@code others} is for what has no row of its own. */
  static String name(Optional<TargetId> target) {
    return target.map(TargetId::toString).orElse("others");
  }

  /** Returns each target that was asked for or has entries. */
  List<Target> targets() {
    Map<String, Counts> counts = new HashMap<>();
    for (Kernel kernel : usage.kernels()) {
      counts.merge(name(kernel.target()), kernel.counts(), Counts::plus);
    }
    Map<String, Map<Digest, Long>> sizes = new HashMap<>();
    Map<String, Long> numbers = new HashMap<>();
    for (CacheEntry entry : entries) {
      String name = entry.target().toString();
      sizes.computeIfAbsent(name, unused -> new HashMap<>()).put(entry.codeObject(), entry.size());
      numbers.merge(name, 1L, Long::sum);
    }
    TreeSet<String> names = new TreeSet<>(counts.keySet());
    names.addAll(numbers.keySet());
    List<Target> targets = new ArrayList<>();
    for (String name : names) {
      targets.add(
          new Target(
              name,
              counts.getOrDefault(name, Counts.NONE),
              numbers.getOrDefault(name, 0L),
              sum(sizes.getOrDefault(name, Map.of()))));
    }
    return targets;
  }

  /** Writes everything that was counted; what has no row of its own has no target. */
  void writeTo(Json json) {
    json.put("directory", directory)
        .put("since", usage.since())
        .object(
            "total",
            total -> {
              write(usage.total(), total);
              total
                  .put("entries", entries.size())
                  .put("size", bytes())
                  .put("diskSize", diskBytes)
                  .put("memoSize", memoBytes)
                  .put("toolchainsSize", toolchainBytes);
            })
        .objects(
            "targets",
            targets(),
            (target, row) -> {
              write(target.counts(), row.put("target", target.name()));
              row.put("entries", target.entries()).put("size", target.bytes());
            })
        .objects(
            "kernels",
            usage.kernels(),
            (kernel, row) ->
                write(
                    kernel.counts(),
                    row.put("target", kernel.target()).put("source", kernel.source())));
  }

  private static void write(Counts counts, Json json) {
    json.put("memoryHits", counts.memoryHits())
        .put("diskHits", counts.diskHits())
        .put("misses", counts.misses())
        .put("compiles", counts.compiles())
        .put("failedCompiles", counts.failedCompiles())
        .put("notKept", counts.notKept())
        .put("compileSeconds", counts.compileTime())
        .put("savedSeconds", counts.savedTime());
  }

  /** Returns the size of all code objects. */
  long bytes() {
    return targets().stream().mapToLong(Target::bytes).sum();
  }

  private static long sum(Map<Digest, Long> sizes) {
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }
}
