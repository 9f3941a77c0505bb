// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * A compiler that makes the same code object of every source.
 *
 * @param gate opens when it may
 */
record FixedToolchain(CodeObject codeObject, ToolchainLabel label, CountDownLatch gate)
    implements Toolchain {

  /** Returns another build of the compiler that is here: the same version, other bytes. */
  static FixedToolchain of(CodeObject codeObject) {
    try (CacheManager real = CacheManager.create()) {
      ToolchainLabel label = real.toolchain(Platform.AMD).label();
      return new FixedToolchain(codeObject, label, new CountDownLatch(0));
    }
  }

  static CodeObject fixture(String resource) {
    try (InputStream in = FixedToolchain.class.getResourceAsStream(resource)) {
      return CodeObject.parse(Objects.requireNonNull(in, resource).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String describe() {
    return "another build";
  }

  @Override
  public Set<Processor> processors() {
    return Set.of(codeObject.target().processor());
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    return codeObject.digest();
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return true;
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    gate.await();
    return new Output(codeObject, List.of("hipcc"), "", Duration.ofMillis(1), List.of());
  }
}
