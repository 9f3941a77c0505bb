// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When Rust's core is built, and what shares it. The builder is a stand-in. */
class CoreLibraryTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final Digest RUSTC = Digest.of(ByteBuffer.wrap(new byte[] {1}));

  @TempDir private Path temp;
  private final AtomicInteger builds = new AtomicInteger();
  private Path sources;
  private Path shared;
  private Path stagings;

  @BeforeEach
  void install() throws IOException {
    temp = temp.toRealPath();
    sources = temp.resolve("library");
    Files.createDirectories(sources.resolve("core/src"));
    Files.writeString(sources.resolve(CoreLibrary.MAIN), "// core\n");
    shared = Files.createDirectory(temp.resolve("shared"));
    stagings = Files.createDirectory(temp.resolve("stagings"));
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(stagings)) {
      assertThat(left).isEmpty();
    }
  }

  /** As another process has it, which has seen no file yet. */
  private CoreLibrary library(Optional<Path> directory) {
    FileDigests digests =
        new FileDigests(
            ProbeCache.in(Optional.empty(), Host.local()), new FileStamps(InstantSource.system()));
    return new CoreLibrary(sources, digests, () -> directory);
  }

  private Staging stage() {
    return Staging.create(() -> stagings);
  }

  private void build(Staging staging) throws IOException {
    int number = builds.incrementAndGet();
    assertThat(staging.resolve(CoreLibrary.builtins().path())).isNotEmptyFile();
    Path made = staging.resolve("../made");
    Files.writeString(made.resolve("libcore.rlib"), "core " + number);
    Files.writeString(made.resolve("libcompiler_builtins.rlib"), "builtins");
    Files.writeString(
        made.resolve("core.d"), "x: " + sources.resolve("core/src/../src/lib.rs") + "\n");
  }

  private String provide(CoreLibrary library, TargetId target, Digest rustc) throws Exception {
    try (Staging compile = stage()) {
      List<Toolchain.File> files =
          library.provide(compile, target, rustc, this::stage, this::build);
      Path main = sources.resolve(CoreLibrary.MAIN);
      assertThat(files)
          .containsExactly(
              new Toolchain.File(
                  main.toString(), Digest.of(ByteBuffer.wrap(Files.readAllBytes(main)))));
      return Files.readString(compile.resolve(CoreLibrary.PLACE).resolve("libcore.rlib"));
    }
  }

  @Test
  void core_isBuiltOnceForEachRustcAndTargetAndContent() throws Exception {
    Optional<Path> directory = Optional.of(shared);
    assertThat(provide(library(directory), GFX90A, RUSTC)).isEqualTo("core 1");
    assertThat(provide(library(directory), GFX90A, RUSTC)).isEqualTo("core 1");
    assertThat(provide(library(directory), TargetId.parse("gfx1100"), RUSTC)).isEqualTo("core 2");
    assertThat(provide(library(directory), TargetId.parse("gfx90a:xnack+"), RUSTC))
        .isEqualTo("core 3");
    Digest other = Digest.of(ByteBuffer.wrap(new byte[] {2}));
    assertThat(provide(library(directory), GFX90A, other)).isEqualTo("core 4");

    Files.writeString(sources.resolve("core/src/num.rs"), "// more\n");
    assertThat(provide(library(directory), GFX90A, RUSTC)).isEqualTo("core 5");
    Files.writeString(sources.resolve("core/src/num.rs"), "// less\n");
    assertThat(provide(library(directory), GFX90A, RUSTC)).isEqualTo("core 6");
    Files.delete(sources.resolve("core/src/num.rs"));
    assertThat(provide(library(directory), GFX90A, RUSTC)).isEqualTo("core 1");
  }

  @Test
  void core_thatIsIncomplete_isBuiltAnew() throws Exception {
    provide(library(Optional.of(shared)), GFX90A, RUSTC);
    try (Stream<Path> found = Files.walk(shared)) {
      for (Path file : found.filter(file -> file.endsWith("libcore.rlib")).toList()) {
        Files.write(file, new byte[0]);
      }
    }

    assertThat(provide(library(Optional.of(shared)), GFX90A, RUSTC)).isEqualTo("core 2");
  }

  @Test
  void withoutASharedDirectory_eachCompileBuildsItsOwn() throws Exception {
    assertThat(provide(library(Optional.empty()), GFX90A, RUSTC)).isEqualTo("core 1");
    assertThat(provide(library(Optional.empty()), GFX90A, RUSTC)).isEqualTo("core 2");

    Path gone = Files.writeString(temp.resolve("file"), "");
    assertThat(provide(library(Optional.of(gone)), GFX90A, RUSTC)).isEqualTo("core 3");
  }

  @Test
  void build_thatFails_leavesNothing() throws Exception {
    CompilationException failure = new CompilationException("k.rs", "no", List.of(), 1, "");
    try (Staging compile = stage()) {
      assertThatThrownBy(
              () ->
                  library(Optional.of(shared))
                      .provide(
                          compile,
                          GFX90A,
                          RUSTC,
                          this::stage,
                          staging -> {
                            throw failure;
                          }))
          .isSameAs(failure);
    }
    assertThat(left()).allMatch(name -> name.endsWith(".lock"));

    assertThat(provide(library(Optional.of(shared)), GFX90A, RUSTC)).isEqualTo("core 1");
  }

  @Test
  void interrupt_endsTheBuildAndLeavesNothing() throws Exception {
    try (Staging compile = stage()) {
      assertThatThrownBy(
              () ->
                  library(Optional.of(shared))
                      .provide(
                          compile,
                          GFX90A,
                          RUSTC,
                          this::stage,
                          staging -> {
                            throw new InterruptedException("stop");
                          }))
          .isInstanceOf(InterruptedException.class);
    }

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(left()).allMatch(name -> name.endsWith(".lock"));
  }

  @Test
  void compilesAtOnce_shareOneBuild() throws Exception {
    int threads = 8;
    CountDownLatch ready = new CountDownLatch(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<String>> all =
          Stream.generate(
                  () ->
                      pool.submit(
                          () -> {
                            ready.countDown();
                            ready.await();
                            return provide(library(Optional.of(shared)), GFX90A, RUSTC);
                          }))
              .limit(threads)
              .toList();
      for (Future<String> each : all) {
        assertThat(each.get()).isEqualTo("core 1");
      }
    } finally {
      pool.shutdownNow();
    }

    assertThat(builds).hasValue(1);
  }

  private List<String> left() throws IOException {
    try (Stream<Path> found = Files.list(shared)) {
      return found.map(file -> file.getFileName().toString()).toList();
    }
  }
}
