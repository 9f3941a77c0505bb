// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.bench.Bar;
import dev.kcache.bench.Row;
import dev.kcache.bench.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Writes a report as JSON: medians and all rounds, in SI units. */
final class ReportJson {
  private ReportJson() {}

  /**
   * Writes a file; replaces an existing one.
   *
   * @throws UncheckedIOException if that fails
   */
  static void write(Report report, Path file) {
    JsonFactory factory = JsonFactory.builder().build();
    try (JsonGenerator json = factory.createGenerator(file.toFile(), JsonEncoding.UTF8)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeStringField("schema", "kcache.bench.compare/1");
      json.writeBooleanField("good", report.isGood());
      json.writeObjectFieldStart("machine");
      for (Map.Entry<String, String> fact : report.facts().entrySet()) {
        json.writeStringField(fact.getKey(), fact.getValue());
      }
      json.writeEndObject();
      json.writeArrayFieldStart("rows");
      for (Line line : report.lines()) {
        line(json, line);
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException("the table could not be written to " + file, e);
    }
  }

  private static void line(JsonGenerator json, Line line) throws IOException {
    json.writeStartObject();
    json.writeStringField("group", line.group().key());
    json.writeStringField("what", line.what());
    if (!line.other().isEmpty()) {
      json.writeStringField("beside", line.other());
    }
    json.writeStringField("verdict", line.verdict().name().toLowerCase(Locale.ROOT));
    if (line.row().isPresent()) {
      row(json, line.row().get());
    } else {
      json.writeStringField("note", line.note());
    }
    json.writeEndObject();
  }

  private static void row(JsonGenerator json, Row row) throws IOException {
    json.writeStringField("unit", row.unit().key());
    samples(json, "kcache", row.comparison().kcache());
    if (row.comparison().other().isPresent()) {
      samples(json, "other", row.comparison().other().get());
    }
    if (row.ratio().isPresent()) {
      json.writeNumberField("ratio", row.ratio().getAsDouble());
    }
    if (row.bar().sense() != Bar.Sense.NONE) {
      json.writeStringField("bar", row.bar().describe(row.unit()));
    }
  }

  private static void samples(JsonGenerator json, String name, Samples samples) throws IOException {
    json.writeObjectFieldStart(name);
    json.writeNumberField("median", samples.median());
    json.writeNumberField("least", samples.least());
    json.writeNumberField("greatest", samples.greatest());
    json.writeArrayFieldStart("rounds");
    for (double round : samples.rounds()) {
      json.writeNumber(round);
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
