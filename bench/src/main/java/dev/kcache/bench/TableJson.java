// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;

/** Writes a table as JSON: medians and all rounds, in SI units. */
final class TableJson {
  private TableJson() {}

  /**
   * Writes a file; replaces an existing one.
   *
   * @throws UncheckedIOException if that fails
   */
  static void write(Table table, Path file) {
    JsonFactory factory = JsonFactory.builder().build();
    try (JsonGenerator json = factory.createGenerator(file.toFile(), JsonEncoding.UTF8)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeStringField("schema", "kcache.bench.gpu/1");
      json.writeObjectFieldStart("machine");
      for (Map.Entry<String, String> fact : table.facts().entrySet()) {
        json.writeStringField(fact.getKey(), fact.getValue());
      }
      json.writeEndObject();
      json.writeArrayFieldStart("rows");
      for (Row row : table.rows()) {
        row(json, row);
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException("the table could not be written to " + file, e);
    }
  }

  private static void row(JsonGenerator json, Row row) throws IOException {
    json.writeStartObject();
    json.writeStringField("what", row.what());
    json.writeStringField("unit", row.unit().key());
    samples(json, "kcache", row.comparison().kcache());
    if (row.comparison().other().isPresent()) {
      samples(json, "c", row.comparison().other().get());
    }
    if (row.ratio().isPresent()) {
      json.writeNumberField("ratio", row.ratio().getAsDouble());
    }
    if (row.bar().sense() != Bar.Sense.NONE) {
      json.writeStringField("bar", row.bar().toString());
    }
    if (row.isMet().isPresent()) {
      json.writeBooleanField("met", row.isMet().get());
    }
    json.writeEndObject();
  }

  private static void samples(JsonGenerator json, String name, Samples samples) throws IOException {
    json.writeObjectFieldStart(name);
    json.writeNumberField("median", samples.median());
    json.writeArrayFieldStart("rounds");
    for (double round : samples.rounds()) {
      json.writeNumber(round);
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
