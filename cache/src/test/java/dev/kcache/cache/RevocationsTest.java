// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.kcache.cache.CacheEvent.Miss;
import dev.kcache.cache.CacheEvent.Reason;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.Revocation.Kind;
import dev.kcache.cache.signing.Revocations;
import dev.kcache.cache.signing.SigningKey;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.Thread.State;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one manager revokes serves no other. */
class RevocationsTest extends CacheTestBase {
  private static final String REASON = "hangs one of two products";

  private final MemoryRemotes.Store remote = MemoryRemotes.create("revoked");
  private final AtomicLong clock = new AtomicLong();
  private Path key;

  @BeforeEach
  void makeKey() throws Exception {
    Notices.clear();
    key = temp.resolve("key");
    SigningKey.create(key);
  }

  private CacheManagerBuilder node(String name) {
    CacheManagerBuilder builder = builder().directory(temp.resolve(name));
    builder.remoteJitter = MemoryRemotes.NO_JITTER;
    builder.nanoTime = clock::get;
    return builder.trustedKeys(Path.of(key + ".pub"));
  }

  private CacheManagerBuilder reader(String name) {
    return node(name).remote(remote.address());
  }

  private CacheManagerBuilder signer(String name) {
    return reader(name).remoteMode(RemoteMode.READ_WRITE).signKey(key);
  }

  private CacheEntry build(String name) {
    try (CacheManager cache = signer(name).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      return cache.maintenance().entries(temp.resolve(name)).get(0);
    }
  }

  private static Revocation revocation(Kind kind, CacheEntry entry) {
    String what =
        switch (kind) {
          case CODE -> entry.codeObject().toString();
          case SOURCE -> entry.source();
          case TOOLCHAIN -> entry.toolchain().toString();
        };
    return new Revocation(kind, what, REASON, entry.created().plusMillis(1));
  }

  private void revoke(Kind kind, CacheEntry entry) {
    try (CacheManager cache = signer("admin").build()) {
      cache.revoke(revocation(kind, entry));
    }
  }

  @ParameterizedTest
  @EnumSource
  void revokedEntry_isAMissAndItsCompileIsKeptOnlyIfItIsAnother(Kind kind) throws IOException {
    CacheEntry entry = build("builder");
    assertThat(origin(reader("node"), SOURCE)).isEqualTo(Origin.REMOTE);
    assertThat(origin(reader("node"), SOURCE)).isEqualTo(Origin.DISK);
    revoke(kind, entry);
    try (Warnings warnings = Warnings.of(CompileTask.class)) {
      assertThat(origin(reader("new"), SOURCE)).isEqualTo(Origin.COMPILED);
      // What the disk has waits for no network, but the next process knows.
      assertThat(origin(reader("node"), SOURCE)).isIn(Origin.DISK, Origin.COMPILED);
      assertThat(origin(reader("node"), SOURCE)).isIn(Origin.COMPILED, Origin.DISK);
      Origin last = origin(node("node"), SOURCE);
      boolean another = kind == Kind.SOURCE;
      assertThat(last).isEqualTo(another ? Origin.DISK : Origin.COMPILED);
      if (!another) {
        assertThat(warnings.lines()).anyMatch(line -> line.contains(REASON));
      }
    }
    assertThat(files(temp.resolve("node/quarantine"), ".json")).hasSize(1);
    assertThat(files(temp.resolve("node/quarantine"), ".sig")).hasSize(1);
    assertThat(files(temp.resolve("node/quarantine"), ".co")).hasSize(1);
  }

  @Test
  void freshCompileOfRevokedCode_isNotUploaded() {
    CacheEntry entry = build("builder");
    revoke(Kind.CODE, entry);
    remote.values.keySet().removeIf(name -> !name.equals("revocations"));
    assertThat(origin(signer("other"), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(remote.values.keySet()).containsExactly("revocations");
  }

  @Test
  void layerAndClassPath_serveNothingThatIsRevoked() throws IOException {
    Path classes = temp.resolve("classes");
    CacheEntry entry;
    try (CacheManager cache = signer("layer").withoutClassPath().build()) {
      ResourceWriter.into(cache, classes).write(SOURCE, GFX90A).join();
      entry = cache.maintenance().entries(temp.resolve("layer")).get(0);
    }
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, null)) {
      assertThat(origin(node("node").classLoader(loader), SOURCE)).isEqualTo(Origin.CLASS_PATH);
      assertThat(origin(node("node").layers(List.of(temp.resolve("layer"))), SOURCE))
          .isEqualTo(Origin.LAYER);
      try (CacheManager cache = node("layer").signKey(key).build()) {
        cache.revoke(revocation(Kind.CODE, entry));
      }
      // The list travels with the layer, and is kept.
      assertThat(origin(node("node").layers(List.of(temp.resolve("layer"))), SOURCE))
          .isEqualTo(Origin.COMPILED);
      assertThat(temp.resolve("node/revocations"))
          .hasSameBinaryContentAs(temp.resolve("layer/revocations"));
      assertThat(reason(node("node").classLoader(loader))).isEqualTo(Reason.REVOKED);
    }
  }

