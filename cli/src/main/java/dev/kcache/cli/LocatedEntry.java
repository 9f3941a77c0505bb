// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheMaintenance;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.CacheEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An entry with the cache directory or the layer that it is in. */
record LocatedEntry(Path directory, CacheEntry entry) {

  /** Returns the entries of the cache directory, then those of the layers in their order. */
  static Stream<LocatedEntry> of(CacheManager cache) {
    return of(cache, directories(cache));
  }

  /** Returns the entries of these directories of the cache. */
  static Stream<LocatedEntry> of(CacheManager cache, List<Path> directories) {
    CacheMaintenance maintenance = cache.maintenance();
    return directories.stream()
        .flatMap(
            directory ->
                maintenance.entries(directory).stream()
                    .map(each -> new LocatedEntry(directory, each)));
  }

  /** Returns the cache directory, if there is one, then the layers in their order. */
  static List<Path> directories(CacheManager cache) {
    CacheMaintenance maintenance = cache.maintenance();
    return Stream.concat(maintenance.directory().stream(), maintenance.layers().stream()).toList();
  }

  /** Writes all that the record says. */
  void writeTo(Json json) {
    json.put("directory", directory)
        .put("target", entry.target())
        .put("label", entry.label())
        .put("source", entry.source())
        .put("codeObject", entry.codeObject())
        .put("codeObjectVersion", entry.codeObjectVersion())
        .put("size", entry.size())
        .put("compileSeconds", entry.compileTime())
        .put("created", entry.created())
        .put("request", entry.request())
        .put("toolchain", entry.toolchain())
        .put("options", entry.options())
        .objects(
            "instances",
            new TreeMap<>(entry.instances()).entrySet(),
            (each, row) -> row.put("name", each.getKey()).put("kernel", each.getValue()))
        .put("command", entry.command())
        .put("log", entry.log());
  }
}
