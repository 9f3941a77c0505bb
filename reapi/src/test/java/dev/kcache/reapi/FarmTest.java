// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CachePolicy;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.standin.LocalServer;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A build farm of buildbox's with four workers, beside the hipcc that these run. Both have to be of
 * the same machine: {@code scripts/modern-rocm} has buildbox.
 */
@Tag("farm")
class FarmTest {
  private static final List<TargetId> TARGETS =
      Stream.of("gfx908", "gfx90a", "gfx1030", "gfx1100").map(TargetId::parse).toList();

  /** How many of the frozen kernels are compiled for each target; there are 40. */
  private static final int KERNELS = Integer.getInteger("kcache.tests.farm", 2);

  private static final String[] EXECUTION = {
    "--buildbox-run=/usr/bin/buildbox-run-hosttools", "--jobs=4"
  };

  @TempDir Path temp;

  private record Pair(KernelSource source, TargetId target) {}

  private static List<Pair> pairs() throws IOException {
    List<Pair> pairs = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("../bench/kernels"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".hip")).sorted().toList()) {
        KernelSource source =
            KernelSource.read(file).withOptions(CompileOptions.of("-O3", "-std=c++17"));
        if (pairs.size() < KERNELS * TARGETS.size()) {
          TARGETS.forEach(target -> pairs.add(new Pair(source, target)));
        }
      }
    }
    return pairs;
  }

  private CasdServer farm(Path folder, int port) throws IOException {
    return new CasdServer(Files.createDirectories(folder), port, EXECUTION);
  }

  private CacheManagerBuilder cache(String directory) {
    return CacheManager.builder()
        .environment(Map.of("PATH", System.getenv("PATH")))
        .directory(temp.resolve(directory))
        .memoryLimit(0)
        .compileTimeout(Duration.ofMinutes(5));
  }

  private static Map<String, String> variables(String url) {
    return Map.of(
        "PATH",
        System.getenv("PATH"),
        "KCACHE_EXECUTOR",
        url,
        "KCACHE_EXECUTOR_PLATFORM",
        "container-image=docker://rocm@sha256:0123");
  }

  private CacheManagerBuilder client(String directory, String url) {
    return cache(directory).environment(variables(url)).parallelism(200);
  }

  private static Map<Pair, CompletableFuture<CacheResult>> ask(
      CacheManager cache, List<Pair> pairs) {
    Map<Pair, CompletableFuture<CacheResult>> futures = new HashMap<>();
    pairs.forEach(pair -> futures.put(pair, cache.resolveAsync(pair.source(), pair.target())));
    return futures;
  }

  private static Map<Pair, CacheResult> resolve(CacheManager cache, List<Pair> pairs) {
    return ask(cache, pairs).entrySet().stream()
        .collect(toMap(Map.Entry::getKey, each -> each.getValue().join()));
  }

  private static List<Origin> origins(CacheManager cache, List<Pair> pairs) {
    return resolve(cache, pairs).values().stream().map(CacheResult::origin).distinct().toList();
  }

  private static Map<Digest, List<Object>> entries(CacheManager cache) {
    return cache.maintenance().entries().stream()
        .collect(toMap(CacheEntry::request, FarmTest::content));
  }

  private static List<Object> content(CacheEntry entry) {
    return List.of(
        entry.codeObject(),
        entry.toolchain(),
        entry.toolchainFiles(),
        entry.label(),
        entry.command(),
        entry.dependencies());
  }

  @Test
  void pairs_areWhatTheSameCompilerHereMakes() throws Exception {
    List<Pair> pairs = pairs();
    try (CasdServer server = farm(temp.resolve("casd"), LocalServer.freePort());
        CacheManager remote = client("remote", server.url()).build();
        CacheManager local = cache("local").build()) {
      long start = System.nanoTime();
      assertThat(origins(remote, pairs)).containsExactly(Origin.COMPILED);
      Duration onFarm = Duration.ofNanos(System.nanoTime() - start);
      start = System.nanoTime();
      assertThat(origins(local, pairs)).containsExactly(Origin.COMPILED);
      Duration here = Duration.ofNanos(System.nanoTime() - start);
      System.out.printf(
          "farm: %d pairs in %d ms by 4 workers, in %d ms here%n",
          pairs.size(), onFarm.toMillis(), here.toMillis());

      assertThat(entries(remote)).hasSize(pairs.size()).isEqualTo(entries(local));
      assertThat(remote.executorLoad().orElseThrow().done()).isGreaterThan(pairs.size());
    }
  }

  @Test
  void caches_serveBothWays() throws Exception {
    List<Pair> pairs = pairs();
    try (CasdServer server = farm(temp.resolve("casd"), LocalServer.freePort());
        CacheManager remote = client("filled", server.url()).build()) {
      assertThat(origins(remote, pairs)).containsExactly(Origin.COMPILED);
      try (CacheManager here = cache("filled").policy(CachePolicy.SEALED).build()) {
        assertThat(origins(here, pairs)).containsExactly(Origin.DISK);
      }
      try (CacheManager here = cache("local").build()) {
        assertThat(origins(here, pairs)).containsExactly(Origin.COMPILED);
      }
      try (CacheManager other = client("local", server.url()).build()) {
        assertThat(origins(other, pairs)).containsExactly(Origin.DISK);
      }
    }
  }

  /** With several workers, this server would run equal commands of two clients twice. */
  @Test
  void clientsWithALease_compileOnce() throws Exception {
    List<Pair> pairs = pairs();
    int port = LocalServer.freePort();
    String[] command = {"redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", ""};
    try (LocalServer redis = LocalServer.start(port, temp.resolve("redis.log"), command);
        CasdServer server = farm(temp.resolve("casd"), LocalServer.freePort());
        CacheManager one = sharing(client("one", server.url()), redis);
        CacheManager two = sharing(client("two", server.url()), redis)) {
      Map<Pair, CompletableFuture<CacheResult>> first = ask(one, pairs);
      Map<Pair, CompletableFuture<CacheResult>> second = ask(two, pairs);
      assertThat(pairs)
          .allSatisfy(
              pair ->
                  assertThat(List.of(first.get(pair).join(), second.get(pair).join()))
                      .extracting(CacheResult::origin)
                      .containsExactlyInAnyOrder(Origin.COMPILED, Origin.REMOTE));
    }
  }

  private static CacheManager sharing(CacheManagerBuilder client, LocalServer redis) {
    return client
        .remote(URI.create("redis://127.0.0.1:" + redis.port()))
        .remoteMode(RemoteMode.READ_WRITE)
        .build();
  }

  @Test
  void farmThatIsNotThere_isReplacedByTheCompilerHere() throws Exception {
    List<Pair> pairs = pairs().subList(0, 1);
    try (CacheManager remote = client("here", "grpc://127.0.0.1:1").build()) {
      assertThat(origins(remote, pairs)).containsExactly(Origin.COMPILED);
      assertThat(remote.executorLoad()).isEmpty();
    }
  }

  /** On a disk of its own, which is full at first and then has room. */
  @Test
  void fullCacheDirectory_costsTheEntryAndOneWarning() throws Exception {
    Path disk = Files.createDirectory(temp.resolve("disk"));
    String script =
        """
        mount -t tmpfs -o size=1m,mode=0700 none $0
        head -c 1m /dev/zero >$0/full
        exec "$@"
        """;
    List<String> command =
        new ArrayList<>(
            List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", script));
    command.addAll(List.of(disk.toString(), System.getProperty("java.home") + "/bin/java", "-cp"));
    command.addAll(List.of(System.getProperty("java.class.path"), FullCacheMain.class.getName()));
    command.addAll(List.of("../bench/kernels/adam.hip", "gfx90a", disk + "/full"));
    Path errors = temp.resolve("errors");
    try (CasdServer server = farm(temp.resolve("casd"), LocalServer.freePort())) {
      ProcessBuilder client = new ProcessBuilder(command).redirectError(errors.toFile());
      client.environment().clear();
      client.environment().putAll(variables(server.url()));
      client.environment().put("KCACHE_DIR", disk.toString());
      Process process = client.start();
      List<String> out =
          new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
      assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
      assertThat(out)
          .extracting(line -> line.replaceFirst("\\w+", "bytes"))
          .containsExactly(
              "bytes COMPILED, not kept: 1",
              "bytes COMPILED, not kept: 1",
              "bytes DISK, not kept: 1");
      assertThat(
              Files.readAllLines(errors).stream().filter(line -> line.contains("cannot be kept")))
          .singleElement()
          .asString()
          .contains("(No space left on device); make room there or choose another one");
    }
  }

  @Test
  void serverThatIsStartedAgain_goesOn() throws Exception {
    List<Pair> pairs = pairs();
    int port = LocalServer.freePort();
    Path folder = temp.resolve("casd");
    CasdServer killed = farm(folder, port);
    try (CacheManager remote = client("remote", killed.url()).build()) {
      List<CompletableFuture<CacheResult>> futures =
          pairs.stream().map(pair -> remote.resolveAsync(pair.source(), pair.target())).toList();
      while (futures.stream().noneMatch(CompletableFuture::isDone)) {
        LockSupport.parkNanos(1_000_000);
      }
      killed.close();
      try (CasdServer again = farm(folder, port)) {
        assertThat(again.url()).isEqualTo(killed.url());
        futures.forEach(each -> assertThat(each.join().origin()).isEqualTo(Origin.COMPILED));
      }
    } finally {
      killed.close();
    }
  }
}
