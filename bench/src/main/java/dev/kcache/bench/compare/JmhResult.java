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
 * The result of one JMH benchmark.
 *
 * @param benchmark the class and method, without the package
 * @param parameters the values of its parameters, by name
 * @param threads the number of threads
 * @param seconds time of an operation in each iteration
 * @param allocated bytes per operation, if JMH counted them
 */
record JmhResult(
    String benchmark,
    Map<?, ?> parameters,
    int threads,
    Samples seconds,
    Optional<Samples> allocated) {
  private static final Map<String, Double> OPERATIONS =
      Map.of("ns/op", 1e9, "us/op", 1e6, "ms/op", 1e3, "s/op", 1.0);

  /**
   * Parses the output of JMH with {@code -rf json}.
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

  /**
   * Returns the result of a benchmark.
   *
   * @param parameters values of some of its parameters
   * @throws CommandFailedException if it is not there
   */
  static JmhResult find(
      List<JmhResult> results, String benchmark, Map<String, String> parameters, int threads) {
    return results.stream()
        .filter(each -> each.benchmark().equals(benchmark) && each.threads() == threads)
        .filter(each -> each.parameters().entrySet().containsAll(parameters.entrySet()))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailedException(
                    "JMH did not measure " + benchmark + " with " + parameters));
  }

  private static JmhResult result(Map<?, ?> fields) throws IOException {
    String[] names = text(fields.get("benchmark")).split("\\.", -1);
    if (names.length < 2) {
      throw new IOException("a benchmark without a class");
    }
    Map<?, ?> metric = map(fields.get("primaryMetric"));
    Double perSecond = OPERATIONS.get(text(metric.get("scoreUnit")));
    if (perSecond == null) {
      throw new IOException("an unknown unit: " + metric.get("scoreUnit"));
    }
    Object parameters = fields.get("params");
    Object allocated = map(fields.get("secondaryMetrics")).get("gc.alloc.rate.norm");
    return new JmhResult(
        names[names.length - 2] + "." + names[names.length - 1],
        parameters == null ? Map.of() : map(parameters),
        (int) number(fields.get("threads")),
        samples(metric).map(value -> value / perSecond),
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
