// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Notices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Managers on machines of their own, of which one compiles what others wait for. */
@Timeout(60)
class LeaseTest extends CacheTestBase {
  private static final MemoryRemotes.Store.Held FOREIGN =
      new MemoryRemotes.Store.Held("foreign", Long.MAX_VALUE);

  private final MemoryRemotes.Store remote = MemoryRemotes.create("one");

  /** Of the remote, and of the managers. */
  private final AtomicLong clock = new AtomicLong();

  private final List<CacheEvent> heard = new CopyOnWriteArrayList<>();
  private final List<CacheManager> open = new ArrayList<>();

  @BeforeEach
  void giveLeases() {
    Notices.clear();
    remote.clock = clock::get;
  }

  @AfterEach
  void close() {
    open.forEach(CacheManager::close);
  }

  private CacheManager node(String name, RemoteMode mode, RemoteTier.Waits waits) {
    CacheManagerBuilder builder =
        builder()
            .directory(temp.resolve(name))
            .remote(remote.address())
            .remoteMode(mode)
            .parallelism(1)
            .listener(heard::add);
    builder.remoteWaits = waits;
    builder.remoteJitter = MemoryRemotes.NO_JITTER;
    builder.nanoTime = clock::get;
    CacheManager node = builder.build();
    open.add(node);
    return node;
  }

  private CacheManager node(String name) {
    return node(name, RemoteMode.READ_WRITE, RemoteTier.Waits.DEFAULT);
  }

  /** Returns the lease for a source, as another machine would name it, and lets that have it. */
  private String takenByAnother(KernelSource source) {
    String toolchainIdentity = toolchain.identity(GFX90A, List.of()).toString();
    String name =
        String.join(
            "/", "lease", "gfx90a", RequestKey.digest(source, GFX90A) + "", toolchainIdentity);
    remote.leases.put(name, FOREIGN);
    return name;
  }

  private static CompletableFuture<Origin> resolve(CacheManager cache, KernelSource source) {
    return cache
        .resolveAsync(source, GFX90A)
        .thenApply(CacheResult::origin)
        .orTimeout(15, TimeUnit.SECONDS);
  }

  /** It reads the clock between its first try and the second. */
  private void awaitWaiter() throws InterruptedException {
    awaitTry();
    awaitTry();
  }

  private void awaitTry() throws InterruptedException {
    assertThat(remote.taken.poll(20, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  void oneOfTwoNodes_compilesAndTheOtherWaits() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    CompletableFuture<Origin> first = resolve(node("one"), SOURCE);
    FakeToolchain.await(toolchain.started);
    assertThat(remote.leases)
        .hasSize(1)
        .containsKey(
            "lease/gfx90a/"
                + RequestKey.digest(SOURCE, GFX90A)
                + "/"
                + toolchain.identity(GFX90A, List.of()));
    CacheManager two = node("two");
    CompletableFuture<Origin> second = resolve(two, SOURCE);
    awaitWaiter();
    assertThat(second).isNotDone();
    toolchain.gate.countDown();
    assertThat(first.join()).isEqualTo(Origin.COMPILED);
    assertThat(second.join()).isEqualTo(Origin.REMOTE);
    assertThat(toolchain.jobs).hasSize(1);
    assertThat(two.statistics().remoteHits()).isEqualTo(1);
    assertThat(two.statistics().compiles()).isZero();
    assertThat(heard)
        .filteredOn(CompileFinished.class::isInstance)
        .extracting(event -> ((CompileFinished) event).outcome())
        .containsExactlyInAnyOrder(CompileFinished.Outcome.COMPILED, CompileFinished.Outcome.FOUND);
    close();
    assertThat(remote.leases).isEmpty();
    assertThat(origin(node("two"), SOURCE)).isEqualTo(Origin.DISK);
  }

  @Test
  void nodeThatFails_letsTheNextOneTry() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    AtomicBoolean failed = new AtomicBoolean();
    toolchain.whileCompiling =
        job -> {
          if (failed.compareAndSet(false, true)) {
            throw new CompilationException("k.hip", "out of space", List.of("hipcc"), 1, "");
          }
        };
    CompletableFuture<Origin> first = resolve(node("one"), SOURCE);
    FakeToolchain.await(toolchain.started);
    CompletableFuture<Origin> second = resolve(node("two"), SOURCE);
    awaitWaiter();
    toolchain.gate.countDown();
    assertThat(second.join()).isEqualTo(Origin.COMPILED);
    assertThat(first).isCompletedExceptionally();
    assertThat(toolchain.jobs).hasSize(2);
  }

  @Test
  void silentHolder_losesItsLease() throws Exception {
    String lease = takenByAnother(SOURCE);
    remote.leases.put(
        lease, new MemoryRemotes.Store.Held("foreign", Duration.ofSeconds(15).toNanos()));
    CompletableFuture<Origin> waiter = resolve(node("one"), SOURCE);
    awaitWaiter();
    assertThat(waiter).isNotDone();
    clock.set(Duration.ofSeconds(15).toNanos());
    assertThat(waiter.join()).isEqualTo(Origin.COMPILED);
    close();
    assertThat(remote.leases).isEmpty();
  }

  @Test
  void wait_hasABound() throws Exception {
    takenByAnother(SOURCE);
    CompletableFuture<Origin> waiter = resolve(node("one"), SOURCE);
    awaitWaiter();
    clock.set(Duration.ofSeconds(60).toNanos() - 1);
    remote.taken.clear();
    awaitWaiter();
    assertThat(waiter).isNotDone();
    clock.set(Duration.ofSeconds(60).toNanos());
    assertThat(waiter.join()).isEqualTo(Origin.COMPILED);
    close();
    assertThat(remote.leases.values()).containsExactly(FOREIGN);
    assertThat(remote.written).hasSize(2);
  }

  @Test
  void close_endsTheWaitAtOnce() throws Exception {
    takenByAnother(SOURCE);
    CacheManager cache = node("one");
    CompletableFuture<Origin> waiter = resolve(cache, SOURCE);
    awaitWaiter();
    long start = System.nanoTime();
    cache.close();
    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(3));
    assertThatThrownBy(waiter::join).hasMessageContaining("the cache manager is closed");
    assertThat(toolchain.jobs).isEmpty();
    assertThat(remote.leases.values()).containsExactly(FOREIGN);
  }

