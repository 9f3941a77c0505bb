// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the benchmarks of hits, each in a JVM of its own.
 *
 * @param tools the environment
 * @param iterations measured iterations of a second, after five warm-ups
 */
record Jmh(Tools tools, int iterations) {
  /**
   * Runs benchmarks.
   *
   * @param benchmarks a regular expression of their classes and methods
   * @param options more options of JMH's
   */
  List<JmhResult> run(String benchmarks, String... options) {
    Path file = tools.work().resolve("jmh.json");
    List<String> words = new ArrayList<>(List.of(Tools.java(), "-cp"));
    words.add(System.getProperty("java.class.path"));
    words.addAll(List.of("org.openjdk.jmh.Main", "dev.kcache.bench.hits." + benchmarks));
    words.addAll(List.of("-rf", "json", "-rff", file.toString(), "-prof", "gc", "-foe", "true"));
    words.addAll(List.of("-f", "1", "-wi", "5", "-w", "1", "-r", "1"));
    words.addAll(List.of("-i", Integer.toString(iterations)));
    words.addAll(List.of(options));
    tools.command(words.toArray(String[]::new)).run();
    try {
      return JmhResult.parse(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
