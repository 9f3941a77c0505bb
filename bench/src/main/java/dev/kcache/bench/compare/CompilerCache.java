// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * ccache or sccache, with a directory of its own, in front of a compiler that makes the same code
 * objects.
 */
final class CompilerCache implements AutoCloseable {
  private final Tools tools;
  private final String name;
  private final String program;
  private final String compiler;
  private final Map<String, String> environment;

  private CompilerCache(
      Tools tools, String name, String program, String compiler, Map<String, String> environment) {
    this.tools = tools;
    this.name = name;
    this.program = program;
    this.compiler = compiler;
    this.environment = environment;
  }

  /** Returns ccache in front of hipcc, if available. */
  static Optional<CompilerCache> ccache(Tools tools, Path directory) {
    Map<String, String> environment = Map.of("CCACHE_DIR", directory.resolve("ccache").toString());
    return tools
        .find("ccache")
        .map(program -> new CompilerCache(tools, "ccache", program, "ccache hipcc", environment));
  }

  /**
   * Returns sccache, if available, with a server that runs until this is closed. In front of
   * clang++ where that is on the {@code PATH}: with hipcc it is slower.
   */
  static Optional<CompilerCache> sccache(Tools tools, Path directory) {
    return sccache(tools, "SCCACHE_DIR", directory.resolve("sccache").toString());
  }

  /** As {@link #sccache(Tools, Path)}, in a Redis. */
  static Optional<CompilerCache> sccacheInRedis(Tools tools, int port) {
    return sccache(tools, "SCCACHE_REDIS_ENDPOINT", "tcp://127.0.0.1:" + port);
  }

  private static Optional<CompilerCache> sccache(Tools tools, String variable, String place) {
    return tools.find("sccache").map(program -> startedSccache(tools, variable, place, program));
  }

  private static CompilerCache startedSccache(
      Tools tools, String variable, String place, String program) {
    Map<String, String> environment =
        Map.of(variable, place, "SCCACHE_SERVER_PORT", Integer.toString(freePort()));
    String compiler = tools.find("clang++").isPresent() ? "clang++ -x hip" : "hipcc";
    CompilerCache cache =
        new CompilerCache(tools, "sccache", program, "sccache " + compiler, environment);
    cache.run("--start-server");
    return cache;
  }

  /** Returns a port that no server of the user listens to. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the name of the tool. */
  String name() {
    return name;
  }

  /** Returns the arguments that compile a pair, quoted for a shell. */
  String arguments(Pairs.Pair pair, Path out) {
    return "-O3 -std=c++17 --offload-arch=%s --offload-device-only --no-gpu-bundle-output -c '%s' -o '%s'"
        .formatted(pair.target(), pair.source(), Pairs.output(out, pair));
  }

  /** Returns a command that compiles all pairs, two processes at once. */
  Command xargs(Pairs pairs, Path out) {
    Path list = pairs.write(out.resolve(name + ".args"), pair -> arguments(pair, out));
    List<String> words = new ArrayList<>(List.of("xargs", "-a", list.toString(), "-P2", "-L1"));
    words.addAll(List.of(compiler.split(" ")));
    return command(words.toArray(String[]::new));
  }

  /** Returns the program and its compiler as words. */
  String compiler() {
    return compiler;
  }

  /** Returns a command that uses this cache. */
  Command command(String... words) {
    return tools.command(List.of(words), environment);
  }

  /** Returns a side that runs a command and has to hit the cache for each pair. */
  Side side(String side, Command command, int pairs) {
    return new Side(side, this::forgetCounts, command::run, () -> checkHits(pairs));
  }

  private void forgetCounts() {
    run("--zero-stats");
  }

  private void checkHits(int expected) {
    if (name.equals("ccache")) {
      Checks.number(run("--print-stats"), Pattern.compile("direct_cache_hit\\t(\\d+)"), expected);
    } else {
      Checks.number(run("--show-stats"), Pattern.compile("Cache hits +(\\d+)"), expected);
    }
  }

  private String run(String argument) {
    return command(program, argument).run();
  }

  @Override
  public void close() {
    if (name.equals("sccache")) {
      run("--stop-server");
    }
  }
}
