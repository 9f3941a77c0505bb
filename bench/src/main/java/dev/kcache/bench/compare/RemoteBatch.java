// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import dev.kcache.cache.sync.EntryPlace;
import dev.kcache.cache.sync.EntrySync;
import dev.kcache.cache.sync.SyncListener;
import dev.kcache.cache.sync.SyncResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Hits and misses of an application in a Redis to which a round trip takes 20 ms, with nothing on
 * the disk, beside sccache with the same Redis.
 */
final class RemoteBatch implements Measurement {
  private static final int ROUND_TRIP_MILLIS = 20;
  private static final String MISSES = "misses";
  private static final String HITS = "hits";

  /** By then the JVM has compiled what it runs. */
  private static final int ROUNDS = 5;

  private static final String SCCACHE = Hits.parallel("sccache");

  private final Tools tools;
  private final Turns turns;
  private final Pairs pairs;
  private final Path caches;

  /**
   * Creates the measurement.
   *
   * @param caches the directory of the filled caches; kcache's is copied to the Redis
   */
  RemoteBatch(Tools tools, Turns turns, Pairs pairs, Path caches) {
    this.tools = tools;
    this.turns = turns;
    this.pairs = pairs;
    this.caches = caches;
  }

  private String title(String what) {
    return pairs.count() + " " + what + ", 20 ms away";
  }

  @Override
  public List<Line> measure() {
    Optional<String> program = tools.find("redis-server");
    if (program.isEmpty()) {
      String missing = "no redis-server on the PATH";
      return List.of(Line.absent(Group.REMOTE, title(HITS), "", missing));
    }
    try (RedisServer full = RedisServer.start(program.get(), tools.emptyDirectory("full"));
        RedisServer empty = RedisServer.start(program.get(), tools.emptyDirectory("empty"));
        DelayingProxy toFull = new DelayingProxy(full.port(), ROUND_TRIP_MILLIS);
        DelayingProxy toEmpty = new DelayingProxy(empty.port(), ROUND_TRIP_MILLIS)) {
      fill(full);
      Optional<CompilerCache> sccache = CompilerCache.sccacheInRedis(tools, toFull.port());
      try {
        return measure(toFull, toEmpty, sccache);
      } finally {
        sccache.ifPresent(CompilerCache::close);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void fill(RedisServer redis) throws IOException {
    Path cache = caches.resolve("kcache");
    tools.kcache(cache, pairs.prewarm()).run();
    try (EntryPlace from = EntryPlace.directory(cache, Map.of());
        EntryPlace to = EntryPlace.remote(URI.create(redis.url()), Map.of())) {
      SyncResult result = EntrySync.run(from, to, Set.of(), new Nobody(), () -> false);
      if (result.failed() + result.refused() > 0) {
        throw new CommandFailedException("the Redis was not filled: " + result);
      }
    }
  }

  private List<Line> measure(
      DelayingProxy toFull, DelayingProxy toEmpty, Optional<CompilerCache> sccache) {
    List<Double> hits = new ArrayList<>();
    List<Double> misses = new ArrayList<>();
    List<Double> archivedHits = new ArrayList<>();
    List<Double> archivedMisses = new ArrayList<>();
    List<Double> warmHits = new ArrayList<>();
    List<Double> warmMisses = new ArrayList<>();
    List<Side> sides = new ArrayList<>();
    int all = pairs.count();
    sides.add(application("kcache", 1, toFull, output -> hits.add(seconds(output, 0, all, 0))));
    Archive archive = new Archive(tools.work().resolve("far.archive"));
    application("archiving", 1, toFull, output -> {}, archive.making()).timed().run();
    sides.add(
        application(
            "archived-" + HITS,
            1,
            toFull,
            output -> archivedHits.add(seconds(output, 0, all, 0)),
            archive.using()));
    sides.add(
        application(
            "archived-" + MISSES,
            1,
            toEmpty,
            output -> archivedMisses.add(seconds(output, 0, 0, all)),
            archive.using()));
    sides.add(
        application(
            HITS, ROUNDS, toFull, output -> warmHits.add(seconds(output, ROUNDS - 1, all, 0))));
    sides.add(
        application(
            MISSES,
            ROUNDS,
            toEmpty,
            output -> {
              misses.add(seconds(output, 0, 0, all));
              warmMisses.add(seconds(output, ROUNDS - 1, 0, all));
            }));
    Path out = tools.emptyDirectory("far");
    sccache.ifPresent(
        cache -> {
          Command command = cache.xargs(pairs, out);
          command.run();
          sides.add(cache.side(SCCACHE, command, pairs.count()));
        });
    Map<String, Samples> seconds = turns.measure(sides);
    String whole = title(HITS) + ", whole process";
    return List.of(
        Line.of(Group.REMOTE, title(HITS), Unit.SECONDS, new Samples(hits), Bar.amount(2)),
        Line.of(Group.REMOTE, title(MISSES), Unit.SECONDS, new Samples(misses), Bar.amount(1)),
        in("a new JVM with an archive", HITS, archivedHits, 2),
        in("a new JVM with an archive", MISSES, archivedMisses, 1),
        in("a warm JVM", HITS, warmHits, 2),
        in("a warm JVM", MISSES, warmMisses, 1),
        Line.ofSides(
            Group.REMOTE, whole, Unit.SECONDS, seconds, SCCACHE, "not on the PATH", Bar.speed(1)));
  }

  private Line in(String jvm, String what, List<Double> seconds, double bar) {
    return Line.of(
        Group.REMOTE,
        title(what) + ", in " + jvm,
        Unit.SECONDS,
        new Samples(seconds),
        Bar.amount(bar));
  }

  private static double seconds(String output, int round, int kernels, int missing) {
    return ManyKernels.Printed.of(output, round, kernels, missing).seconds();
  }

  /** Returns the version that the entries are of, which the names of their directories end with. */
  private String version() {
    String beginning = pairs.targets().get(0) + "-";
    try (Stream<Path> directories = Files.list(caches.resolve("kcache"))) {
      return directories
          .map(directory -> directory.getFileName().toString())
          .filter(name -> name.startsWith(beginning))
          .map(name -> name.substring(beginning.length()))
          .findFirst()
          .orElseThrow(() -> new CommandFailedException("nothing was prewarmed"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a side whose cache directory is new each time, and that compiles nothing. It is told
   * the version, as nodes are, and asks no compiler for it.
   */
  private Side application(
      String name, int rounds, DelayingProxy remote, Consumer<String> printed, String... options) {
    AtomicInteger runs = new AtomicInteger();
    return Side.of(
        name,
        () -> {
          Path cache = tools.work().resolve("far-" + name + "-" + runs.incrementAndGet());
          Map<String, String> variables =
              Map.of(
                  "KCACHE_DIR",
                  cache.toString(),
                  "KCACHE_REMOTE",
                  "redis://127.0.0.1:" + remote.port(),
                  "KCACHE_POLICY",
                  "sealed",
                  "ROCM_VERSION",
                  version());
          printed.accept(tools.command(ManyKernels.words(pairs, rounds, options), variables).run());
        });
  }

  /** Hears of a copy; its result says all. */
  private static final class Nobody implements SyncListener {
    @Override
    public void progress(long done, long bad, long total) {}

    @Override
    public void problem(String line) {}
  }
}
