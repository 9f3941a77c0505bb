// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.standin;

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
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A compiler that gives one fixture, and counts. */
public class FixtureToolchain implements Toolchain {
  /** How often it was asked to compile. */
  public final AtomicInteger compiles = new AtomicInteger();

  private final int size;

  /** Gives the fixture as it is. */
  public FixtureToolchain() {
    this(0);
  }

  /** Gives the fixture with bytes behind it, up to a size, which the name of the source tells. */
  public FixtureToolchain(int size) {
    this.size = size;
  }

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

  private byte[] code(Job job) throws IOException {
    try (InputStream in = FixtureToolchain.class.getResourceAsStream("/elf/gfx90a.elf")) {
      byte[] fixture = Objects.requireNonNull(in).readAllBytes();
      byte[] code = new byte[Math.max(size, fixture.length)];
      new Random(job.source().name().hashCode()).nextBytes(code);
      System.arraycopy(fixture, 0, code, 0, fixture.length);
      return code;
    }
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    compiles.incrementAndGet();
    try {
      return new Output(
          CodeObject.parse(code(job)), List.of("hipcc"), "", Duration.ofMillis(500), List.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
