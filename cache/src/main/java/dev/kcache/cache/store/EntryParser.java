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

/**
 * Reads the text form of a record, trusting nothing in it: what is not JSON in ASCII, has a field
 * twice, nests deeper than 32 or goes on behind its end is damage. One parser reads one record; not
 * safe for use by several threads.
 */
final class EntryParser {
  /** A code object's bytes are held in one array. */
  static final long MAX_CODE_OBJECT_BYTES = 1L << 30;

  /** The last millisecond of the year 9999, for instants and durations. */
  static final long MAX_MILLIS = 253_402_300_799_999L;

  /** The value of a field that is not looked at. */
  private static final Object PASSED_OVER = new Object();

  /** What no other record has: to share it would take time and save nothing. */
  private static final Set<String> OWN_TEXTS = Set.of("source", "codeObject", "request");

  private final Map<String, Object> values = new HashMap<>();

  /** A list of texts. */
  private record Texts(List<String> list) {}

  /** A list of inputs. */
  private record Inputs(List<CacheEntry.Input> list) {}

  /** The names of kernels in the code object, by their names in the source. */
  private record Instances(Map<String, String> map) {}

  private EntryParser() {}

  /**
   * Returns the record in {@code bytes}, or nothing if it is of another schema version, which some
   * other version of this library can read.
   *
   * @throws DamagedEntryException if it is no record, or a field is missing, of the wrong type or
   *     out of range
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
   * Returns whether {@code bytes}, be they a whole record or the beginning of one, are of an older
   * schema version, for which nobody looks any more.
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
      // Of others, Jackson would guess the encoding.
      require(each > 0, "ASCII");
    }
  }

  private void readRecord(byte[] bytes) throws IOException {
    try (JsonParser json = EntryCodec.JSON.createParser(bytes)) {
      require(json.nextToken() == JsonToken.START_OBJECT, "an object");
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        values.put(name, readValue(json, name));
      }
      require(json.nextToken() == null, "nothing behind its end");
    }
  }

  private static Object readValue(JsonParser json, String name) throws IOException {
    return switch (json.nextToken()) {
      case VALUE_STRING -> OWN_TEXTS.contains(name) ? json.getText() : shared(json);
      case VALUE_NUMBER_INT -> json.getLongValue();
      case START_ARRAY -> readArray(json, name);
      default -> passedOver(json);
    };
  }

  private static Object readArray(JsonParser json, String name) throws IOException {
    return switch (name) {
      case "options", "command" -> readTexts(json);
      case "inputs" -> readInputs(json);
      case "instances" -> readInstances(json);
      default -> passedOver(json);
    };
  }

  private static Object passedOver(JsonParser json) throws IOException {
    json.skipChildren();
    return PASSED_OVER;
  }

  private static Texts readTexts(JsonParser json) throws IOException {
    List<String> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(json.currentToken() == JsonToken.VALUE_STRING, "a text");
      texts.add(shared(json));
    }
    return new Texts(texts);
  }

  private static Inputs readInputs(JsonParser json) throws IOException {
    List<CacheEntry.Input> inputs = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(inputs.size() < EntryCodec.MAX_INPUTS, "fewer inputs");
      require(json.currentToken() == JsonToken.START_OBJECT, "an input");
      inputs.add(new CacheEntry.Input(field(json, "path"), Digest.parse(field(json, "sha256"))));
      require(json.nextToken() == JsonToken.END_OBJECT, "the end of an input");
    }
    return new Inputs(inputs);
  }

  private static Instances readInstances(JsonParser json) throws IOException {
    Map<String, String> instances = new HashMap<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(json.currentToken() == JsonToken.START_OBJECT, "an instance");
      String name = field(json, "name");
      require(instances.put(name, field(json, "kernel")) == null, "each instance once");
      require(json.nextToken() == JsonToken.END_OBJECT, "the end of an instance");
    }
    return new Instances(instances);
  }

  private static String field(JsonParser json, String name) throws IOException {
    require(name.equals(json.nextFieldName()), "'" + name + "'");
    require(json.nextToken() == JsonToken.VALUE_STRING, "a text");
    return json.getText();
  }

  /** Most texts are those of other records too, and most of what a hundred thousand take. */
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
        number("size", 1, MAX_CODE_OBJECT_BYTES),
        codeObjectVersion(target.processor().platform()),
        source,
        value("inputs", Inputs.class).list(),
        target,
        new ToolchainLabel(text("label")),
        Digest.parse(text("request")),
        Digest.parse(text("toolchain")),
        Digest.parse(text("toolchainFiles")),
        text("compiler"),
        value("options", Texts.class).list(),
        value("command", Texts.class).list(),
        text("log"),
        Duration.ofMillis(number("compileMillis", 0, MAX_MILLIS)),
        Instant.ofEpochMilli(number("created", 0, MAX_MILLIS)),
        Digest.parse(text("dependencies")),
        values.containsKey("instances") ? value("instances", Instances.class).map() : Map.of());
  }

  private String text(String name) {
    return value(name, String.class);
  }

  /** NVIDIA's formats have none. */
  private int codeObjectVersion(Platform platform) {
    return platform == Platform.AMD
        ? (int) number("codeObjectVersion", 2, 255)
        : (int) number("codeObjectVersion", 0, 0);
  }

  private long number(String name, long least, long most) {
    long number = value(name, Long.class);
    require(number >= least && number <= most, name + " from " + least + " to " + most);
    return number;
  }

  private <T> T value(String name, Class<T> type) {
    Object value = values.get(name);
    if (value == null || !type.isInstance(value)) {
      throw new IllegalArgumentException("expected a proper '" + name + "'");
    }
    return type.cast(value);
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException("expected " + what);
    }
  }
}
