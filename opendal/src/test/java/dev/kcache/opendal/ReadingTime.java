// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import dev.kcache.cache.remote.RemoteStore;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** Prints what 1,000 reads take, 64 at a time. Run by hand, for the figure in decision 33. */
final class ReadingTime {
  private static final int READS = 1000;
  private static final int ROUNDS = 12;
  private static final int WARM = 4;

  private ReadingTime() {}

  public static void main(String[] args) throws Exception {
    Path temp = Files.createTempDirectory("reading-time");
    Path directory = Files.createDirectory(temp.resolve("file"));
    measure("file", directory.toUri().toString(), Map.of());
    try (StorageServer server =
        StorageServer.webDav(Files.createDirectory(temp.resolve("webdav")))) {
      measure("webdav", server.url(), server.credentials());
    }
  }

  private static void measure(String what, String url, Map<String, String> credentials)
      throws Exception {
    try (RemoteStore store = new OpenDalStoreProvider().open(URI.create(url), credentials)) {
      byte[] value = new byte[10_000];
      new Random(1).nextBytes(value);
      for (int i = 0; i < READS; i++) {
        store.put("gfx90a/" + i + "/any", value).get();
      }
      for (String under : List.of("gfx90a/", "gfx942/")) {
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int round = 0; round < ROUNDS; round++) {
          long millis = read(store, under);
          least = round < WARM ? least : Math.min(least, millis);
          most = round < WARM ? most : Math.max(most, millis);
        }
        String kind = under.equals("gfx90a/") ? "hits" : "misses";
        System.out.printf("%s, %d %s: %d to %d ms%n", what, READS, kind, least, most);
      }
    }
  }

  private static long read(RemoteStore store, String under) throws Exception {
    Semaphore inFlight = new Semaphore(64);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < READS; i++) {
      inFlight.acquire();
      asked.add(
          store
              .get(under + i + "/any", 1 << 20)
              .whenComplete((value, failure) -> inFlight.release()));
    }
    for (CompletableFuture<?> each : asked) {
      each.get();
    }
    return (System.nanoTime() - start) / 1_000_000;
  }
}