  private static Reason reason(CacheManagerBuilder builder) {
    List<CacheEvent> heard = new CopyOnWriteArrayList<>();
    assertThat(origin(builder.listener(heard::add), SOURCE)).isEqualTo(Origin.COMPILED);
    return ((Miss) heard.get(0)).reason();
  }

  @Test
  void miss_tellsThatWhatWasFoundIsRevoked() throws IOException {
    revoke(Kind.CODE, entryOn("node"));
    for (String name : List.of("node", "other", "third")) {
      Files.createDirectories(temp.resolve(name));
      Files.copy(temp.resolve("admin/revocations"), temp.resolve(name).resolve("revocations"));
    }
    assertThat(reason(node("node"))).isEqualTo(Reason.REVOKED);
    assertThat(reason(node("node"))).isEqualTo(Reason.ABSENT);
    assertThat(reason(reader("new"))).isEqualTo(Reason.REVOKED);
    List<Path> layers = List.of(temp.resolve("builder"));
    assertThat(reason(node("other").layers(layers))).isEqualTo(Reason.REVOKED);
    toolchain.content = "compiler 2";
    List<CacheEvent> heard = new CopyOnWriteArrayList<>();
    try (CacheManager cache = node("third").layers(layers).listener(heard::add).build()) {
      // This meets what the other compiler made.
      assertThat(cache.explain(SOURCE, GFX90A).nearest()).hasSize(1);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
    assertThat(((Miss) heard.get(0)).reason()).isEqualTo(Reason.ABSENT);
  }

  @Test
  void missWithoutACompiler_tellsThatWhatWasFoundIsRevoked() throws IOException {
    revoke(Kind.CODE, entryOn("node"));
    Files.copy(temp.resolve("admin/revocations"), temp.resolve("node/revocations"));
    toolchain.isAbsent = true;
    List<CacheEvent> heard = new CopyOnWriteArrayList<>();
    CacheManagerBuilder bare = builder("ROCM_VERSION", "5.2").directory(temp.resolve("node"));
    try (CacheManager cache =
        bare.trustedKeys(Path.of(key + ".pub")).listener(heard::add).build()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class);
    }
    assertThat(((Miss) heard.get(0)).reason()).isEqualTo(Reason.REVOKED);
  }

  @Test
  void explain_saysWhyAnEntryIsRevoked() throws IOException {
    CacheEntry entry = build("layer");
    revoke(Kind.CODE, entry);
    Files.copy(temp.resolve("admin/revocations"), temp.resolve("layer/revocations"));
    try (CacheManager cache = node("node").layers(List.of(temp.resolve("layer"))).build()) {
      Explanation explanation = cache.explain(SOURCE, GFX90A);
      assertThat(explanation.isHit()).isFalse();
      Difference difference = explanation.nearest().get(0).differences().get(0);
      assertThat(difference.kind()).isEqualTo(Difference.Kind.TRUST);
      assertThat(difference.text()).startsWith("revoked on ").endsWith(REASON);
    }
  }

