// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * kcache, ccache and sccache, each with a cache that holds some pairs. Filling them takes minutes,
 * unless an earlier run did it.
 */
final class Hits implements AutoCloseable {
  private static final Pattern KCACHE_HITS =
      Pattern.compile("(?m)^(\\d+) hits?, 0 compiled, 0 failed");

  private final Tools tools;
  private final Pairs pairs;
  private final Path caches;
  private final Path out;
  private final Optional<CompilerCache> ccache;
  private final Optional<CompilerCache> sccache;

  /**
   * Creates the view of the caches.
   *
   * @param caches the directory of the three
   */
  Hits(Tools tools, Pairs pairs, Path caches) {
    this.tools = tools;
    this.pairs = pairs;
    this.caches = caches;
    this.out = tools.emptyDirectory("hits");
    this.ccache = CompilerCache.ccache(tools, caches);
    this.sccache = CompilerCache.sccache(tools, caches);
  }

  /** Fills kcache's cache and returns a side that prewarms all pairs in one process. */
  Side kcache() {
    Command command = tools.kcache(caches.resolve("kcache"), pairs.prewarm());
    command.run();
    return Side.of("kcache", () -> Checks.number(command.run(), KCACHE_HITS, pairs.count()));
  }

  /**
   * Fills the caches of the available others and returns their sides, with a process for each pair.
   */
  List<Side> others() {
    return present().map(this::loop).toList();
  }

  /** Returns the same sides with two processes at once. */
  List<Side> othersInParallel() {
    return present()
        .map(cache -> cache.side(parallel(cache.name()), cache.xargs(pairs, out), pairs.count()))
        .toList();
  }

  /** Returns the name of a tool's side with two processes at once. */
  static String parallel(String name) {
    return name + ", xargs -P2";
  }

  private Stream<CompilerCache> present() {
    return Stream.of(ccache, sccache).flatMap(Optional::stream);
  }

  private Side loop(CompilerCache cache) {
    cache.xargs(pairs, out).run();
    Path script =
        pairs.write(
            out.resolve(cache.name() + ".sh"),
            pair -> cache.compiler() + " " + cache.arguments(pair, out));
    return cache.side(cache.name(), cache.command("sh", "-e", script.toString()), pairs.count());
  }

  /** Ends sccache's server. */
  @Override
  public void close() {
    sccache.ifPresent(CompilerCache::close);
  }
}
