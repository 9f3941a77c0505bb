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
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process of a fleet, which asks for all kernels at once when its standard input says so, and
 * prints for each where it came from, its digest and the milliseconds that it took.
 */
final class FleetMain {
  private static final String WARM = "warm";

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
    TargetId target = TargetId.parse("gfx90a");
    CacheManagerBuilder builder =
        CacheManager.builder()
            .environment(Map.of())
            .toolchain(new Slow(Path.of(args[2]), millis))
            .directory(Path.of(args[1]))
            .remote(remote)
            .remoteMode(RemoteMode.READ_WRITE);
    // Closed before the others begin: it has a lease, too.
    try (CacheManager warm = builder.build()) {
      warm.getOrCompile(source(WARM + ProcessHandle.current().pid()), target);
    }
    try (CacheManager cache = builder.build()) {
      System.out.println("ready");
      if (System.in.read() < 0) {
        return;
      }
      long start = System.nanoTime();
      Map<String, CompletableFuture<CacheResult>> results = new LinkedHashMap<>();
      for (int i = 0; i < kernels; i++) {
        String name = "k" + i;
        results.put(name, cache.resolveAsync(source(name), target));
      }
      for (Map.Entry<String, CompletableFuture<CacheResult>> each : results.entrySet()) {
        CacheResult result = each.getValue().join();
        System.out.println(
            String.join(
                " ",
                each.getKey(),
                result.origin().toString(),
                result.codeObject().digest().toString(),
                "" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)));
      }
    }
    System.out.write("end\n".getBytes(UTF_8));
    System.out.flush();
  }

  private static KernelSource source(String name) {
    return KernelSource.of(name, "__global__ void " + name + "() {}\n");
  }
}