  @Test
  void compileThatIsCutOff_givesItsLeaseBack() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    CacheManager cache = node("one");
    CompletableFuture<Origin> compile = resolve(cache, SOURCE);
    FakeToolchain.await(toolchain.started);
    cache.close();
    assertThatThrownBy(compile::join).hasMessageContaining("the cache manager is closed");
    assertThat(remote.leases).isEmpty();
  }

  @Test
  void wrongEntry_endsTheWait() throws Exception {
    String lease = takenByAnother(SOURCE);
    CompletableFuture<Origin> waiter = resolve(node("one"), SOURCE);
    awaitWaiter();
    remote.values.put(lease.substring("lease/".length()), new byte[] {1, 2, 3});
    assertThat(waiter.join()).isEqualTo(Origin.COMPILED);
  }

  @Test
  void remoteThatFails_endsTheWait() throws Exception {
    takenByAnother(SOURCE);
    CompletableFuture<Origin> waiter = resolve(node("one"), SOURCE);
    awaitWaiter();
    remote.fails = true;
    assertThat(waiter.join()).isEqualTo(Origin.COMPILED);
  }

  @Test
  void otherCompiles_goOnWhileOneWaits() throws Exception {
    takenByAnother(SOURCE);
    CacheManager cache = node("one");
    CompletableFuture<Origin> waiter = resolve(cache, SOURCE);
    awaitWaiter();
    assertThat(resolve(cache, OTHER).join()).isEqualTo(Origin.COMPILED);
    assertThat(waiter).isNotDone();

    // It may hold a lock for which the others wait: so it compiles beside them, but alone.
    takenByAnother(source("third"));
    CompletableFuture<Origin> second = resolve(cache, source("third"));
    until(() -> remote.taken.stream().distinct().count() == 2);
    toolchain.gate = new CountDownLatch(1);
    CompletableFuture<Origin> fourth = resolve(cache, source("fourth"));
    until(() -> toolchain.jobs.size() == 2);
    clock.set(Duration.ofSeconds(90).toNanos());
    until(() -> toolchain.jobs.size() == 3);
    assertThat(toolchain.jobs).hasSize(3);
    toolchain.gate.countDown();
    assertThat(fourth.join()).isEqualTo(Origin.COMPILED);
    assertThat(second.join()).isEqualTo(Origin.COMPILED);
    assertThat(waiter.join()).isEqualTo(Origin.COMPILED);
  }

  @Test
  void oneMoreThanMayWait_compilesWithoutALease() {
    CacheManager cache = node("one");
    List<CompletableFuture<CacheResult>> results = new ArrayList<>();
    for (int i = 0; i <= Workers.MOST_ASIDE; i++) {
      takenByAnother(source("k" + i));
      results.add(cache.resolveAsync(source("k" + i), GFX90A));
    }
    until(() -> results.stream().anyMatch(CompletableFuture::isDone));
    // All others have asked for the second time.
    until(
        () ->
            remote.taken.stream().collect(groupingBy(name -> name, counting())).values().stream()
                    .filter(times -> times > 1)
                    .count()
                == Workers.MOST_ASIDE);
    assertThat(toolchain.jobs).hasSize(1);
    clock.set(Duration.ofSeconds(60).toNanos());
    results.forEach(each -> assertThat(each.join().origin()).isEqualTo(Origin.COMPILED));
  }

  @Test
  void entryThatCameJustBefore_servesAndGivesTheLeaseBack() {
    assertThat(origin(node("one"), SOURCE)).isEqualTo(Origin.COMPILED);
    close();
    var uploaded = List.copyOf(remote.values.entrySet());
    remote.values.clear();
    remote.onLease =
        () -> uploaded.forEach(entry -> remote.values.put(entry.getKey(), entry.getValue()));
    CacheManager two = node("two");
    assertThat(origin(two, SOURCE)).isEqualTo(Origin.REMOTE);
    assertThat(toolchain.jobs).hasSize(1);
    assertThat(remote.leases).isEmpty();
  }

  @Test
  void lease_isHeldUntilTheUploadHasEnded() {
    remote.hangsWriting = true;
    assertThat(origin(node("one"), SOURCE)).isEqualTo(Origin.COMPILED);
    until(() -> !remote.held.isEmpty());
    assertThat(remote.leases).hasSize(1);
    remote.hangsWriting = false;
    remote.held.forEach(Runnable::run);
    until(() -> remote.written.size() == 2);
    until(remote.leases::isEmpty);
  }

  @Test
  void closeBeforeAnUploadHasEnded_givesTheLeaseBack() {
    remote.hangsWriting = true;
    Duration minute = Duration.ofMinutes(1);
    RemoteTier.Waits waits =
        new RemoteTier.Waits(minute, minute, minute, Duration.ofMillis(10), minute, minute);
    CacheManager cache = node("one", RemoteMode.READ_WRITE, waits);
    assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    until(() -> !remote.held.isEmpty());
    cache.close();
    assertThat(remote.leases).isEmpty();
  }

  @Test
  void longCompile_prolongsItsLease() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    Duration minute = Duration.ofMinutes(1);
    RemoteTier.Waits waits =
        new RemoteTier.Waits(minute, minute, minute, minute, Duration.ofMillis(30), minute);
    CompletableFuture<Origin> compile = resolve(node("one", RemoteMode.READ_WRITE, waits), SOURCE);
    String holder = remote.given.take();
    for (int i = 0; i < 3; i++) {
      assertThat(remote.given.poll(20, TimeUnit.SECONDS)).isEqualTo(holder);
    }
    toolchain.gate.countDown();
    assertThat(compile.join()).isEqualTo(Origin.COMPILED);
    until(remote.leases::isEmpty);
  }

  @Test
  void lostLease_isNotTakenBack() throws Exception {
    toolchain.gate = new CountDownLatch(1);
    Duration minute = Duration.ofMinutes(1);
    RemoteTier.Waits waits =
        new RemoteTier.Waits(minute, minute, minute, minute, Duration.ofMillis(30), minute);
    CompletableFuture<Origin> compile = resolve(node("one", RemoteMode.READ_WRITE, waits), SOURCE);
    FakeToolchain.await(toolchain.started);
    remote.leases.replaceAll((name, held) -> FOREIGN);
    awaitTry();
    // Once, as another that is prolonged meanwhile shows.
    remote.given.clear();
    CompletableFuture<Origin> other = resolve(node("two", RemoteMode.READ_WRITE, waits), OTHER);
    for (int i = 0; i < 4; i++) {
      assertThat(remote.given.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(remote.taken).isEmpty();
    toolchain.gate.countDown();
    assertThat(compile.join()).isEqualTo(Origin.COMPILED);
    assertThat(other.join()).isEqualTo(Origin.COMPILED);
    close();
    assertThat(remote.leases.values()).containsExactly(FOREIGN);
  }

  @Test
  void reader_takesNoLease() {
    takenByAnother(SOURCE);
    CacheManager reader = node("one", RemoteMode.READ, RemoteTier.Waits.DEFAULT);
    assertThat(origin(reader, SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(remote.taken).isEmpty();
    assertThat(remote.given).isEmpty();
  }

  @Test
  void recompile_takesNoLease() {
    takenByAnother(SOURCE);
    CacheManagerBuilder builder = builder().remote(remote.address()).recompiling();
    assertThat(origin(builder.remoteMode(RemoteMode.READ_WRITE), SOURCE))
        .isEqualTo(Origin.COMPILED);
    assertThat(remote.taken).isEmpty();
  }

  @Test
  void leaseThatCannotBeHad_costsALineAndNoHits() {
    assertThat(origin(node("one"), SOURCE)).isEqualTo(Origin.COMPILED);
    close();
    remote.failsLeases = true;
    try (Warnings warnings = Warnings.of("dev.kcache.cache.fleet.Remote")) {
      CacheManager two = node("two");
      assertThat(origin(two, OTHER)).isEqualTo(Origin.COMPILED);
      assertThat(origin(two, source("third"))).isEqualTo(Origin.COMPILED);
      assertThat(origin(two, SOURCE)).isEqualTo(Origin.REMOTE);
      two.close();
      assertThat(warnings.lines()).singleElement().asString().contains("no leases today");
    }
    assertThat(remote.written).hasSize(6);
  }
}
