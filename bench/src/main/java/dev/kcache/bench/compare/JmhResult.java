// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What JMH measured of one benchmark.
 *
 * @param benchmark the class and method, without the package
 * @param parameter what its parameter was set to; empty if it has none
 * @param threads how many ran it at once
 * @param seconds of an operation, of each iteration
 * @param allocated bytes of an operation, where JMH counted them
 */
record JmhResult(
    String benchmark, String parameter, int threads, Samples seconds, Optional<Samples> allocated) {
  private static final Map<String, Double> UNITS =
      Map.of("ns/op", 1e-9, "us/op", 1e-6, "ms/op", 1e-3, "s/op", 1.0);

  /**
   * Reads what JMH writes with {@code -rf json}.
   *
   * @throws IOException if it is something else
   */
  static List<JmhResult> parse(String json) throws IOException {
    List<JmhResult> results = new ArrayList<>();
    for (Object each : list(JsonTree.read(json))) {
      results.add(result(map(each)));
    }
    return results;
  }

  private static JmhResult result(Map<?, ?> fields) throws IOException {
    String[] names = text(fields.get("benchmark")).split("\\.", -1);
    if (names.length < 2) {
      throw new IOException("a benchmark without a class");
    }
    Map<?, ?> metric = map(fields.get("primaryMetric"));
    Double factor = UNITS.get(text(metric.get("scoreUnit")));
    if (factor == null) {
      throw new IOException("an unknown unit: " + metric.get("scoreUnit"));
    }
    Object parameters = fields.get("params");
    Object allocated = map(fields.get("secondaryMetrics")).get("gc.alloc.rate.norm");
    return new JmhResult(
        names[names.length - 2] + "." + names[names.length - 1],
        parameters == null ? "" : text(map(parameters).values().iterator().next()),
        (int) number(fields.get("threads")),
        samples(metric).map(value -> value * factor),
        allocated == null ? Optional.empty() : Optional.of(samples(map(allocated))));
  }

  private static Samples samples(Map<?, ?> metric) throws IOException {
    List<Double> rounds = new ArrayList<>();
    for (Object fork : list(metric.get("rawData"))) {
      for (Object iteration : list(fork)) {
        rounds.add(number(iteration));
      }
    }
    return new Samples(rounds);
  }

  private static Map<?, ?> map(@Nullable Object value) throws IOException {
    return as(Map.class, value);
  }

  private static List<?> list(@Nullable Object value) throws IOException {
    return as(List.class, value);
  }

  private static String text(@Nullable Object value) throws IOException {
    return as(String.class, value);
  }

  private static double number(@Nullable Object value) throws IOException {
    return as(Double.class, value);
  }

  private static <T> T as(Class<T> type, @Nullable Object value) throws IOException {
    if (!type.isInstance(value)) {
      throw new IOException("not as JMH writes its results");
    }
    return type.cast(value);
  }
}
