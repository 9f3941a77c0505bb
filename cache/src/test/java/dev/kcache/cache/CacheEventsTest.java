// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheEvent.CompileFailed;
import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.CacheEvent.Evicted;
import dev.kcache.cache.CacheEvent.Hit;
import dev.kcache.cache.CacheEvent.Miss;
import dev.kcache.cache.CacheEvent.Outcome;
import dev.kcache.cache.CacheEvent.Reason;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What a listener is told, in order. */
class CacheEventsTest extends CacheTestBase {
  private static final ToolchainLabel LABEL = new ToolchainLabel("5.2");
  private static final Digest CODE = FakeToolchain.fixture(GFX90A).digest();

  /** What compiles and evicts takes a while. */
  private static final Duration SOME = Duration.ofSeconds(1);

  private static final CompileStarted STARTED = new CompileStarted("k.hip", GFX90A, LABEL);

  private static final CompileFinished COMPILED =
      new CompileFinished(STARTED, LABEL, CODE, Outcome.COMPILED, Duration.ofMillis(500), SOME);

  private final List<CacheEvent> events = new CopyOnWriteArrayList<>();

  @Override
  CacheManagerBuilder builder(String... variables) {
    return super.builder(variables).listener(events::add);
  }

  private static Hit hit(Origin origin) {
    return new Hit("k.hip", GFX90A, LABEL, CODE, origin, SOME);
  }

  private static Miss miss(Reason reason) {
    return miss(LABEL, reason);
  }

  private static Miss miss(ToolchainLabel label, Reason reason) {
    return new Miss("k.hip", GFX90A, Optional.of(label), reason, SOME);
  }

  /** Returns what was told since the last call, each time in it replaced by {@link #SOME}. */
  private List<CacheEvent> told() {
    List<CacheEvent> told = events.stream().map(CacheEventsTest::timeless).toList();
    events.clear();
    return told;
  }

  private static CacheEvent timeless(CacheEvent event) {
    if (event instanceof Hit hit) {
      return new Hit(
          hit.source(),
          hit.target(),
          hit.label(),
          hit.codeObject(),
          hit.origin(),
          some(hit.elapsed()));
    }
    if (event instanceof Miss miss) {
      return new Miss(
          miss.source(), miss.target(), miss.label(), miss.reason(), some(miss.elapsed()));
    }
    if (event instanceof CompileFinished finished) {
      return new CompileFinished(
          finished.started(),
          finished.label(),
          finished.codeObject(),
          finished.outcome(),
          finished.compileTime(),
          some(finished.elapsed()));
    }
    if (event instanceof CompileFailed failed) {
      return new CompileFailed(failed.started(), failed.failure(), some(failed.elapsed()));
    }
    if (event instanceof Evicted evicted) {
      return new Evicted(evicted.entries(), evicted.bytes(), some(evicted.elapsed()));
    }
    return event;
  }

  private static Duration some(Duration elapsed) {
    assertThat(elapsed).isBetween(Duration.ofNanos(1), Duration.ofMinutes(1));
    return SOME;
  }

  @Test
  void coldCompile_isAMissAndACompile_thenAHitInMemory() {
    try (CacheManager cache = manager()) {
      cache.getOrCompile(SOURCE, GFX90A);
      cache.getOrCompile(SOURCE, GFX90A);
      cache.getOrCompileAsync(SOURCE, GFX90A).join();
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isPresent();
    }

    assertThat(((CompileFinished) events.get(2)).started()).isSameAs(events.get(1));
    assertThat(told())
        .containsExactly(
            miss(Reason.ABSENT),
            STARTED,
            COMPILED,
            hit(Origin.MEMORY),
            hit(Origin.MEMORY),
            hit(Origin.MEMORY));
  }

  @Test
  void hitOfALaterManager_isOnTheDiskAndThenInMemory() {
    fill(SOURCE);
    events.clear();
    try (CacheManager cache = manager()) {
      cache.getOrCompileAsync(SOURCE, GFX90A).join();
      cache.getOrCompile(SOURCE, GFX90A);
    }

    assertThat(told()).containsExactly(hit(Origin.DISK), hit(Origin.MEMORY));
  }

  @Test
  void hitInALayer_isToldApart() {
    fill(SOURCE);
    events.clear();
    try (CacheManager cache =
        builder("KCACHE_DIR", temp.resolve("own").toString()).layers(List.of(root())).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
    }

    assertThat(told()).containsExactly(hit(Origin.LAYER));
  }

  @Test
  void lookupThatNeverCompiles_isOneMiss() {
    try (CacheManager cache = manager()) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
    }

