// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheEvent.Hit;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.fleet.Jitter;
import dev.kcache.cache.fleet.RemoteStores;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Managers with directories of their own, behind which there are remotes. */
class RemoteTierTest extends CacheTestBase {
  private static final String EXACT = "gfx90a/[0-9a-f]{64}/[0-9a-f]{64}";

  /** Long enough for a store in memory, and short enough to wait for. */
  private static final RemoteTier.Waits SHORT =
      new RemoteTier.Waits(Duration.ofMillis(300), Duration.ofSeconds(30), Duration.ofSeconds(5));

  private static final Map<String, byte[]> UPLOADED = new LinkedHashMap<>();

  private final MemoryRemotes.Store remote = MemoryRemotes.create("one");
  private final MemoryRemotes.Store second = MemoryRemotes.create("two");
  private final AtomicLong clock = new AtomicLong();

  @BeforeEach
  void forgetWarnings() {
    Notices.clear();
  }

  /** Returns a manager with an own directory, which reads the remote. */
  private CacheManagerBuilder node(String name, String... variables) {
    CacheManagerBuilder builder = builder(variables).directory(temp.resolve(name));
    builder.remoteWaits = SHORT;
    builder.remoteJitter = MemoryRemotes.NO_JITTER;
    builder.nanoTime = clock::get;
    return builder.remote(remote.address());
  }

  private CacheManager writer(String name) {
    return node(name).remoteMode(RemoteMode.READ_WRITE).build();
  }

  /** Has a manager compile sources, and upload them. */
  private void compileAndUpload(KernelSource... sources) {
    try (CacheManager cache = writer("writer")) {
      for (KernelSource source : sources) {
        cache.getOrCompile(source, GFX90A);
      }
    }
    toolchain.jobs.clear();
    remote.asked.clear();
  }

  /** As {@link #compileAndUpload}, of what an earlier test has compiled: that takes its time. */
  private void upload(KernelSource... sources) {
    synchronized (UPLOADED) {
      if (UPLOADED.isEmpty()) {
        compileAndUpload(SOURCE, OTHER);
        UPLOADED.putAll(remote.values);
        remote.values.clear();
      }
    }
    for (KernelSource source : sources) {
      UPLOADED.forEach(
          (key, value) -> {
            if (key.startsWith(name(source))) {
              remote.values.put(key, value);
            }
          });
    }
  }

  private static String name(KernelSource source) {
    return "gfx90a/" + RequestKey.digest(source, GFX90A) + "/";
  }

