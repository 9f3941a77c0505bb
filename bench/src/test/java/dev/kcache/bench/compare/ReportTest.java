// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Samples;
import dev.kcache.bench.Unit;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ReportTest {
  private static final Line MET = speed("hipcc", 20, Bar.speed(6.5));
  private static final Line MISSED = speed("a & b <c>", 3, Bar.speed(3.5));
  private static final Line TOLD = speed("ccache", 0.5, Bar.none());
  private static final Line AMOUNT =
      Line.of(Group.START, "start", Unit.MILLISECONDS, samples(0.03), Bar.amount(0.06));
  private static final Line ABSENT =
      Line.absent(Group.WARM, "1000 hits", "sccache", "not on the PATH");
  private static final Line FAILED = Line.failed(Group.GROWTH, "exit code 2 of 'x'");
  private static final Report REPORT =
      new Report(Map.of("hipcc", "6.4"), List.of(MET, MISSED, TOLD, AMOUNT, ABSENT, FAILED));

  @TempDir private Path directory;

  private static Line speed(String other, double seconds, Bar bar) {
    return Line.of(
        Group.COLD, "compiles", Unit.SECONDS, samples(1.9, 2.1, 2), other, samples(seconds), bar);
  }

  private static Samples samples(double... rounds) {
    return new Samples(DoubleStream.of(rounds).boxed().toList());
  }

  @Test
  void text_hasMediansSpreadAndVerdicts() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    REPORT.print(new PrintStream(out, true, UTF_8));

    String text = out.toString(UTF_8).replaceAll(" +", " ");
    assertThat(text)
        .startsWith("hipcc: 6.4\n\n| cold compiles | kcache | beside | | ratio | bar | |\n|---|")
        .contains(
            "| compiles | 2.00 s (1.90 to 2.10) | hipcc | 20.00 s (20.00 to 20.00) | 10.00 | at least 6.50 | met |\n")
        .contains("| ccache | 0.50 s (0.50 to 0.50) | 0.25 | none | |\n")
        .contains("| start | 30.000 ms (30.000 to 30.000) | | | | at most 60.000 ms | met |\n")
        .contains("| 1000 hits | | sccache | | | | not here: not on the PATH |\n")
        .endsWith("\nMISSED: compiles, beside a & b <c>\nFAILED: growth: exit code 2 of 'x'\n");
  }

  @Test
  void missedAndFailed_areNotGood_absentIs() {
    assertThat(REPORT.unmet()).containsExactly(MISSED, FAILED);
    assertThat(REPORT.isGood()).isFalse();
    assertThat(new Report(Map.of(), List.of(MET, TOLD, ABSENT)).isGood()).isTrue();
  }

  @Test
  void json_hasEveryRound() throws Exception {
    Path file = directory.resolve("t.json");
    ReportJson.write(REPORT, file);

    Map<?, ?> document = (Map<?, ?>) JsonTree.read(Files.readString(file));
    assertThat(document.get("schema")).isEqualTo("kcache.bench.compare/1");
    assertThat(document.get("machine")).isEqualTo(Map.of("hipcc", "6.4"));
    List<?> rows = (List<?>) document.get("rows");
    Map<?, ?> met = (Map<?, ?>) rows.get(0);
    assertThat(met.get("beside")).isEqualTo("hipcc");
    assertThat(met.get("ratio")).isEqualTo(10.0);
    assertThat(met.get("verdict")).isEqualTo("met");
    assertThat(met.get("kcache"))
        .isEqualTo(
            Map.of("median", 2.0, "least", 1.9, "greatest", 2.1, "rounds", List.of(1.9, 2.1, 2.0)));
    assertThat(((Map<?, ?>) rows.get(4)).get("verdict")).isEqualTo("not_here");
    assertThat(((Map<?, ?>) rows.get(5)).get("note")).isEqualTo("exit code 2 of 'x'");
  }

  @Test
  void svg_hasABarForEachFigure_onItsSideOfTheLine() throws Exception {
    Path file = directory.resolve("p.svg");
    ReportSvg.write(REPORT, file);

    Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    NodeList bars = svg.getElementsByTagName("rect");
    assertThat(bars.getLength()).isEqualTo(4);
    double line = number(line(svg), "x1");
    assertThat(end((Element) bars.item(0))).as("met").isGreaterThan(line);
    assertThat(end((Element) bars.item(1))).as("missed").isLessThan(line);
    assertThat(end((Element) bars.item(2))).as("four times slower").isLessThan(line);
    assertThat(end((Element) bars.item(3))).as("half of what it may be").isGreaterThan(line);
    assertThat(((Element) bars.item(1)).getAttribute("class")).isEqualTo("missed");
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("compiles, beside a & b <c>")
        .contains("prefers-color-scheme: dark");
  }

  private static Element line(Document svg) {
    NodeList lines = svg.getElementsByTagName("line");
    for (int i = 0; i < lines.getLength(); i++) {
      if (((Element) lines.item(i)).getAttribute("class").equals("bar")) {
        return (Element) lines.item(i);
      }
    }
    throw new AssertionError("no line of the bar");
  }

  private static double end(Element bar) {
    return number(bar, "x") + number(bar, "width");
  }

  private static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }
}