    assertThat(told()).containsExactly(miss(Reason.ABSENT));
  }

  @Test
  void missByAChangedCompiler_saysSo() {
    fill(SOURCE);
    events.clear();
    toolchain.content = "compiler 2";
    fill(SOURCE);

    assertThat(told()).containsExactly(miss(Reason.COMPILER_CHANGED), STARTED, COMPILED);
  }

  @Test
  void missByANewerCompiler_saysSo() {
    fill(SOURCE);
    events.clear();
    toolchain.version = "6.4";
    try (CacheManager cache = manager()) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
    }

    assertThat(told()).containsExactly(miss(new ToolchainLabel("6.4"), Reason.COMPILER_CHANGED));
  }

  @Test
  void missByAChangedHeader_saysSo() {
    fill(SOURCE);
    events.clear();
    toolchain.changed = FakeToolchain.HEADERS;
    fill(SOURCE);

    assertThat(told()).containsExactly(miss(Reason.HEADER_CHANGED), STARTED, COMPILED);
  }

  @Test
  void missByDamage_saysSo() throws IOException {
    fill(SOURCE);
    events.clear();
    for (Path file : files(root(), ".co")) {
      Files.delete(file);
    }
    fill(SOURCE);

    assertThat(told()).containsExactly(miss(Reason.DAMAGED), STARTED, COMPILED);
  }

  @Test
  void missOfARefusedCodeObject_saysSo() {
    fill(SOURCE);
    events.clear();
    try (CacheManager cache = manager()) {
      CacheResult refused = cache.resolve(SOURCE, GFX90A);
      cache.deviceRequests().bypass(SOURCE, refused.codeObject());
      cache.getOrCompile(SOURCE, GFX90A);
    }

    assertThat(told()).containsExactly(hit(Origin.DISK), miss(Reason.REFUSED), STARTED, COMPILED);
  }

  @Test
  void missWithoutADirectory_saysSo() {
    try (CacheManager cache = manager("KCACHE_DISABLE", "1")) {
      cache.getOrCompile(SOURCE, GFX90A);
    }

    assertThat(told()).containsExactly(miss(Reason.NO_DIRECTORY), STARTED, COMPILED);
  }

  @Test
  void missOfAManagerThatCompilesAnew_saysSo() {
    fill(SOURCE);
    events.clear();
    try (CacheManager cache = builder().recompiling().build()) {
      cache.getOrCompile(SOURCE, GFX90A);
    }

    assertThat(told()).containsExactly(miss(Reason.RECOMPILE), STARTED, COMPILED);
  }

  @Test
  void missWithoutACompiler_isAllThatIsTold() {
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class);
    }

    assertThat(told())
        .containsExactly(new Miss("k.hip", GFX90A, Optional.empty(), Reason.NO_COMPILER, SOME));
  }

  @Test
  void missThatIsRefused_isAllThatIsTold() {
    try (CacheManager cache = manager()) {
      cache.seal();
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(CacheMissException.class);
    }

    assertThat(told()).containsExactly(miss(Reason.ABSENT));
  }

  @Test
  void failingCompile_isTold_andWhileItIsRememberedOnlyTheMiss() {
    toolchain.broken = true;
    try (CacheManager cache = manager()) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
            .isInstanceOf(CompilationException.class);
      }
    }

    CompileFailed failed = (CompileFailed) events.get(2);
    assertThat(failed.started()).isSameAs(events.get(1));
    assertThat(failed.failure())
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("broken on purpose");
    assertThat(told())
        .containsExactly(
            miss(Reason.ABSENT),
            STARTED,
            new CompileFailed(STARTED, failed.failure(), SOME),
            miss(Reason.ABSENT));
  }

  /** Its compiler does not know the device's processor. */
  @Test
  void genericCodeThatServesAfterAFailedCompile_isAHitAtLast() {
    TargetId generic = TargetId.parse("gfx11-generic");
    TargetId device = TargetId.parse("gfx1100");
    try (CacheManager cache = manager()) {
      cache.getOrCompile(SOURCE, generic);
    }
    events.clear();
    toolchain.broken = true;
    try (CacheManager cache = manager()) {
      cache.deviceRequests().resolve(SOURCE, device);
    }

    CompileStarted started = new CompileStarted("k.hip", device, LABEL);
    Throwable failure = ((CompileFailed) events.get(2)).failure();
    assertThat(told())
        .containsExactly(
            new Miss("k.hip", device, Optional.of(LABEL), Reason.ABSENT, SOME),
            started,
            new CompileFailed(started, failure, SOME),
            new Hit(
                "k.hip",
                generic,
                LABEL,
                FakeToolchain.fixture(generic).digest(),
                Origin.DISK,
                SOME));
  }

  @Test
  void collection_tellsWhatItRemoved() {
    fill(SOURCE);
    events.clear();
    try (CacheManager cache = builder().maxSize(1).build()) {
      cache.maintenance().planCollection();
      assertThat(told()).isEmpty();
      CollectionResult result = cache.maintenance().collect();
      cache.maintenance().collect();

      assertThat(result.entriesRemoved()).isEqualTo(1);
      assertThat(told()).containsExactly(new Evicted(1, result.bytesFreed(), SOME));
      cache.getIfPresent(SOURCE, GFX90A);
      assertThat(told()).containsExactly(miss(Reason.ABSENT));
    }
  }

  /** What is added exceeds a tenth of the limit, so the manager evicts, before it is closed. */
  @Test
  void evictionInTheBackground_isToldLast() {
    try (CacheManager cache = builder().maxSize(1).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
    }

    List<CacheEvent> told = told();
    assertThat(told.subList(0, 2)).containsExactly(miss(Reason.ABSENT), STARTED);
    assertThat(told).hasSize(4).contains(COMPILED);
    assertThat(told)
        .filteredOn(Evicted.class::isInstance)
        .singleElement()
        .extracting(event -> ((Evicted) event).entries())
        .isEqualTo(1L);
  }

  /** The evicting thread does not wait for itself. */
  @Test
  void managerClosedByTheListenerOfAnEviction_isClosedAtOnce() throws InterruptedException {
    CopyOnWriteArrayList<Duration> closing = new CopyOnWriteArrayList<>();
    CacheManager[] cache = new CacheManager[1];
    Thread[] evicting = new Thread[1];
    cache[0] =
        builder()
            .maxSize(1)
            .listener(
                event -> {
                  if (event instanceof Evicted) {
                    evicting[0] = Thread.currentThread();
                    long start = System.nanoTime();
                    cache[0].close();
                    closing.add(Duration.ofNanos(System.nanoTime() - start));
                  }
                })
            .build();
    cache[0].getOrCompile(SOURCE, GFX90A);
    cache[0].close();

    assertThat(closing).singleElement().satisfies(took -> assertThat(took).isLessThan(SOME));
  }
}
