// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text form of a record and trusts nothing in it: text that is not ASCII JSON, has a
 * field twice, nests deeper than 32 or continues after its end is damaged. Use a parser once; not
 * safe for use by several threads.
 */
final class EntryParser {
  /** The last millisecond of the year 9999, for instants and durations. */
  static final long MAX_MILLIS = 253_402_300_799_999L;

  /** Texts that no other record has, so that sharing would save nothing. */
  private static final Set<String> OWN_TEXTS = Set.of("source", "codeObject", "request");

  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, Long> numbers = new HashMap<>();
  private final Map<String, List<String>> lists = new HashMap<>();
  private @Nullable List<CacheEntry.Input> inputs;

  /** The names of kernels in the code object, by their names in the source; mostly none. */
  private Map<String, String> instances = Map.of();

  private EntryParser() {}

  /**
   * Returns the record in {@code bytes}; empty if it is of another schema version.
   *
   * @throws DamagedEntryException if it is not a record, or a field is missing, of the wrong type
   *     or out of range
   */
  static Optional<CacheEntry> parse(byte[] bytes) throws DamagedEntryException {
    EntryParser parser = new EntryParser();
    try {
      checkBytes(bytes);
      parser.readRecord(bytes);
      return version(parser.text("schema")) == EntryCodec.VERSION
          ? Optional.of(parser.entry())
          : Optional.empty();
    } catch (JsonProcessingException e) {
      throw new DamagedEntryException("not a record: " + e.getOriginalMessage(), e);
    } catch (IOException | IllegalArgumentException e) {
      throw new DamagedEntryException("not a record: " + e.getMessage(), e);
    }
  }

  /**
   * Returns whether {@code bytes}, a record or the start of one, are of an older schema version,
   * which nobody reads any more.
   */
  static boolean isOutdated(byte[] bytes) {
    try (JsonParser json = EntryCodec.JSON.createParser(bytes)) {
      return json.nextToken() == JsonToken.START_OBJECT
          && "schema".equals(json.nextFieldName())
          && json.nextToken() == JsonToken.VALUE_STRING
          && version(json.getText()) < EntryCodec.VERSION;
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  private static void checkBytes(byte[] bytes) {
    require(bytes.length <= EntryCodec.MAX_BYTES, "at most " + EntryCodec.MAX_BYTES + " bytes");
    for (byte each : bytes) {
      // Jackson would guess another encoding.
      require(each > 0, "ASCII");
    }
  }

  private void readRecord(byte[] bytes) throws IOException {
    try (JsonParser json = EntryCodec.JSON.createParser(bytes)) {
      require(json.nextToken() == JsonToken.START_OBJECT, "an object");
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        readField(json, json.currentName());
      }
      require(json.nextToken() == null, "nothing behind its end");
    }
  }

  /** Skips unknown fields, and fields of a wrong type, which are then missing. */
  private void readField(JsonParser json, String name) throws IOException {
    JsonToken token = json.nextToken();
    // One of the two fields that may be missing.
    require(!name.equals("instances") || token == JsonToken.START_ARRAY, "a list of instances");
    require(!name.equals("language") || token == JsonToken.VALUE_STRING, "a language");
    switch (token) {
      case VALUE_STRING ->
          texts.put(name, OWN_TEXTS.contains(name) ? json.getText() : shared(json));
      case VALUE_NUMBER_INT -> numbers.put(name, json.getLongValue());
      case START_ARRAY -> readArray(json, name);
      default -> json.skipChildren();
    }
  }

  private void readArray(JsonParser json, String name) throws IOException {
    switch (name) {
      case "options", "command" -> lists.put(name, readTexts(json));
      case "inputs" -> inputs = readInputs(json);
      case "instances" -> instances = readInstances(json);
      default -> json.skipChildren();
    }
  }

  private static List<String> readTexts(JsonParser json) throws IOException {
    List<String> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(json.currentToken() == JsonToken.VALUE_STRING, "a text");
      texts.add(shared(json));
    }
    return texts;
  }

  private static List<CacheEntry.Input> readInputs(JsonParser json) throws IOException {
    List<CacheEntry.Input> inputs = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(inputs.size() < EntryCodec.MAX_INPUTS, "fewer inputs");
      require(json.currentToken() == JsonToken.START_OBJECT, "an input");
      inputs.add(new CacheEntry.Input(field(json, "path"), Digest.parse(field(json, "sha256"))));
      require(json.nextToken() == JsonToken.END_OBJECT, "the end of an input");
    }
    return inputs;
  }

  private static Map<String, String> readInstances(JsonParser json) throws IOException {
    Map<String, String> instances = new HashMap<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(json.currentToken() == JsonToken.START_OBJECT, "an instance");
      String name = field(json, "name");
      require(instances.put(name, field(json, "kernel")) == null, "each instance once");
      require(json.nextToken() == JsonToken.END_OBJECT, "the end of an instance");
    }
    return instances;
  }

  private static String field(JsonParser json, String name) throws IOException {
    require(name.equals(json.nextFieldName()), "'" + name + "'");
    require(json.nextToken() == JsonToken.VALUE_STRING, "a text");
    return json.getText();
  }

  /** Records share most texts, which take most of the memory of many records. */
  private static String shared(JsonParser json) throws IOException {
    return json.getText().intern();
  }

  private static int version(String schema) {
    if (schema.equals(EntryCodec.SCHEMA)) {
      return EntryCodec.VERSION;
    }
    require(schema.matches(EntryCodec.SCHEMA_PREFIX + "[1-9][0-9]{0,5}"), "the schema of a record");
    return Integer.parseInt(schema.substring(EntryCodec.SCHEMA_PREFIX.length()));
  }

  private CacheEntry entry() {
    String source = text("source");
    require(!source.isEmpty(), "a source");
    TargetId target = TargetId.parse(text("target"));
    return new CacheEntry(
        Digest.parse(text("codeObject")),
        number("size", 1, EntryReader.MAX_CODE_OBJECT_BYTES),
        codeObjectVersion(target.processor().platform()),
        source,
        texts.getOrDefault("language", EntryCodec.HIP),
        known("inputs", inputs),
        target,
        new ToolchainLabel(text("label")),
        Digest.parse(text("request")),
        Digest.parse(text("toolchain")),
        Digest.parse(text("toolchainFiles")),
        text("compiler"),
        known("options", lists.get("options")),
        known("command", lists.get("command")),
        text("log"),
        Duration.ofMillis(number("compileMillis", 0, MAX_MILLIS)),
        Instant.ofEpochMilli(number("created", 0, MAX_MILLIS)),
        Digest.parse(text("dependencies")),
        instances);
  }

  private String text(String name) {
    return known(name, texts.get(name));
  }

  /** NVIDIA's formats have no version. */
  private int codeObjectVersion(Platform platform) {
    return platform == Platform.AMD
        ? (int) number("codeObjectVersion", 2, 255)
        : (int) number("codeObjectVersion", 0, 0);
  }

  private long number(String name, long least, long most) {
    long number = known(name, numbers.get(name));
    require(number >= least && number <= most, name + " from " + least + " to " + most);
    return number;
  }

  private static <T> T known(String name, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException("expected a proper '" + name + "'");
    }
    return value;
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException("expected " + what);
    }
  }
}
