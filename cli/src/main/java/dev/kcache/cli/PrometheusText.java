// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Writes metrics in <a
 * href="https://prometheus.io/docs/instrumenting/exposition_formats/">Prometheus' text format</a>.
 */
final class PrometheusText {
  private final PrintStream out;

  PrometheusText(PrintStream out) {
    this.out = out;
  }

  /** What has a value for a sample, with the labels that tell it from others. */
  record Sample(Map<String, String> labels, Number value) {}

  /** Writes a count that only rises. */
  <T> void counter(String name, String help, List<T> rows, Function<T, List<Sample>> samples) {
    metric(name + "_total", "counter", help, rows, samples);
  }

  /** Writes a value that rises and falls. */
  <T> void gauge(String name, String help, List<T> rows, Function<T, List<Sample>> samples) {
    metric(name, "gauge", help, rows, samples);
  }

  private <T> void metric(
      String name, String type, String help, List<T> rows, Function<T, List<Sample>> samples) {
    // Lines end with a line feed on every system.
    out.print("# HELP kcache_" + name + " " + help + "\n");
    out.print("# TYPE kcache_" + name + " " + type + "\n");
    rows.forEach(row -> samples.apply(row).forEach(sample -> print(name, sample)));
  }

  private void print(String name, Sample sample) {
    String labels =
        sample.labels().entrySet().stream()
            .map(label -> label.getKey() + "=\"" + escape(label.getValue()) + "\"")
            .sorted()
            .collect(Collectors.joining(",", "{", "}"));
    out.print("kcache_" + name + (labels.equals("{}") ? "" : labels) + " " + sample.value() + "\n");
  }

  private static String escape(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
