// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import dev.kcache.cache.CacheEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/**
 * The text form of a record: a JSON object, indented, in ASCII (everything else is escaped, lone
 * surrogates too, so that each string comes back as it was). Jackson writes it; {@link JsonReader}
 * reads it.
 *
 * <p>Fields may be added in later versions and are ignored by earlier ones; a change that earlier
 * versions would misread gets another {@link #SCHEMA}.
 */
final class EntryCodec {
  static final String SCHEMA = "kcache.record/2";

  /** Far above what a compile leaves: a log may take 256 KiB. */
  static final int MAX_BYTES = 8 << 20;

  /** Room for a record without a log, in one read. */
  static final int USUAL_BYTES = 3 << 10;

  static final int MAX_LOG_CHARS = 256 << 10;

  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");
  private static final Separators SEPARATORS =
      Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
  private static final String CUT = "\n[the rest of the log is not kept]\n";

  private EntryCodec() {}

  /**
   * Returns the text form; a log that is absurdly long is cut.
   *
   * @throws IOException if it would be longer than a reader accepts
   */
  static byte[] encode(CacheEntry entry) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.setPrettyPrinter(
          new DefaultPrettyPrinter(SEPARATORS).withObjectIndenter(LINES).withArrayIndenter(LINES));
      write(json, entry);
    }
    bytes.write('\n');
    if (bytes.size() > MAX_BYTES) {
      throw new IOException(
          "the record of "
              + entry.source()
              + " takes "
              + bytes.size()
              + " bytes, too many to keep");
    }
    return bytes.toByteArray();
  }

  private static void write(JsonGenerator json, CacheEntry entry) throws IOException {
    json.writeStartObject();
    json.writeStringField("schema", SCHEMA);
    json.writeStringField("source", entry.source());
    json.writeStringField("target", entry.target().toString());
    json.writeStringField("label", entry.label().text());
    json.writeStringField("codeObject", entry.codeObject().toString());
    json.writeNumberField("size", entry.size());
    json.writeNumberField("codeObjectVersion", entry.codeObjectVersion());
    json.writeStringField("request", entry.request().toString());
    json.writeStringField("toolchain", entry.toolchain().toString());
    json.writeStringField("created", entry.created().toString());
    json.writeStringField("compileTime", entry.compileTime().toString());
    writeTexts(json, "options", entry.options());
    writeTexts(json, "command", entry.command());
    json.writeStringField("log", cut(entry.log()));
    json.writeStringField("dependencies", entry.dependencies().toString());
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }

  private static String cut(String log) {
    return log.length() <= MAX_LOG_CHARS ? log : log.substring(0, MAX_LOG_CHARS) + CUT;
  }
}
