// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.classpath.ClassLoaders;
import dev.kcache.cache.classpath.ClassPathLayer;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import java.util.List;
import java.util.Optional;

/**
 * Answers requests from resources of the class path, which were built with the program. So neither
 * toolchain nor policy is asked, and no directory is looked at.
 *
 * <p>Safe for use by any number of threads.
 */
final class ClassPathTier {
  private final ClassPathLayer layer;
  private final boolean recompile;
  private final Bypassed bypassed = new Bypassed();

  private ClassPathTier(ClassPathLayer layer, boolean recompile) {
    this.layer = layer;
    this.recompile = recompile;
  }

  /** Returns the tier that a builder asks for. */
  static ClassPathTier of(CacheManagerBuilder builder, SignaturePolicy signatures) {
    List<ClassLoader> named = builder.classLoaders;
    ClassLoaders loaders = named == null ? ClassLoaders.ofThread() : ClassLoaders.of(named);
    return new ClassPathTier(
        new ClassPathLayer(loaders, signatures.elsewhere("the class path"), ClassPathTier::warn),
        builder.recompile);
  }

  /** Returns what is not to serve, on the class path or elsewhere. */
  Bypassed bypassed() {
    return bypassed;
  }

  /** Returns what the class path has, verified; empty when everything is to be compiled anew. */
  Optional<CacheResult> find(KernelSource source, TargetId target) {
    return recompile ? Optional.empty() : locate(source, target).map(ClassPathTier::result);
  }

  /** Returns the entry of the class path that may serve. */
  Optional<ClassPathLayer.Located> locate(KernelSource source, TargetId target) {
    return layer.find(
        RequestKey.digest(source, target),
        target,
        source.classLoader(),
        record -> !bypassed.contains(record));
  }

  /** As {@link RequestsOfDevices#bypass}; returns whether that is new. */
  boolean bypass(KernelSource source, CodeObject refused) {
    return bypassed.add(RequestKey.digest(source, refused.target()), refused.digest());
  }

  private static CacheResult result(ClassPathLayer.Located found) {
    CacheEntry record = found.entry().entry();
    return new CacheResult(
        found.entry().codeObject(),
        CacheResult.Origin.CLASS_PATH,
        record.label(),
        record.compileTime(),
        record.log(),
        true,
        record.instances());
  }

  /** Warns of a resource once in a process. */
  private static void warn(String resource, String problem) {
    Notices.warn(
        System.getLogger(ClassPathTier.class.getName()),
        resource,
        "not using %s: %s; if a build filters or re-packs resources, let it leave META-INF/kcache as it is, then build the jar again"
            .formatted(resource, problem));
  }
}