  private String exactName(KernelSource source) {
    return remote.values.keySet().stream()
        .filter(key -> key.startsWith(name(source)) && !key.endsWith("/any"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void secondNode_hasAHitThatIsThenOnItsDisk() {
    try (CacheManager cache = writer("one")) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
    List<CacheEvent> heard = new CopyOnWriteArrayList<>();
    try (CacheManager cache = node("two").listener(heard::add).build()) {
      CacheResult found = cache.resolve(SOURCE, GFX90A);
      assertThat(found.origin()).isEqualTo(Origin.REMOTE);
      assertThat(found.kept()).isTrue();
      assertThat(found.codeObject()).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.MEMORY);
      assertThat(cache.statistics().remoteHits()).isEqualTo(1);
      assertThat(cache.statistics().diskHits()).isZero();
      assertThat(cache.statistics().savedTime()).isPositive();
      assertThat(cache.maintenance().health().directory().orElseThrow().counts().entries())
          .isEqualTo(1);
    }
    assertThat(heard.get(0)).isInstanceOf(Hit.class);
    assertThat(((Hit) heard.get(0)).origin()).isEqualTo(Origin.REMOTE);
    remote.asked.clear();
    assertThat(origin(node("two"), SOURCE)).isEqualTo(Origin.DISK);
    assertThat(remote.asked).isEmpty();
    assertThat(toolchain.jobs).hasSize(1);
    assertThat(remote.closed).isTrue();
  }

  @Test
  void upload_writesTheExactNameAndThenAny() {
    compileAndUpload(SOURCE);
    assertThat(remote.written).hasSize(2);
    assertThat(remote.written.get(0)).startsWith(name(SOURCE)).matches(EXACT);
    assertThat(remote.written.get(1)).isEqualTo(name(SOURCE) + "any");
    assertThat(remote.values.get(name(SOURCE) + "any"))
        .isEqualTo(remote.values.get(remote.written.get(0)));
  }

  @Test
  void largeCodeObject_isAValueOfItsOwnThatIsWrittenOnce() {
    toolchain.padding = 256 << 10;
    compileAndUpload(SOURCE, OTHER);
    CodeObject code;
    try (CacheManager cache = node("two").build()) {
      CacheResult found = cache.resolve(SOURCE, GFX90A);
      assertThat(found.origin()).isEqualTo(Origin.REMOTE);
      code = found.codeObject();
      assertThat(code.size()).isGreaterThan(256 << 10);
    }
    assertThat(remote.written).hasSize(5).startsWith("code/" + code.digest());
    assertThat(remote.written.stream().filter(name -> name.startsWith("code/"))).hasSize(1);
    assertThat(remote.values.get(exactName(OTHER))).hasSizeLessThan(10_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"absent", "cut", "longer", "other"})
  void largeCodeObjectThatIsWrong_isAMiss(String how) {
    toolchain.padding = 256 << 10;
    compileAndUpload(SOURCE);
    String name = remote.written.get(0);
    byte[] code = remote.values.remove(name);
    int length = code.length;
    switch (how) {
      case "cut" -> remote.values.put(name, Arrays.copyOf(code, length - 1));
      case "longer" -> remote.values.put(name, Arrays.copyOf(code, length + 1));
      case "other" -> {
        code[length - 1] = 1;
        remote.values.put(name, code);
      }
      default -> {}
    }
    try (Warnings warnings = Warnings.of(RemoteTier.class);
        CacheManager cache = node("two").build()) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      assertThat(warnings.lines()).hasSize(how.equals("absent") ? 0 : 1);
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      assertThat(remote.asked).hasSize(how.equals("absent") ? 4 : 2);
    }
  }

  /** Few threads compile; as many lookups as a remote may be asked at once wait for it. */
  @Test
  void lookups_runTogetherUpToABound() {
    KernelSource[] sources =
        IntStream.range(0, 80).mapToObj(i -> source("k" + i)).toArray(KernelSource[]::new);
    compileAndUpload(sources);
    remote.hangs = true;
    CacheManagerBuilder builder = node("two").parallelism(1);
    builder.remoteWaits = RemoteTier.Waits.DEFAULT;
    try (CacheManager cache = builder.build()) {
      List<CompletableFuture<CacheResult>> results =
          Arrays.stream(sources).map(each -> cache.resolveAsync(each, GFX90A)).toList();
      until(() -> remote.held.size() >= 64);
      assertThat(remote.asked).hasSize(64);
      remote.hangs = false;
      remote.held.forEach(Runnable::run);
      assertThat(results).extracting(each -> each.join().origin()).containsOnly(Origin.REMOTE);
    }
  }

  @Test
  void modeRead_isTheDefaultAndUploadsNothing() {
    assertThat(origin(node("one"), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(remote.asked).containsExactly(asked(SOURCE));
    assertThat(remote.written).isEmpty();
  }

  private String asked(KernelSource source) {
    return name(source) + toolchain.identity(GFX90A, source.options().arguments());
  }

  @Test
  void environment_setsRemotesAndMode() {
    Map<String, String> variables =
        environment(
            "KCACHE_REMOTE", "memory://one, memory://two", "KCACHE_REMOTE_MODE", "read-write");
    try (CacheManager cache =
        CacheManager.builder().environment(variables).toolchain(toolchain).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
    assertThat(second.written).isEqualTo(remote.written).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5.2"})
  void nodeWithoutCompiler_isServedByAny(String version) {
    upload(SOURCE);
    toolchain.isAbsent = true;
    assertThat(origin(node("bare", "ROCM_VERSION", version), SOURCE)).isEqualTo(Origin.REMOTE);
    assertThat(remote.asked).last().isEqualTo(name(SOURCE) + "any");
    assertThat(origin(node("bare", "ROCM_VERSION", version), SOURCE)).isEqualTo(Origin.DISK);
  }

  @Test
  void deviceWithoutCompiler_isServedAnyOfItsGenericTarget() {
    TargetId generic = TargetId.parse("gfx9-4-generic");
    try (CacheManager cache = writer("writer")) {
      cache.getOrCompile(SOURCE, generic);
    }
    toolchain.isAbsent = true;
    try (CacheManager cache = node("bare").build()) {
      TargetId device = TargetId.parse("gfx942:sramecc+:xnack-");
      CacheResult found = cache.deviceRequests().resolve(SOURCE, device);
      assertThat(found.origin()).isEqualTo(Origin.REMOTE);
      assertThat(found.codeObject().target()).isEqualTo(generic);
    }
  }

  @Test
  void any_ofAVersionThatMayNotStandIn_isNotServed() throws IOException {
    upload(SOURCE);
    toolchain.isAbsent = true;
    try (CacheManager cache = node("bare", "ROCM_VERSION", "5.1").build()) {
      assertThatThrownBy(() -> cache.getOrCompile(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class);
    }
    assertThat(remote.asked).contains(name(SOURCE) + "any");
    assertThat(files(temp.resolve("bare"), ".co")).isEmpty();
  }

  @Test
  void any_ofAnotherRequest_isNotServed() {
    upload(SOURCE, OTHER);
    remote.values.put(name(SOURCE) + "any", remote.values.get(name(OTHER) + "any"));
    toolchain.isAbsent = true;
    try (CacheManager cache = node("bare").build()) {
      assertThat(cache.getIfPresent(OTHER, GFX90A)).isPresent();
      assertThatThrownBy(() -> cache.getIfPresent(SOURCE, GFX90A))
          .isInstanceOf(ToolchainNotFoundException.class);
    }
  }

  @Test
  void entryOfAnotherCompiler_isNotAskedFor() {
    upload(SOURCE);
    toolchain.content = "compiler 2";
    assertThat(origin(node("two"), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void entryWhoseHeadersChanged_isNotServed() {
    upload(SOURCE);
    toolchain.changed = FakeToolchain.HEADERS;
    assertThat(origin(node("two"), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void directoryThatCannotBeWritten_isNoHindrance() throws IOException {
    upload(SOURCE);
    Files.createFile(temp.resolve("file"));
    try (CacheManager cache = node("file").build()) {
      CacheResult found = cache.resolve(SOURCE, GFX90A);
      assertThat(found.origin()).isEqualTo(Origin.REMOTE);
      assertThat(found.kept()).isFalse();
    }
  }

  @Test
  void disabledOrRecompiling_asksNoRemote() {
    upload(SOURCE);
    assertThat(origin(node("two", "KCACHE_DISABLE", "1"), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(origin(node("two").recompiling(), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(remote.asked).isEmpty();
  }

  /** Each is one that a server, a proxy or somebody with access may give. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cut               | no sound ZIP
          HTTP              | no ZIP that begins with a record
          empty             | no ZIP that begins with a record
          code object       | bytes whose SHA-256 is not the file's name
          list              | bytes whose SHA-256 is not the file's name
          record            | not a record
          order             | no ZIP that begins with a record
          lacks list        | a record without all that it names
          lacks code object | a record without all that it names
          more              | ../more, which its record does not name
          long record       | more than the 8388608 bytes
          long code object  | more than the 3464 bytes
          another request   | a record of something else
          another target    | a record of something else
          another toolchain | a record of something else
          another version   | misdescribes
          """)
  void damagedValue_isAMissToldOnceAndNotAskedForAgain(String how, String reason)
      throws IOException {
    upload(SOURCE, OTHER);
    String exact = exactName(SOURCE);
    remote.values.put(exact, damaged(how, remote.values.get(exact)));
    try (Warnings warnings = Warnings.of(RemoteTier.class);
        CacheManager cache = node("two").build()) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      assertThat(temp.resolve("two")).doesNotExist();
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      assertThat(remote.asked).containsExactly(exact);
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .contains("memory://one", exact, reason);
      assertThat(warnings.lines().get(0)).doesNotContain("\n");
    }
  }

  @Test
  void damagedValue_isCompiledAndReplaced() {
    upload(SOURCE, OTHER);
    String exact = exactName(SOURCE);
    remote.values.put(exact, new byte[10]);
    try (CacheManager cache = writer("two")) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.REMOTE);
    }
    assertThat(origin(node("three"), SOURCE)).isEqualTo(Origin.REMOTE);
  }

  private byte[] damaged(String how, byte[] value) throws IOException {
    Map<String, byte[]> parts = parts(value);
    String code = parts.keySet().stream().filter(key -> key.endsWith(".co")).findFirst().get();
    String list = parts.keySet().stream().filter(key -> key.endsWith(".deps")).findFirst().get();
    switch (how) {
      case "cut" -> {
        return Arrays.copyOf(value, value.length / 2);
      }
      case "HTTP" -> {
        return "HTTP/1.1 502 Bad Gateway\r\n".getBytes(UTF_8);
      }
      case "empty" -> {
        return new byte[0];
      }
      case "another request" -> {
        return remote.values.get(exactName(OTHER));
      }
      case "code object" -> parts.get(code)[parts.get(code).length - 1] ^= 1;
      case "list" -> parts.get(list)[0] ^= 1;
      case "record" -> parts.put("record", Arrays.copyOf(parts.get("record"), 100));
      case "order" -> parts.put("record", parts.remove("record"));
      case "lacks list" -> parts.remove(list);
      case "lacks code object" -> parts.remove(code);
      case "more" -> parts.put("../more", new byte[1]);
      case "long record" -> parts.put("record", new byte[(8 << 20) + 1]);
      case "long code object" -> parts.put(code, Arrays.copyOf(parts.get(code), 1 << 20));
      case "another target" -> parts.put("record", replaced(parts, "\"gfx90a\"", "\"gfx942\""));
      case "another version" -> parts.put("record", replaced(parts, "sion\": 6", "sion\": 5"));
      case "another toolchain" -> {
        String toolchain = exactName(SOURCE).replaceAll(".*/", "");
        parts.put("record", replaced(parts, toolchain, "0".repeat(toolchain.length())));
      }
      default -> throw new AssertionError(how);
    }
    return zip(parts);
  }

  private static byte[] replaced(Map<String, byte[]> parts, String text, String by) {
    String record = new String(parts.get("record"), UTF_8);
    assertThat(record).contains(text);
    return record.replace(text, by).getBytes(UTF_8);
  }

  private static Map<String, byte[]> parts(byte[] value) throws IOException {
    Map<String, byte[]> parts = new LinkedHashMap<>();
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(value))) {
      for (ZipEntry next = zip.getNextEntry(); next != null; next = zip.getNextEntry()) {
        parts.put(next.getName(), zip.readAllBytes());
      }
    }
    return parts;
  }

  private static byte[] zip(Map<String, byte[]> parts) throws IOException {
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(value)) {
      for (Map.Entry<String, byte[]> part : parts.entrySet()) {
        zip.putNextEntry(new ZipEntry(part.getKey()));
        zip.write(part.getValue());
      }
    }
    return value.toByteArray();
  }

  @Test
  void value_isWhatTheFormatSays() throws IOException {
    compileAndUpload(SOURCE);
    Map<String, byte[]> parts = parts(remote.values.get(exactName(SOURCE)));
    Path directory = temp.resolve("writer/gfx90a-5.2");
    assertThat(parts.keySet()).first().isEqualTo("record");
    assertThat(parts).hasSize(4);
    for (Map.Entry<String, byte[]> part : parts.entrySet()) {
      Path file =
          part.getKey().equals("record")
              ? files(directory, ".json").get(0)
              : directory.resolve(part.getKey());
      assertThat(file).hasBinaryContent(part.getValue());
    }
  }

  @Test
  void secondRemote_servesWhatTheFirstLacksOrHasDamaged() {
    upload(SOURCE, OTHER);
    second.values.putAll(remote.values);
    remote.values.remove(exactName(SOURCE));
    remote.values.put(exactName(OTHER), new byte[10]);
    try (CacheManager cache = node("two").remote(remote.address(), second.address()).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.REMOTE);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.REMOTE);
    }
  }

  @Test
  void remoteThatHangs_costsOneDeadlineAndIsThenLeftAlone() {
    upload(SOURCE);
    remote.hangs = true;
    try (Warnings warnings = warningsOfRemotes();
        CacheManager cache = node("two").build()) {
      long start = System.nanoTime();
      List<CompletableFuture<CacheResult>> all =
          IntStream.range(0, 20)
              .mapToObj(i -> cache.resolveAsync(source("k" + i), GFX90A))
              .toList();
      all.forEach(each -> assertThat(each.join().origin()).isEqualTo(Origin.COMPILED));
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThan(SHORT.deadline())
          .isLessThan(Duration.ofSeconds(3));
      int asked = remote.asked.size();
      assertThat(asked).isBetween(1, 20);
      assertThat(warnings.lines())
          .containsExactly(
              "remote memory://one: no answer within 300 ms; going on without it, and trying it"
                  + " again from time to time");

      remote.hangs = false;
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(remote.asked).hasSize(asked);
    }
    assertThat(toolchain.jobs).hasSize(21);
  }

  @Test
  void remoteThatIsThereAgain_isAskedAfterAWhile() {
    upload(SOURCE, OTHER);
    remote.fails = true;
    try (Warnings warnings = warningsOfRemotes();
        CacheManager cache = node("two").build()) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      assertThat(remote.asked).hasSize(2);
      remote.fails = false;
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      clock.addAndGet(TimeUnit.SECONDS.toNanos(29));
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.REMOTE);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.REMOTE);
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .startsWith("remote memory://one: broken on purpose; ");
    }
  }

  @Test
  void remoteThatFailsOnce_servesAllTheSame() {
    upload(SOURCE);
    remote.fails = true;
    CacheManagerBuilder builder = node("two");
    builder.remoteJitter =
        new Jitter(
            () -> 0,
            (delay, task) -> {
              remote.fails = false;
              task.run();
            });
    try (Warnings warnings = warningsOfRemotes();
        CacheManager cache = builder.build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.REMOTE);
      assertThat(remote.asked).hasSize(2);
      assertThat(warnings.lines()).isEmpty();
    }
  }

  @Test
  void remoteThatFails_neverFailsACompile() {
    remote.fails = true;
    try (CacheManager cache = writer("one")) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.COMPILED);
    }
    assertThat(remote.written).isEmpty();
  }

  @Test
  void interruptedCaller_isLetGo() {
    upload(SOURCE);
    Thread.currentThread().interrupt();
    try (CacheManager cache = node("two").build()) {
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.REMOTE);
    }
  }

  @Test
  void close_waitsForUploads() {
    try (CacheManager cache = writer("one")) {
      cache.getOrCompile(SOURCE, GFX90A);
      remote.hangsWriting = true;
      cache.getOrCompile(OTHER, GFX90A);
      // It goes on while the manager closes.
      CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS)
          .execute(
              () -> {
                remote.hangsWriting = false;
                remote.held.forEach(Runnable::run);
              });
    }
    assertThat(remote.written).hasSize(4);
    assertThat(remote.closed).isTrue();
  }

