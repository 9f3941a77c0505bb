// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.bench.Bar;
import dev.kcache.bench.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Draws how far each row is beyond its bar, on a logarithmic scale: a row that ends to the right of
 * the line meets its bar. A row without a bar is drawn in grey, against the other tool.
 *
 * <p>The colours follow the browser's preference by a media query, which also works for an image in
 * a page.
 */
final class ReportSvg {
  private static final int LABELS = 430;
  private static final int BARS = 360;
  private static final int WIDTH = LABELS + BARS + 220;
  private static final int LINE = 24;
  private static final int TOP = 40;

  /** The scale goes from a quarter of the bar to four times the bar. */
  private static final double SPAN = 4;

  private static final String STYLE =
      """
      <style>
        text { font: 12px sans-serif; fill: #1f2328 }
        .small { font-size: 11px; fill: #59636e }
        .met { fill: #1a7f37 } .missed { fill: #cf222e } .told { fill: #818b98 }
        .bar { stroke: #1f2328; stroke-width: 1.5 } .grid { stroke: #d1d9e0 }
        @media (prefers-color-scheme: dark) {
          text { fill: #f0f6fc } .small { fill: #9198a1 }
          .met { fill: #3fb950 } .missed { fill: #f85149 } .told { fill: #6e7681 }
          .bar { stroke: #f0f6fc } .grid { stroke: #3d444d }
        }
      </style>
      """;

  private final StringBuilder svg = new StringBuilder();
  private final List<Line> lines;
  private final int height;

  private ReportSvg(List<Line> lines) {
    this.lines = lines;
    this.height = TOP + LINE * lines.size() + 34;
  }

  /**
   * Writes a file; replaces an existing one.
   *
   * @throws UncheckedIOException if that fails
   */
  static void write(Report report, Path file) {
    try {
      Files.writeString(file, draw(report));
    } catch (IOException e) {
      throw new UncheckedIOException("the plot could not be written to " + file, e);
    }
  }

  /** Returns the document, without the rows that could not be measured. */
  static String draw(Report report) {
    return new ReportSvg(report.lines().stream().filter(line -> line.row().isPresent()).toList())
        .draw();
  }

  private String draw() {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">",
        WIDTH, height, WIDTH, height);
    svg.append(STYLE);
    add("<text x=\"%d\" y=\"20\" class=\"small\">kcache over its bar</text>", LABELS);
    for (double part : new double[] {0.25, 0.5, 2, 4}) {
      grid("grid", part);
    }
    for (int i = 0; i < lines.size(); i++) {
      line(lines.get(i), TOP + LINE * i);
    }
    grid("bar", 1);
    add("</svg>");
    return svg.toString();
  }

  private void grid(String style, double part) {
    int x = place(part);
    int bottom = height - 28;
    add(
        "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
        style, x, TOP - 8, x, bottom);
    String text = part == 1 ? "the bar" : String.format(Locale.ROOT, "%s×", number(part));
    add(
        "<text x=\"%d\" y=\"%d\" class=\"small\" text-anchor=\"middle\">%s</text>",
        x, bottom + 16, text);
  }

  private void line(Line line, int y) {
    Row row = line.row().orElseThrow();
    int end = place(beyondBar(row).orElse(1));
    add(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
        LABELS - 10, y + 14, escaped(line.title()));
    add(
        "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\" rx=\"2\"/>",
        style(line), LABELS, y + 3, Math.max(1, end - LABELS));
    add(
        "<text x=\"%d\" y=\"%d\">%s</text>",
        LABELS + BARS + 10, y + 14, escaped(figure(line, row)));
  }

  private static String style(Line line) {
    return switch (line.verdict()) {
      case MET -> "met";
      case MISSED, FAILED -> "missed";
      case TOLD, NOT_HERE -> "told";
    };
  }

  private static String figure(Line line, Row row) {
    String bar = row.bar().sense() == Bar.Sense.NONE ? "no bar" : row.bar().describe(row.unit());
    String figure =
        line.ratio().isEmpty()
            ? row.unit().format(row.comparison().kcache().median())
            : line.ratio();
    return figure + " (" + bar + ")";
  }

  /** Returns the factor over the bar, or over the other tool if there is no bar. */
  private static OptionalDouble beyondBar(Row row) {
    double limit = row.bar().limit();
    double kcache = row.comparison().kcache().median();
    return switch (row.bar().sense()) {
      case NONE -> row.ratio();
      case SPEED -> OptionalDouble.of(row.ratio().orElse(limit) / limit);
      case COST -> OptionalDouble.of(limit / row.ratio().orElse(limit));
      case AMOUNT -> OptionalDouble.of(limit / Math.max(kcache, Double.MIN_NORMAL));
    };
  }

  private static int place(double part) {
    double clipped = Math.min(SPAN, Math.max(1 / SPAN, part));
    return (int) Math.round(LABELS + BARS * (Math.log(clipped * SPAN) / Math.log(SPAN * SPAN)));
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Integer.toString((int) value) : Double.toString(value);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
