// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.core.util.Separators;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.toolchain.Language;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the text form of a record that {@code docs/format.md} specifies: an indented JSON object
 * in ASCII. All other characters are escaped, even lone surrogates, so that each string survives.
 * {@link EntryParser} reads it.
 *
 * <p>Later versions may add fields, which earlier ones ignore; a change that an earlier version
 * would misread gets another {@link #VERSION}.
 */
final class EntryCodec {
  static final int VERSION = 3;
  static final String SCHEMA_PREFIX = "kcache.record/";
  static final String SCHEMA = SCHEMA_PREFIX + VERSION;

  /** The language of a record that names none. */
  static final String HIP = Language.HIP.text();

  /** Far more than a compile needs: a log may take 256 KiB. */
  static final int MAX_BYTES = 8 << 20;

  static final int MAX_LOG_CHARS = 256 << 10;
  static final int MAX_TEXT_CHARS = 512 << 10;
  static final int MAX_INPUTS = 4096;
  static final int MAX_DEPTH = 32;

  static final JsonFactory JSON =
      JsonFactory.builder()
          // The default one keeps its buffers, and this class loader, with the caller's thread.
          .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(19)
                  .maxStringLength(MAX_TEXT_CHARS)
                  .maxNameLength(100)
                  .build())
          .build();

  private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");
  private static final Separators SEPARATORS =
      Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
  private static final String CUT = "\n[the rest of the log is not kept]\n";

  private EntryCodec() {}

  /**
   * Returns the text form, with at most {@link #MAX_LOG_CHARS} of the log and the first {@link
   * #MAX_INPUTS} inputs.
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
    json.writeStringField("source", checked(entry.source()));
    if (!entry.language().equals(HIP)) {
      json.writeStringField("language", checked(entry.language()));
    }
    json.writeStringField("target", entry.target().toString());
    json.writeStringField("label", entry.label().text());
    json.writeStringField("codeObject", entry.codeObject().toString());
    json.writeNumberField("size", entry.size());
    json.writeNumberField("codeObjectVersion", entry.codeObjectVersion());
    json.writeStringField("request", entry.request().toString());
    json.writeStringField("toolchain", entry.toolchain().toString());
    json.writeStringField("toolchainFiles", entry.toolchainFiles().toString());
    json.writeStringField("compiler", checked(entry.compiler()));
    json.writeNumberField("created", entry.created().toEpochMilli());
    json.writeNumberField("compileMillis", entry.compileTime().toMillis());
    writeTexts(json, "options", entry.options());
    writeTexts(json, "command", entry.command());
    json.writeStringField("log", cut(entry.log()));
    json.writeStringField("dependencies", entry.dependencies().toString());
    writeInputs(json, entry.inputs());
    if (!entry.instances().isEmpty()) {
      writeInstances(json, entry.instances());
    }
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(checked(text));
    }
    json.writeEndArray();
  }

  private static void writeInputs(JsonGenerator json, List<CacheEntry.Input> inputs)
      throws IOException {
    json.writeArrayFieldStart("inputs");
    for (CacheEntry.Input input : inputs.subList(0, Math.min(inputs.size(), MAX_INPUTS))) {
      json.writeStartObject();
      json.writeStringField("path", checked(input.path()));
      json.writeStringField("sha256", input.digest().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeInstances(JsonGenerator json, Map<String, String> instances)
      throws IOException {
    json.writeArrayFieldStart("instances");
    for (Map.Entry<String, String> instance : new TreeMap<>(instances).entrySet()) {
      json.writeStartObject();
      json.writeStringField("name", checked(instance.getKey()));
      json.writeStringField("kernel", checked(instance.getValue()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static String checked(String text) throws IOException {
    if (text.length() > MAX_TEXT_CHARS) {
      throw new IOException("a text of " + text.length() + " characters, too many to keep");
    }
    return text;
  }

  private static String cut(String log) {
    return log.length() <= MAX_LOG_CHARS ? log : log.substring(0, MAX_LOG_CHARS) + CUT;
  }
}