  @Test
  void awaitUploads_waitsForAllAndCountsWhatIsMissing() {
    try (CacheManager cache = writer("one")) {
      assertThat(cache.awaitUploads(Duration.ofMinutes(1))).isZero();
      cache.getOrCompile(SOURCE, GFX90A);
      assertThat(cache.awaitUploads(Duration.ofMinutes(1))).isZero();
      assertThat(remote.written).hasSize(2);
      remote.hangsWriting = true;
      cache.getOrCompile(OTHER, GFX90A);
      assertThat(cache.awaitUploads(Duration.ZERO)).isEqualTo(1);
      // It does not take the rest of a minute: the write fails at its deadline.
      assertThat(cache.awaitUploads(Duration.ofMinutes(1))).isEqualTo(1);
    }
    try (CacheManager cache = node("two").build()) {
      cache.getOrCompile(OTHER, GFX90A);
      assertThat(cache.awaitUploads(Duration.ofMinutes(1))).isZero();
    }
  }

  @Test
  void close_ofARemoteThatHangs_endsAndTellsWhatIsLost() {
    remote.hangsWriting = true;
    CacheManagerBuilder builder = node("one").remoteMode(RemoteMode.READ_WRITE);
    Duration minute = Duration.ofSeconds(60);
    builder.remoteWaits = new RemoteTier.Waits(minute, minute, Duration.ofMillis(100));
    try (Warnings warnings = Warnings.of("dev.kcache.cache.fleet.Uploads")) {
      try (CacheManager cache = builder.build()) {
        assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
        assertThat(origin(cache, OTHER)).isEqualTo(Origin.COMPILED);
      }
      assertThat(remote.closed).isTrue();
      assertThat(warnings.lines())
          .containsExactly("compiled kernels that were not uploaded to each remote: 2");
    }
  }

