// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.CacheEvent.Reason;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.Revocations;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells why a request found nothing, by the records that are kept for it. Reads those only, a few
 * files before a compile, and notes no use; nothing, unless somebody hears of the miss.
 *
 * <p>Safe for use by any number of threads.
 */
final class MissReasons {
  private final Directories directories;
  private final DependencyChecks dependencies;
  private final Bypassed bypassed;
  private final Revocations revocations;
  private final boolean recompile;

  MissReasons(
      Directories directories,
      DependencyChecks dependencies,
      Bypassed bypassed,
      Revocations revocations,
      boolean recompile) {
    this.directories = directories;
    this.dependencies = dependencies;
    this.bypassed = bypassed;
    this.revocations = revocations;
    this.recompile = recompile;
  }

  /**
   * Returns why nothing was found.
   *
   * @param key what was looked up; null if no compiler told
   */
  Reason of(@Nullable RequestKey key) {
    if (key == null) {
      return Reason.NO_COMPILER;
    }
    if (recompile) {
      return Reason.RECOMPILE;
    }
    // The lookup has met it, and perhaps moved it to quarantine.
    if (revocations.hasMet(key.request().digest(), key.toolchain())) {
      return Reason.REVOKED;
    }
    List<Layer> readable = directories.asLayers();
    if (readable.isEmpty()) {
      return Reason.NO_DIRECTORY;
    }
    return readable.stream()
        .flatMap(layer -> layer.records(key.request()).stream())
        .map(record -> ofRecord(key, record))
        .reduce(MissReasons::nearer)
        .orElseGet(() -> hasOtherLabel(key, readable) ? Reason.COMPILER_CHANGED : Reason.ABSENT);
  }

  /** A record of the same compiler tells more than one of another. */
  private static Reason nearer(Reason one, Reason other) {
    return one == Reason.COMPILER_CHANGED ? other : one;
  }

  private Reason ofRecord(RequestKey key, CacheEntry record) {
    if (bypassed.contains(record)) {
      return Reason.REFUSED;
    }
    if (key.toolchain() != null && !key.toolchain().equals(record.toolchain())) {
      return Reason.COMPILER_CHANGED;
    }
    return key.compiler() != null && !dependencies.areCurrent(record, key.compiler())
        ? Reason.HEADER_CHANGED
        : Reason.DAMAGED;
  }

  private boolean hasOtherLabel(RequestKey key, List<Layer> readable) {
    Request request = key.request();
    return directories.labels(request.digest(), request.target()).stream()
        .map(label -> new Request(request.digest(), request.target(), label))
        .anyMatch(other -> readable.stream().anyMatch(layer -> !layer.records(other).isEmpty()));
  }
}
