// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.Occupancy;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What {@code kcache report} shows.
 *
 * @param version the version of the command
 * @param written when the cache was looked at
 * @param directories what was looked at, in order
 * @param since since when requests have been counted; empty if none has been
 * @param counts the counts of the targets that are shown
 * @param entries the entries whose code objects could be read
 * @param rows the kernels of each entry; of one without kernels a row without
 * @param leftOut how many entries are damaged or incomplete
 */
record Report(
    String version,
    Instant written,
    List<Path> directories,
    Optional<Instant> since,
    Counts counts,
    List<LocatedEntry> entries,
    List<Row> rows,
    long leftOut) {

  /**
   * A kernel of an entry.
   *
   * @param kernel null for an entry without kernels
   * @param hits how often the source was found for the target
   */
  record Row(LocatedEntry located, Format format, @Nullable KernelMetadata kernel, long hits) {
    /** Returns the rows of an entry, at least one. */
    static List<Row> of(LocatedEntry located, CodeObject code, long hits) {
      return code.kernels().isEmpty()
          ? List.of(new Row(located, code.format(), null, hits))
          : code.kernels().stream()
              .map(kernel -> new Row(located, code.format(), kernel, hits))
              .toList();
    }

    CacheEntry entry() {
      return located.entry();
    }

    /** Returns the name of the kernel: in the source, if it is an instance, else in the image. */
    Optional<String> name() {
      if (kernel == null) {
        return Optional.empty();
      }
      return entry().instances().entrySet().stream()
          .filter(instance -> instance.getValue().equals(kernel.name()))
          .map(Map.Entry::getKey)
          .min(String::compareTo)
          .or(() -> Optional.of(kernel.name()));
    }

    /** Returns the wavefronts that a SIMD can hold, if they are known. */
    Optional<Occupancy> occupancy() {
      return Optional.ofNullable(kernel)
          .flatMap(each -> Occupancy.of(entry().target().processor(), each));
    }

    boolean isAmd() {
      return format == Format.AMDGPU_ELF;
    }
  }

  /** Returns the size of all code objects; entries may share one. */
  long bytes() {
    Map<Object, Long> sizes = new HashMap<>();
    entries.forEach(each -> sizes.put(each.entry().codeObject(), each.entry().size()));
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the targets of the entries, in the order of their names. */
  List<String> targets() {
    return entries.stream()
        .map(each -> each.entry().target())
        .distinct()
        .map(TargetId::toString)
        .sorted()
        .toList();
  }

  /** Returns how many kernels there are. */
  long kernels() {
    return rows.stream().filter(each -> each.kernel() != null).count();
  }

  /** Writes it for programs; what a format doesn't have is null. */
  void writeTo(Json json) {
    json.put("version", version)
        .put("written", written)
        .put("directories", directories)
        .put("since", since)
        .object(
            "total",
            total ->
                total
                    .put("memoryHits", counts.memoryHits())
                    .put("diskHits", counts.diskHits())
                    .put("misses", counts.misses())
                    .put("compileSeconds", counts.compileTime())
                    .put("savedSeconds", counts.savedTime())
                    .put("remoteHits", counts.remoteHits())
                    .put("entries", entries.size())
                    .put("leftOut", leftOut)
                    .put("kernels", kernels())
                    .put("size", bytes()))
        .put("targets", targets())
        .objects("kernels", rows, Report::write);
  }

  private static void write(Row row, Json json) {
    CacheEntry entry = row.entry();
    json.put("directory", row.located().directory())
        .put("kernel", row.name())
        .put("name", row.kernel() == null ? null : row.kernel().name())
        .put("source", entry.source())
        .put("target", entry.target())
        .put("label", entry.label())
        .put("compiler", entry.compiler())
        .put("toolchain", entry.toolchain())
        .put("request", entry.request())
        .put("codeObject", entry.codeObject())
        .put("size", entry.size())
        .put("compileSeconds", entry.compileTime())
        .put("created", entry.created())
        .put("hits", row.hits());
    if (row.kernel() != null) {
      write(row.kernel(), row, json);
    }
  }

  private static void write(KernelMetadata kernel, Row row, Json json) {
    boolean isPtx = row.format() == Format.PTX;
    Registers registers = kernel.registers();
    Optional<Occupancy> occupancy = row.occupancy();
    json.put("vgprs", isPtx ? null : registers.vgprs())
        .put("agprs", row.isAmd() ? registers.agprs() : null)
        .put("sgprs", row.isAmd() ? registers.sgprs() : null)
        .put("vgprSpills", row.isAmd() ? registers.vgprSpills() : null)
        .put("sgprSpills", row.isAmd() ? registers.sgprSpills() : null)
        .put("sharedMemoryBytes", kernel.sharedMemoryBytes())
        .put("scratchBytes", isPtx ? null : kernel.scratchBytes())
        .put("dynamicStack", kernel.dynamicStack())
        .put("occupancy", occupancy.map(Occupancy::waves))
        .put("occupancyLimit", occupancy.map(each -> Text.lower(each.limit())))
        .put("maxOccupancy", occupancy.map(Occupancy::most));
  }
}
