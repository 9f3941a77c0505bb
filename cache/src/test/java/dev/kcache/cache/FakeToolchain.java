// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A compiler that gives the fixture of the target's processor, and can be held, broken, changed.
 */
public final class FakeToolchain implements Toolchain {
  final ConcurrentLinkedQueue<Job> jobs = new ConcurrentLinkedQueue<>();
  volatile String version = "5.2";
  volatile String content = "compiler 1";
  volatile String log = "";
  volatile List<File> changed = List.of();
  volatile CountDownLatch started = new CountDownLatch(1);
  volatile CountDownLatch gate = new CountDownLatch(0);
  volatile Consumer<Job> whileCompiling = job -> {};
  final AtomicInteger identities = new AtomicInteger();
  volatile boolean known;
  volatile boolean broken;

  /** Whether it fails as a search that finds no compiler does. */
  volatile boolean isAbsent;

  volatile int memory;

  /** How many zeros stand behind the code. */
  volatile int padding;

  volatile Set<Language> languages = Set.of(Language.HIP);

  static final List<File> HEADERS =
      List.of(new File("/usr/include/hip/hip_runtime.h", Digest.of(new byte[] {1})));

  /** Waits for what has to come within seconds. */
  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new AssertionError("nothing came");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the code object that this and others give for a target. */
  public static CodeObject fixture(TargetId target) {
    String name =
        target.equals(target.withAnyFeatures())
            ? "/elf/" + target + ".elf"
            : "/kernels/hipcc-6.4-" + target.pathSegment() + ".co";
    try (InputStream in = FakeToolchain.class.getResourceAsStream(name)) {
      return CodeObject.parse(Objects.requireNonNull(in, name).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String describe() {
    return "a fake, " + version;
  }

  @Override
  public ToolchainLabel label() {
    if (isAbsent) {
      throw new ToolchainNotFoundException("no compiler anywhere");
    }
    return new ToolchainLabel(version);
  }

  @Override
  public Set<Processor> processors() {
    return Set.of(Processor.GFX90A, Processor.GFX942);
  }

  @Override
  public Set<Language> languages() {
    return languages;
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    identities.incrementAndGet();
    return Digest.builder().text(content).text(target.toString()).build();
  }

  @Override
  public List<File> identityFiles(TargetId target, List<String> options) {
    return List.of(new File("/fake/hipcc", Digest.of(content.getBytes(UTF_8))));
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return files.stream().noneMatch(changed::contains);
  }

  @Override
  public boolean isStillUnchanged(Digest list) {
    return known;
  }

  private CodeObject padded(CodeObject code) {
    byte[] bytes = new byte[code.size() + padding];
    code.bytes().duplicate().get(bytes, 0, code.size());
    return padding == 0 ? code : CodeObject.parse(bytes);
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    jobs.add(job);
    started.countDown();
    gate.await();
    whileCompiling.accept(job);
    // A length that no virtual machine has room for is a real lack of memory.
    byte[] used = new byte[memory];
    if (broken && used.length == 0) {
      throw new CompilationException(
          job.source().name(), "broken on purpose", List.of("hipcc"), 1, "error: broken");
    }
    return new Output(
        padded(fixture(job.target())),
        List.of("hipcc", "-c"),
        log,
        Duration.ofMillis(500),
        HEADERS);
  }
}
