// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.standin.FixtureToolchain;
import dev.kcache.codeobject.TargetId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process of a fleet. For each line of its standard input, the name of a round, it asks for all
 * kernels of the round at once, and prints for each where it came from, its digest and the
 * milliseconds that it took.
 */
final class FleetMain {
  private static final String WARM = "warm";
  private static final TargetId TARGET = TargetId.parse("gfx90a");

  private FleetMain() {}

  /** A compiler that takes its time, and writes down what it compiles. */
  private static final class Slow extends FixtureToolchain {
    private final Path log;
    private final long millis;

    Slow(Path log, long millis) {
      super(10_000);
      this.log = log;
      this.millis = millis;
    }

    @Override
    public Output compile(Job job) throws InterruptedException {
      if (!job.source().name().startsWith(WARM)) {
        try {
          Files.writeString(log, job.source().name() + "\n", CREATE, APPEND);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        // The time that a compile takes, in which others ask for it.
        TimeUnit.MILLISECONDS.sleep(millis);
      }
      return super.compile(job);
    }
  }

  /** Where the cores are busy, that takes longer than a request may. */
  static void loadLettuce(URI remote) throws Exception {
    try (RemoteStore store = new RedisStoreProvider().open(remote, Map.of())) {
      var unused = store.get(WARM, 1).get(2, TimeUnit.MINUTES);
    }
  }

  /** Takes the remote, the directory, the log, the number of kernels and a compile's time. */
  public static void main(String[] args) throws Exception {
    URI remote = URI.create(args[0]);
    loadLettuce(remote);
    int kernels = Integer.parseInt(args[3]);
    long millis = Long.parseLong(args[4]);
    CacheManagerBuilder builder =
        CacheManager.builder()
            .environment(Map.of())
            .toolchain(new Slow(Path.of(args[2]), millis))
            .directory(Path.of(args[1]))
            .remote(remote)
            .remoteMode(RemoteMode.READ_WRITE);
    // Closed before the others begin: it has a lease, too.
    try (CacheManager warm = builder.build()) {
      warm.getOrCompile(source(WARM + ProcessHandle.current().pid()), TARGET);
    }
    try (CacheManager cache = builder.build();
        BufferedReader rounds = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      System.out.println("ready");
      for (String round = rounds.readLine(); round != null; round = rounds.readLine()) {
        ask(cache, round, kernels);
        System.out.println("end");
      }
    }
  }

  private static void ask(CacheManager cache, String round, int kernels) {
    long start = System.nanoTime();
    Map<String, CompletableFuture<CacheResult>> results = new LinkedHashMap<>();
    for (int i = 0; i < kernels; i++) {
      String name = round + "k" + i;
      results.put(name, cache.resolveAsync(source(name), TARGET));
    }
    results.forEach(
        (name, future) -> {
          CacheResult result = future.join();
          System.out.println(
              String.join(
                  " ",
                  name,
                  result.origin().toString(),
                  result.codeObject().digest().toString(),
                  "" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)));
        });
  }

  private static KernelSource source(String name) {
    return KernelSource.of(name, "__global__ void " + name + "() {}\n");
  }
}