  @Test
  void explain_saysThatWhatIsInQuarantineIsRevoked() throws IOException {
    revoke(Kind.TOOLCHAIN, entryOn("node"));
    try (CacheManager cache = reader("node").build()) {
      // The remote has told by then: the entry is still in its place.
      assertThat(files(temp.resolve("node"), ".json")).hasSize(1);
      assertSaysRevoked(cache);
      assertThat(temp.resolve("node/quarantine")).doesNotExist();
    }
    assertThat(origin(reader("node"), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(files(temp.resolve("node/quarantine"), ".json")).hasSize(1);
    try (CacheManager cache = node("node").build()) {
      assertSaysRevoked(cache);
    }
  }

  @Test
  void explain_waitsForTheListOfARemote() {
    revoke(Kind.CODE, entryOn("node"));
    remote.hangs = true;
    try (CacheManager cache = reader("node").build()) {
      FutureTask<Explanation> task = new FutureTask<>(() -> cache.explain(SOURCE, GFX90A));
      Thread thread = new Thread(task);
      thread.start();
      while (thread.getState() != State.TIMED_WAITING && !task.isDone()) {
        Thread.onSpinWait();
      }
      remote.hangs = false;
      remote.held.forEach(Runnable::run);
      assertThat(task).succeedsWithin(Duration.ofMinutes(1)).matches(found -> !found.isHit());
    }
  }

  private CacheEntry entryOn(String name) {
    CacheEntry entry = build("builder");
    assertThat(origin(reader(name), SOURCE)).isEqualTo(Origin.REMOTE);
    return entry;
  }

  private static void assertSaysRevoked(CacheManager cache) {
    Explanation explanation = cache.explain(SOURCE, GFX90A);
    assertThat(explanation.isHit()).isFalse();
    assertThat(explanation.nearest())
        .singleElement()
        .satisfies(
            near ->
                assertThat(near.differences())
                    .singleElement()
                    .satisfies(
                        difference -> {
                          assertThat(difference.kind()).isEqualTo(Difference.Kind.TRUST);
                          assertThat(difference.text()).startsWith("revoked on ").endsWith(REASON);
                        }));
  }

  @Test
  void revokedEntry_isToldOnceOfEachCodeObject() throws IOException {
    revoke(Kind.CODE, entryOn("node"));
    Files.copy(temp.resolve("admin/revocations"), temp.resolve("node/revocations"));
    try (Warnings warnings = Warnings.of(PlaceRule.class)) {
      assertThat(origin(node("node"), SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(origin(reader("new"), SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines()).singleElement(STRING).contains(" of cache directory ");
      Notices.clear();
      assertThat(origin(reader("newer"), SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines().get(1))
          .startsWith("not using k.hip for gfx90a of remote memory://revoked: revoked on ")
          .endsWith(": " + REASON);
    }
  }

  @Test
  void explain_saysThatASignatureIsMissing() {
    try (CacheManager cache = builder().directory(temp.resolve("layer")).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
    }
    try (CacheManager cache = node("node").layers(List.of(temp.resolve("layer"))).build()) {
      assertThat(cache.explain(SOURCE, GFX90A).nearest().get(0).differences())
          .containsExactly(new Difference(Difference.Kind.TRUST, "no trusted key has signed it"));
    }
  }

  @Test
  void lists_areNeverReplacedByLowerOnes() throws IOException {
    CacheEntry entry = build("builder");
    revoke(Kind.CODE, entry);
    byte[] first = remote.values.get("revocations");
    revoke(Kind.TOOLCHAIN, entry);
    byte[] second = remote.values.get("revocations");
    assertThat(new String(second, UTF_8)).contains("\"serial\":2").contains("\"code\":");
    assertThat(origin(reader("node"), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(temp.resolve("node/revocations")).hasBinaryContent(second);
    remote.values.put("revocations", first);
    assertThat(origin(reader("node"), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(temp.resolve("node/revocations")).hasBinaryContent(second);
    Revocations revocations = node("node").build().signatures().revocations();
    assertThat(revocations.offer("one", second)).isTrue();
    assertThat(revocations.offer("one", second)).isFalse();
    assertThat(revocations.offer("one", first)).isFalse();
    assertThat(revocations.list().serial()).isEqualTo(2);
  }

  @Test
  void listOfAnotherKey_isNotTakenAndToldOnce() throws Exception {
    CacheEntry entry = build("builder");
    Path other = temp.resolve("other");
    SigningKey.create(other);
    try (CacheManager cache = node("layer").signKey(other).build()) {
      cache.revoke(revocation(Kind.CODE, entry));
    }
    try (Warnings warnings = Warnings.of(Revocations.class)) {
      for (int i = 0; i < 2; i++) {
        assertThat(origin(reader("node" + i).layers(List.of(temp.resolve("layer"))), SOURCE))
            .isEqualTo(Origin.REMOTE);
      }
      assertThat(warnings.lines()).hasSize(1);
      assertThat(warnings.lines().get(0)).contains("no trusted key has signed them");
    }
  }

  @Test
  void runningProcess_readsAgainAfterTenMinutes() {
    CacheEntry entry = build("builder");
    try (CacheManager cache = reader("node").memoryLimit(0).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.REMOTE);
      revoke(Kind.CODE, entry);
      clock.addAndGet(Duration.ofMinutes(9).toNanos());
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      clock.addAndGet(Duration.ofMinutes(2).toNanos());
      assertThat(origin(cache, SOURCE)).isIn(Origin.DISK, Origin.COMPILED);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
  }

  @Test
  void withoutKeys_nothingIsReadOrAsked() {
    CacheEntry entry = build("builder");
    revoke(Kind.CODE, entry);
    remote.asked.clear();
    CacheManagerBuilder blind = builder().directory(temp.resolve("blind"));
    assertThat(origin(blind.remote(remote.address()), SOURCE)).isEqualTo(Origin.REMOTE);
    assertThat(remote.asked).doesNotContain("revocations");
  }

  @Test
  void revoke_changesNothingWhileARemoteDoesNotAnswer() {
    CacheEntry entry = build("builder");
    remote.fails = true;
    try (CacheManager cache = signer("admin").build()) {
      assertThatThrownBy(() -> cache.revoke(revocation(Kind.CODE, entry)))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("no answer from memory://revoked");
    }
    assertThat(temp.resolve("admin/revocations")).doesNotExist();
  }

  @Test
  void source_isRevokedOnlyAsItWasMadeBefore() {
    CacheEntry entry = build("builder");
    try (CacheManager cache = signer("admin").build()) {
      cache.revoke(new Revocation(Kind.SOURCE, entry.source(), REASON, entry.created()));
    }
    assertThat(entry.created()).isBefore(Instant.now());
    assertThat(origin(reader("node"), SOURCE)).isEqualTo(Origin.REMOTE);
  }
}