  @Test
  void missingProvider_isOneLineWithTheArtifact() {
    try (Warnings warnings = Warnings.of(RemoteStores.class);
        CacheManager cache =
            manager("KCACHE_REMOTE", "redis://:secret@host,rediss://host,ftp://user:secret@host")) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines())
          .hasSize(3)
          .noneMatch(line -> line.contains("secret"))
          .first()
          .asString()
          .contains("redis://", "dev.kcache:kcache-redis")
          .endsWith(
              "'mvn -f kcache-*/share/engine.xml -Dengine=redis dependency:copy-dependencies'");
      assertThat(warnings.lines().get(2)).contains("ftp://", "redis://, rediss://");
    }
  }

  @Test
  void wrongSettings_areRefusedByTheirName() {
    assertThatThrownBy(() -> manager("KCACHE_REMOTE_MODE", "banana"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("KCACHE_REMOTE_MODE='banana' is unknown; use read or read-write");
    for (String wrong : List.of("redis://:secret@ho st", "//:secret@host", "secret")) {
      assertThatThrownBy(() -> manager("KCACHE_REMOTE", wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("KCACHE_REMOTE holds something ")
          .hasMessageNotContaining("secret");
    }
  }

  private static Warnings warningsOfRemotes() {
    return Warnings.of("dev.kcache.cache.fleet.Remote");
  }
}
