// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

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
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * A compiler that gives ready-made code objects. What it does is in the source: {@code BROKEN} is a
 * syntax error, {@code DUBIOUS} a warning, {@code SLOW} takes long by its own account, {@code
 * ENDLESS} compiles until it is interrupted, {@code CENSUS} counts the code objects that are still
 * held, and {@code HUNGRY} makes a kernel for gfx90a take 128 vector registers, and {@code LARGE}
 * makes a code object of 300,000 bytes.
 */
final class FakeToolchain implements Toolchain {
  static final List<String> COMMAND = List.of("hipcc", "-c");

  /** How long a census waits for code objects to be let go. */
  private static final Duration CENSUS = Duration.ofSeconds(10);

  static final String MISSING = "no hipcc here; install it";
  static final Set<Processor> PROCESSORS = Set.of(Processor.GFX90A, Processor.GFX1030);

  final Queue<Job> jobs = new ConcurrentLinkedQueue<>();

  /** How many of the code objects made before somebody still held at the latest {@code CENSUS}. */
  volatile long held = -1;

  private final Queue<WeakReference<CodeObject>> made = new ConcurrentLinkedQueue<>();

  /** Is told of a compile before it begins. */
  Consumer<Job> beginning = job -> {};

  /** Whether every kernel for gfx90a takes as many registers as a {@code HUNGRY} one. */
  volatile boolean hungry;

  final CountDownLatch endless = new CountDownLatch(1);
  boolean missing;
  boolean unaskable;
  String content = "fake";
  String label = "5.2";
  Set<Language> languages = EnumSet.allOf(Language.class);
  final Set<TargetId> unknown = ConcurrentHashMap.newKeySet();

  /** Targets that the compiler refuses when it is asked what it would run. */
  final Set<TargetId> unaskableTargets = ConcurrentHashMap.newKeySet();

  @Override
  public String describe() {
    return "/fake/hipcc, HIP 5.2.1";
  }

  @Override
  public ToolchainLabel label() {
    if (missing) {
      throw new ToolchainNotFoundException(MISSING);
    }
    return new ToolchainLabel(label);
  }

  @Override
  public Set<Processor> processors() {
    if (missing) {
      throw new ToolchainNotFoundException(MISSING);
    }
    return PROCESSORS;
  }

  @Override
  public Set<Language> languages() {
    return languages;
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    if (missing) {
      throw new ToolchainNotFoundException(MISSING);
    }
    if (unaskable) {
      throw new CompilationException(
          "a.hip", "the compiler cannot be asked: no space left on device", COMMAND, 1, "");
    }
    if (unaskableTargets.contains(target)) {
      String error = "error: invalid target ID '" + target + "'";
      throw new CompilationException("hipcc", error, COMMAND, 1, error + "\n");
    }
    return Digest.builder().text(content).text(target.toString()).build();
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return true;
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    jobs.add(job);
    beginning.accept(job);
    String text = text(job);
    if (unknown.contains(job.target())) {
      String error = "error: invalid target ID '" + job.target() + "'";
      throw new CompilationException(job.source().name(), error, COMMAND, 1, error + "\n");
    }
    if (text.contains("ENDLESS")) {
      endless.countDown();
      new CountDownLatch(1).await();
    }
    if (text.contains("CENSUS")) {
      // The thread that has told of the last one may still have it on its stack for a moment.
      long end = System.nanoTime() + CENSUS.toNanos();
      do {
        System.gc();
        held = made.stream().filter(codeObject -> codeObject.get() != null).count();
      } while (held > 0 && System.nanoTime() < end);
    }
    if (text.contains("BROKEN")) {
      String log = job.source().name() + ":1:8: error: expected ';'\n1 error generated.\n";
      throw new CompilationException(
          job.source().name(), "the compiler failed with exit code 1", COMMAND, 1, log);
    }
    String log = text.contains("DUBIOUS") ? job.source().name() + ":1:8: warning: dubious\n" : "";
    Duration elapsed = Duration.ofMillis(text.contains("SLOW") ? 9000 : 1500);
    CodeObject codeObject =
        (hungry || text.contains("HUNGRY")) && job.target().equals(Fixtures.GFX90A)
            ? CodeObject.parse(Fixtures.hungry())
            : text.contains("LARGE")
                ? Fixtures.large(job.target())
                : Fixtures.codeObject(job.target());
    made.add(new WeakReference<>(codeObject));
    return new Output(codeObject, COMMAND, log, elapsed, List.of());
  }

  private static String text(Job job) {
    return job.source().files().stream()
        .filter(file -> file.path().equals(job.source().mainFile()))
        .map(file -> UTF_8.decode(file.content().duplicate()).toString())
        .findFirst()
        .orElseThrow();
  }
}
