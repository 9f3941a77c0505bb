// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InProcessTest {
  private static String jmh(String benchmark, int threads, String parameters, double score) {
    return """
    {"jmhVersion": "1.37", "benchmark": "dev.kcache.bench.hits.%s", "threads": %d, %s
     "primaryMetric": {"score": %s, "scoreUnit": "ns/op", "rawData": [[%s, %s], [%s]]},
     "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 0, "rawData": [[0.0001]]}}}"""
        .formatted(benchmark, threads, parameters, score, score, score + 2, score + 1);
  }

  private static List<JmhResult> parse(String... documents) throws IOException {
    return JmhResult.parse("[" + String.join(",", documents) + "]");
  }

  @Test
  void result_isReadWithAllIterations() throws IOException {
    JmhResult result =
        parse(jmh("DiskHit.hit", 2, "\"params\": {\"bytes\": \"10000\"},", 7)).get(0);

    assertThat(result.benchmark()).isEqualTo("DiskHit.hit");
    assertThat(result.parameters()).isEqualTo(Map.of("bytes", "10000"));
    assertThat(result.threads()).isEqualTo(2);
    assertThat(result.seconds().rounds()).containsExactly(7e-9, 9e-9, 8e-9);
    assertThat(result.allocated().orElseThrow().median()).isEqualTo(0.0001);
  }

  @Test
  void lines_compareEachWithItsOwn() throws IOException {
    List<JmhResult> results = new ArrayList<>();
    results.addAll(
        parse(jmh("MemoryHit.getOrCompile", 1, "", 19), jmh("MemoryHit.bareGet", 1, "", 9)));
    results.addAll(parse(jmh("MemoryHit.getOrCompile", 64, "", 639)));
    for (String bytes : List.of("10000", "1000000")) {
      String parameters = "\"params\": {\"bytes\": \"" + bytes + "\"},";
      results.addAll(parse(jmh("DiskHit.hit", 1, parameters, 119)));
      results.addAll(parse(jmh("DiskHit.readAndDigest", 1, parameters, 99)));
    }
    results.addAll(
        parse(jmh("PackHit.fromPack", 1, "", 119), jmh("PackHit.fromDirectory", 1, "", 99)));

    List<Line> lines = InProcess.lines(results, 2);

    assertThat(lines)
        .extracting(Line::ratio)
        .containsExactly("", "", "1.00", "1.20", "1.20", "1.20");
    assertThat(lines)
        .extracting(Line::verdict)
        .containsExactly(
            Line.Verdict.MET,
            Line.Verdict.TOLD,
            Line.Verdict.TOLD,
            Line.Verdict.MET,
            Line.Verdict.MISSED,
            Line.Verdict.MET);
  }

  @Test
  void benchmarkThatIsMissing_isNamed() {
    assertThatThrownBy(() -> InProcess.lines(List.of(), 2))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("MemoryHit.getOrCompile");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[1]",
        "[{\"benchmark\": \"alone\"}]",
        "[{\"benchmark\": \"A.b\", \"primaryMetric\": {\"scoreUnit\": \"ops/s\"}}]"
      })
  void anythingElse_isRefused(String document) {
    assertThatThrownBy(() -> JmhResult.parse(document)).isInstanceOf(IOException.class);
  }
}
