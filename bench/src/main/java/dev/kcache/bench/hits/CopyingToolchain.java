// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fills a cache fast: returns the code object and the dependencies of one real compile again and
 * again, each with another number behind its image, so that all code objects are sound and
 * different.
 */
final class CopyingToolchain implements Toolchain {
  private final CodeObject model;
  private final CacheEntry entry;
  private final List<File> dependencies;
  private final AtomicInteger copies = new AtomicInteger();

  /** Compiles the model with the machine's hipcc. */
  CopyingToolchain() {
    KernelSource source = SampleKernel.ofSize(10_000);
    try (TemporaryDirectory directory = new TemporaryDirectory();
        CacheManager cache = SampleKernel.manager(directory.path()).build()) {
      model = cache.getOrCompile(source, SampleKernel.TARGET);
      entry = cache.maintenance().entries().get(0);
      dependencies = cache.maintenance().dependencies(entry).orElseThrow();
    }
  }

  @Override
  public String describe() {
    return "copies of one code object";
  }

  @Override
  public ToolchainLabel label() {
    return entry.label();
  }

  @Override
  public Set<Processor> processors() {
    return Set.of(SampleKernel.TARGET.processor());
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    return entry.toolchain();
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return true;
  }

  @Override
  public Output compile(Job job) {
    ByteBuffer copy =
        ByteBuffer.allocate(model.size() + Integer.BYTES)
            .put(model.bytes())
            .putInt(copies.incrementAndGet())
            .flip();
    return new Output(
        CodeObject.parse(copy), entry.command(), entry.log(), Duration.ZERO, dependencies);
  }
}
