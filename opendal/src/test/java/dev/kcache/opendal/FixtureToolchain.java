// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
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
import java.util.concurrent.atomic.AtomicInteger;

/** A compiler that gives one fixture, and counts. */
final class FixtureToolchain implements Toolchain {
  final AtomicInteger compiles = new AtomicInteger();

  @Override
  public String describe() {
    return "a fixture";
  }

  @Override
  public ToolchainLabel label() {
    return new ToolchainLabel("5.2");
  }

  @Override
  public Set<Processor> processors() {
    return Set.of(Processor.GFX90A);
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    return Digest.of(new byte[] {1});
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return true;
  }

  @Override
  public Output compile(Job job) {
    compiles.incrementAndGet();
    try (InputStream in = FixtureToolchain.class.getResourceAsStream("/elf/gfx90a.elf")) {
      return new Output(
          CodeObject.parse(Objects.requireNonNull(in).readAllBytes()),
          List.of("hipcc"),
          "",
          Duration.ofMillis(500),
          List.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
